// Aliases over HTTP: use in place of an actor id, changing the target, deletion, and concurrent changes.
import { afterAll, describe, expect, it } from 'vitest';
import { failed, type Name } from '../../support/service/actor-service.ts';
import { ALIASES, startAliasWorld } from '../../support/service/alias-world.ts';

const world = await startAliasWorld();
const { service, fresh, make, made, record, share, shareActor } = world;
afterAll(() => service.close());

describe('an alias in place of an actor id', () => {
  it('R124 works in every route below an actor, for the actor that it points to at that moment', async () => {
    const { alias, actorId } = await made();
    const other = await service.actor('ana');
    const sent = await service.message('ana', alias);
    expect((await service.ask('ana', 'GET', `/actors/v2/${actorId}/executions/${sent}`)).status).toBe(200);
    for (const path of ['', '/messages', '/executions', '/workers', '/permissions', `/executions/${sent}`]) {
      expect([path, (await service.ask('ana', 'GET', `/actors/v2/${alias}${path}`)).status]).toEqual([path, 200]);
    }
    expect((await service.ask('ana', 'PUT', `${ALIASES}/${alias}`, { form: { actorId: other } })).status).toBe(200);
    expect((await service.ask('ana', 'GET', `/actors/v2/${alias}`)).result).toMatchObject({ id: other });
    expect((await service.ask('ana', 'GET', `/actors/v2/${alias}/executions/${sent}`)).status).toBe(404);
  });

  it('requires the permission on the actor, not on the alias', async () => {
    const { alias, actorId } = await made();
    await share(alias, { bob: 'UPDATE' });
    expect((await service.ask('bob', 'GET', `/actors/v2/${alias}`)).status).toBe(404);
    await shareActor(actorId, { bob: 'READ' });
    expect((await service.ask('bob', 'GET', `/actors/v2/${alias}`)).status).toBe(200);
    expect((await service.ask('bob', 'DELETE', `/actors/v2/${alias}`)).status).toBe(403);
  });

  it('is deleted with its actor', async () => {
    const { alias, actorId } = await made();
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${alias}`)).status).toBe(200);
    expect(service.store.get('actors', actorId)).toBeUndefined();
    expect(await service.ask('ana', 'GET', `${ALIASES}/${alias}`)).toMatchObject({ status: 404 });
    expect((await make('bob', alias, await service.actor('bob'))).status).toBe(200);
  });
});

describe('aliases.update', () => {
  const point = (as: Name, alias: string, json: Readonly<Record<string, unknown>>) =>
    service.ask(as, 'PUT', `${ALIASES}/${alias}`, { json });

  it('points the alias to another actor, and keeps owner and permissions', async () => {
    const { alias, actorId } = await made();
    await share(alias, { bob: 'UPDATE' });
    const bobs = await service.actor('bob');
    const answer = await point('bob', alias, { actorId: bobs });
    expect(answer.json).toMatchObject({ message: `Alias updated: it previously pointed to ${actorId}.` });
    expect(answer.result).toMatchObject({ alias, actorId: bobs, owner: 'ana' });
    expect(record(alias)?.permissions).toEqual({ ana: 'UPDATE', bob: 'UPDATE' });
    expect((await point('bob', alias, { actorId: bobs })).json).toMatchObject({
      message: expect.stringMatching(/unchanged/),
    });
  });

  it('R122 needs UPDATE on the alias and on the new actor', async () => {
    const { alias, actorId } = await made();
    const bobs = await service.actor('bob');
    expect(await point('bob', alias, { actorId: bobs })).toMatchObject({ status: 404 });
    await share(alias, { bob: 'EXECUTE' });
    expect(await point('bob', alias, { actorId: bobs })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN', /you do not have access to this alias/),
    });
    expect(await point('ana', alias, { actorId: bobs })).toMatchObject({ status: 404 });
    await shareActor(bobs, { ana: 'EXECUTE' });
    expect(await point('ana', alias, { actorId: bobs })).toMatchObject({
      status: 403,
      ...failed('FORBIDDEN', /ou do not have UPDATE access to the actor you want to associate with this alias/),
    });
    expect(record(alias)).toMatchObject({ actorId });
  });

  it('with ifActorId fails if the alias no longer points to that actor', async () => {
    const { alias, actorId } = await made();
    const [blue, green] = [await service.actor('ana'), await service.actor('ana')];
    expect((await point('ana', alias, { actorId: blue, ifActorId: actorId })).status).toBe(200);
    expect(await point('ana', alias, { actorId: green, if_actor_id: actorId })).toMatchObject({
      status: 409,
      ...failed('STALE_VERSION', new RegExp(`points to ${blue}, not to ${actorId}`)),
    });
    const both = await Promise.all(
      [green, actorId].map((target) => point('ana', alias, { actorId: target, ifActorId: blue })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('refuses a new name and a missing or unknown actor', async () => {
    const { alias, actorId } = await made();
    expect(await point('ana', alias, { alias: 'other', actorId })).toMatchObject({
      status: 400,
      ...failed('VALIDATION', /^alias cannot be changed/),
    });
    expect(await point('ana', alias, {})).toMatchObject({
      status: 400,
      ...failed('VALIDATION', /^actorId is required/),
    });
    expect(await point('ana', alias, { actorId: 'nobody' })).toMatchObject({ status: 404 });
    expect(await point('ana', 'nobody', { actorId })).toMatchObject({ status: 404 });
    expect(record(alias)).toMatchObject({ actorId });
  });

  it('R133 refuses a loop of links, and keeps the target', async () => {
    const { alias, actorId } = await made();
    const linked = await service.actor('ana');
    await service.store.transact((tx) => {
      const actor = tx.get('actors', linked);
      if (actor) tx.put('actors', { ...actor, link: alias });
    });
    expect(await point('ana', alias, { actorId: linked })).toMatchObject({
      status: 400,
      ...failed('LINK_CYCLE', /this update would result in a cycle of linked actors/),
    });
    expect(record(alias)).toMatchObject({ actorId });
    const unborn = fresh();
    await service.store.transact((tx) => {
      const actor = tx.get('actors', linked);
      if (actor) tx.put('actors', { ...actor, link: unborn });
    });
    expect(await make('ana', unborn, linked)).toMatchObject({ status: 400, ...failed('LINK_CYCLE') });
    expect(record(unborn)).toBeUndefined();
  });
});

describe('aliases.delete', () => {
  it('deletes permissions and nonces of the alias, and keeps the actor and the nonces of the actor', async () => {
    const { alias, actorId } = await made();
    await service.store.transact((tx) => {
      const nonce = {
        tenant: 'DEV',
        owner: 'ana',
        roles: ['user'],
        level: 'READ',
        maxUses: -1,
        currentUses: 0,
        description: '',
        createdAt: 1,
      } as const;
      tx.put('nonces', { ...nonce, id: `${alias}-1`, hash: `${alias}-1`, alias });
      tx.put('nonces', { ...nonce, id: `${alias}-2`, hash: `${alias}-2`, actorId });
    });
    const answer = await service.ask('ana', 'DELETE', `${ALIASES}/${alias}`);
    expect(answer.json).toMatchObject({ result: null, message: 'Alias deleted, together with its nonce.' });
    expect(service.store.get('nonces', `${alias}-1`)).toBeUndefined();
    expect(service.store.get('nonces', `${alias}-2`)).toBeDefined();
    expect((await service.ask('ana', 'GET', `/actors/v2/${actorId}`)).status).toBe(200);
    for (const method of ['GET', 'DELETE']) {
      expect(await service.ask('ana', method, `${ALIASES}/${alias}`)).toMatchObject({ status: 404 });
    }
  });

  it('R122 needs UPDATE on the alias only', async () => {
    const { alias } = await made();
    expect(await service.ask('bob', 'DELETE', `${ALIASES}/${alias}`)).toMatchObject({ status: 404 });
    await share(alias, { bob: 'EXECUTE' });
    expect(await service.ask('bob', 'DELETE', `${ALIASES}/${alias}`)).toMatchObject({ status: 403 });
    await share(alias, { bob: 'UPDATE' });
    expect((await service.ask('bob', 'DELETE', `${ALIASES}/${alias}`)).status).toBe(200);
  });
});
