// Aliases over HTTP: creation, names, permissions and lists.
import { afterAll, describe, expect, it } from 'vitest';
import { failed, type Name } from '../../support/service/actor-service.ts';
import { ALIASES, startAliasWorld } from '../../support/service/alias-world.ts';

const world = await startAliasWorld();
const { service, fresh, make, made, record, share, shareActor } = world;
afterAll(() => service.close());

describe('aliases.create', () => {
  it('accepts a form and JSON in both field spellings, and returns the whole record', async () => {
    const actorId = await service.actor('ana');
    const alias = fresh();
    const answer = await make('ana', alias, actorId);
    expect(answer.json).toEqual({
      status: 'success',
      message: 'Alias created.',
      version: '1.9.1',
      result: {
        alias,
        actorId,
        owner: 'ana',
        _links: {
          self: `${service.baseUrl}${ALIASES}/${alias}`,
          owner: `${service.baseUrl}/profiles/v2/ana`,
          actor: `${service.baseUrl}/actors/v2/${actorId}`,
        },
      },
    });
    const json = { alias: fresh(), actor_id: actorId };
    expect((await service.ask('ana', 'POST', ALIASES, { json })).result).toMatchObject({ actorId });
    expect(record(alias)?.permissions).toEqual({ ana: 'UPDATE' });
  });

  it('refuses a name that any user has taken, and keeps the existing alias', async () => {
    const { alias, actorId } = await made();
    const bobs = await service.actor('bob');
    const refused = { status: 409, ...failed('ALREADY_EXISTS', /already exists/) };
    expect(await make('ana', alias, actorId)).toMatchObject(refused);
    expect(await make('bob', alias, bobs)).toMatchObject(refused);
    expect(record(alias)).toMatchObject({ actorId, owner: 'ana' });
  });

  it('R123 allows the same name in every tenant', async () => {
    const { alias } = await made();
    const theirs = await service.actor('otherAna');
    expect((await make('otherAna', alias, theirs)).status).toBe(200);
    expect((await service.ask('ana', 'GET', `/actors/v2/${alias}`)).result['id']).not.toBe(theirs);
    expect((await service.ask('otherAna', 'GET', `/actors/v2/${alias}`)).result['id']).toBe(theirs);
  });

  it('R124 R131 refuses reserved words, ids, paths and missing fields, and names the field', async () => {
    const actorId = await service.actor('ana');
    const other = await service.actor('otherAna');
    for (const alias of ['nonces', 'aliases', '..', 'a/b', '__proto__', '', ' ', '😀', 'a\u0000b', actorId, other]) {
      const answer = await make('ana', alias, actorId);
      expect([alias, answer.status]).toEqual([alias, 400]);
      expect(answer).toMatchObject(failed('VALIDATION', /^alias /));
    }
    expect(await make('ana', 'x'.repeat(1_000_000), actorId)).toMatchObject({ status: 400 });
    const without = await service.ask('ana', 'POST', ALIASES, { form: { alias: fresh() } });
    expect(without).toMatchObject({ status: 400, ...failed('VALIDATION', /^actorId is required/) });
    const twice = await service.ask('ana', 'POST', ALIASES, { json: { alias: ['a', 'b'], actorId } });
    expect(twice).toMatchObject({ status: 400, ...failed('VALIDATION', /^alias /) });
    expect(record('__proto__')).toBeUndefined();
  });

  it('R125 treats names of built-in object properties like any other name', async () => {
    const actorId = await service.actor('ana');
    expect(await service.ask('ana', 'GET', `${ALIASES}/constructor`)).toMatchObject({ status: 404 });
    expect((await make('ana', 'constructor', actorId)).status).toBe(200);
    expect((await service.ask('ana', 'GET', '/actors/v2/constructor')).result).toMatchObject({ id: actorId });
    expect(await service.ask('ana', 'GET', '/actors/v2/toString')).toMatchObject({ status: 404 });
  });

  it('R122 needs UPDATE on the actor, and hides an actor that the caller may not read', async () => {
    const actorId = await service.actor('ana');
    const hidden = { status: 404, ...failed('NOT_FOUND', /no actor with that id/) };
    expect(await make('bob', fresh(), actorId)).toMatchObject(hidden);
    expect(await make('otherAdmin', fresh(), actorId)).toMatchObject(hidden);
    for (const level of ['READ', 'EXECUTE'] as const) {
      await shareActor(actorId, { bob: level });
      expect(await make('bob', fresh(), actorId)).toMatchObject({
        status: 403,
        ...failed('FORBIDDEN', /ou do not have UPDATE access to the actor you want to associate with this alias/),
      });
    }
    await shareActor(actorId, { bob: 'UPDATE' });
    expect((await make('bob', fresh(), actorId)).result).toMatchObject({ owner: 'bob' });
    expect((await make('admin', fresh(), actorId)).result).toMatchObject({ owner: 'root' });
  });

  it('accepts only an existing actor as its target, and none under deletion', async () => {
    const { actorId } = await made();
    const self = fresh();
    for (const target of [self, 'Anobody000000', '..', '__proto__']) {
      expect(await make('ana', self, target)).toMatchObject({ status: 404, ...failed('NOT_FOUND') });
    }
    const gone = await service.actor('ana');
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${gone}`)).status).toBe(200);
    expect(await make('ana', self, gone)).toMatchObject({ status: 404 });
    await service.store.transact((tx) => {
      const actor = tx.get('actors', actorId);
      if (actor) tx.put('actors', { ...actor, status: 'SHUTTING_DOWN' });
    });
    expect(await make('ana', self, actorId)).toMatchObject({ status: 409, ...failed('ACTOR_BUSY') });
    expect(record(self)).toBeUndefined();
  });
});

describe('aliases.list and aliases.show', () => {
  it('R122 show the aliases that the caller may read, and admins see no others in the list', async () => {
    const { alias } = await made();
    const open = await made();
    await share(open.alias, { ABACO_WORLD: 'READ' });
    const named = async (as: Name) =>
      ((await service.ask(as, 'GET', ALIASES)).json as { result: { alias: string }[] }).result.map(
        (each) => each.alias,
      );
    expect(await named('ana')).toEqual(expect.arrayContaining([alias, open.alias]));
    for (const as of ['bob', 'admin'] as const) {
      expect(await named(as)).toContain(open.alias);
      expect(await named(as)).not.toContain(alias);
    }
    expect(await named('otherAdmin')).not.toContain(open.alias);
    expect((await service.ask('admin', 'GET', `${ALIASES}/${alias}`)).result).toMatchObject({ alias });
    for (const as of ['bob', 'otherAna', 'otherAdmin'] as const) {
      expect(await service.ask(as, 'GET', `${ALIASES}/${alias}`)).toMatchObject({
        status: 404,
        ...failed('NOT_FOUND'),
      });
    }
    await share(alias, { bob: 'READ' });
    expect((await service.ask('bob', 'GET', `${ALIASES}/${alias}`)).status).toBe(200);
  });

  it('R120 reveal nothing without a token', async () => {
    const { alias } = await made();
    for (const [method, path] of [
      ['GET', ALIASES],
      ['POST', ALIASES],
      ['GET', `${ALIASES}/${alias}`],
      ['PUT', `${ALIASES}/${alias}`],
      ['DELETE', `${ALIASES}/${alias}`],
      ['GET', `${ALIASES}/nobody`],
    ] as const) {
      expect(await service.ask(undefined, method, path)).toMatchObject({ status: 401, ...failed('AUTH_REQUIRED') });
    }
  });
});
