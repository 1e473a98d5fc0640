// Nonces on actors and aliases: made, listed, deleted; and what they open, how often, and for whom.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinKey } from '../../daemon/domain/records.ts';
import { nameKey } from '../../daemon/domain/resource-records.ts';
import { type ActorService, failed, type Name, people, startActorService } from '../support/actor-service.ts';
import type { Call } from '../support/call.ts';

let service: ActorService;
let actorId: string;
beforeEach(async () => {
  service = await startActorService();
  actorId = await service.actor('ana', { name: 'one' });
});
afterEach(() => service.close());

interface Made {
  readonly id: string;
  readonly secret: string;
}

/** Makes a nonce and answers what it is listed by and what opens. */
const make = async (fields: Readonly<Record<string, unknown>> = {}, on = actorId, as: Name = 'ana'): Promise<Made> => {
  const made = await service.ask(as, 'POST', `/actors/v2/${on}/nonces`, { json: fields });
  expect(made.status, made.text).toBe(200);
  const secret = String(made.result['id']);
  return { secret, id: secret.slice(0, secret.indexOf('_') + 14) };
};

const alias = async (name: string, target = actorId, owner: Name = 'ana'): Promise<string> => {
  const { tenant, username } = people[owner];
  await service.store.transact((tx) =>
    tx.put('aliases', {
      tenant,
      alias: name,
      actorId: target,
      owner: username,
      permissions: { [username]: 'UPDATE' },
      createdAt: 0,
      updatedAt: 0,
    }),
  );
  return name;
};

/** Asks with a nonce and nothing else. */
const by = (secret: string, method: string, path: string, asked: Call = {}) =>
  service.ask(
    undefined,
    method,
    `${path}${path.includes('?') ? '&' : '?'}x-nonce=${encodeURIComponent(secret)}`,
    asked,
  );

const uses = (id: string) => service.store.get('nonces', id)?.currentUses;
const refused = { status: 401, ...failed('AUTH_FAILED', /^The nonce opens nothing here/) };

describe('making a nonce', () => {
  it('without a body makes one of level EXECUTE without end, as agavepy asks for it', async () => {
    const made = await service.ask('ana', 'POST', `/actors/v2/${actorId}/nonces`);
    expect(made.status).toBe(200);
    expect(made.result).toMatchObject({
      owner: 'ana',
      level: 'EXECUTE',
      roles: ['user'],
      maxUses: -1,
      currentUses: 0,
      remainingUses: -1,
      description: '',
      apiServer: service.baseUrl,
      actorId,
      _links: { actor: `${service.baseUrl}/actors/v2/${actorId}` },
    });
    expect(Object.keys(made.result)).not.toContain('alias');
    expect(Object.keys(made.result)).not.toContain('lastUseTime');
  });

  it('takes forms, query parameters and both spellings', async () => {
    const path = `/actors/v2/${actorId}/nonces`;
    const form = await service.ask('ana', 'POST', path, { form: { max_uses: '3', level: 'READ', description: 'd' } });
    expect(form.result).toMatchObject({ maxUses: 3, remainingUses: 3, level: 'READ', description: 'd' });
    const query = await service.ask('ana', 'POST', `${path}?maxUses=4`);
    expect(query.result).toMatchObject({ maxUses: 4 });
  });

  it('R126 the id has 190 bits of secret, is shown once, and is stored as its digest alone', async () => {
    const { id, secret } = await make();
    expect(secret).toMatch(/^DEV_[A-Za-z][A-Za-z0-9]{12}[A-Za-z0-9]{32}$/);
    const listed = await service.ask('ana', 'GET', `/actors/v2/${actorId}/nonces`);
    expect(listed.text).toContain(id);
    expect(listed.text).not.toContain(secret.slice(-32));
    expect(JSON.stringify(service.store.get('nonces', id))).not.toContain(secret.slice(-32));
    expect(await by(id, 'GET', `/actors/v2/${actorId}`)).toMatchObject(refused);
  });

  it.each([
    [{ maxUses: 0 }, 'maxUses'],
    [{ max_uses: -2 }, 'max_uses'],
    [{ maxUses: 'many' }, 'maxUses'],
    [{ maxUses: 1.5 }, 'maxUses'],
    [{ maxUses: 1e12 }, 'maxUses'],
    [{ level: 'ROOT' }, 'level'],
    [{ level: 'read' }, 'level'],
    [{ level: '__proto__' }, 'level'],
    [{ expiresIn: 0 }, 'expiresIn'],
    [{ expires_in: 'soon' }, 'expires_in'],
    [{ description: 'x'.repeat(4_097) }, 'description'],
    [{ description: { a: 1 } }, 'description'],
  ])('R127 with %j is refused and names %s', async (json, field) => {
    const answer = await service.ask('ana', 'POST', `/actors/v2/${actorId}/nonces`, { json });
    expect(answer).toMatchObject({ status: 400, ...failed('VALIDATION', new RegExp(`^${field} `)) });
  });

  it('R122 needs UPDATE; listing and showing need READ; others learn nothing', async () => {
    const shared = await service.actor('ana');
    await service.store.transact((tx) => {
      const actor = tx.get('actors', shared);
      if (actor) tx.put('actors', { ...actor, permissions: { ...actor.permissions, bob: 'EXECUTE' } });
    });
    const { id } = await make({}, shared);
    const path = `/actors/v2/${shared}/nonces`;
    expect(await service.ask('bob', 'POST', path)).toMatchObject({ status: 403 });
    expect(await service.ask('bob', 'GET', path)).toMatchObject({ status: 200, json: { result: [{ id }] } });
    expect(await service.ask('bob', 'GET', `${path}/${id}`)).toMatchObject({ status: 200 });
    expect(await service.ask('bob', 'DELETE', `${path}/${id}`)).toMatchObject({ status: 403 });
    expect(await service.ask('priv', 'GET', path)).toMatchObject({ status: 404 });
    expect(await service.ask('otherAdmin', 'GET', path)).toMatchObject({ status: 404 });
    expect(await service.ask(undefined, 'GET', path)).toMatchObject({ status: 401 });
  });

  it('shows and deletes by what it is listed by and by what opens, and only under its own actor', async () => {
    const { id, secret } = await make({ description: 'mine' });
    const other = await service.actor('ana');
    const path = `/actors/v2/${actorId}/nonces`;
    for (const name of [id, secret]) {
      expect((await service.ask('ana', 'GET', `${path}/${name}`)).result).toMatchObject({ id, description: 'mine' });
      expect(await service.ask('ana', 'GET', `/actors/v2/${other}/nonces/${name}`)).toMatchObject({ status: 404 });
      expect(await service.ask('ana', 'DELETE', `/actors/v2/${other}/nonces/${name}`)).toMatchObject({ status: 404 });
    }
    expect(await service.ask('ana', 'DELETE', `${path}/${secret}`)).toMatchObject({
      status: 200,
      json: { result: null },
    });
    expect(await service.ask('ana', 'DELETE', `${path}/${id}`)).toMatchObject({ status: 404 });
    expect(await by(secret, 'GET', `/actors/v2/${actorId}`)).toMatchObject(refused);
  });

  it.each(['__proto__', 'constructor', 'DEV_', '..%2f', '%00', 'x'.repeat(5_000), '%F0%9F%98%80'])(
    'R125 %s is the name of none',
    async (name) => {
      expect((await service.ask('ana', 'GET', `/actors/v2/${actorId}/nonces/${name}`)).status).toBe(404);
    },
  );
});

describe('redeeming a nonce', () => {
  const send = (secret: string, on = actorId) =>
    by(secret, 'POST', `/actors/v2/${on}/messages`, { form: { message: 'hi' } });

  it('acts as its owner; the nonce is no variable of the execution', async () => {
    const { secret, id } = await make();
    const sent = await by(secret, 'POST', `/actors/v2/${actorId}/messages?A=1`, { form: { message: 'hi' } });
    expect(sent.status, sent.text).toBe(200);
    const message = service.store.get('messages', String(sent.result['executionId']));
    expect(message).toMatchObject({ executor: 'ana', variables: { A: '1' } });
    expect(uses(id)).toBe(1);
    expect(service.store.get('nonces', id)?.lastUsedAt).toBeGreaterThan(0);
  });

  it('is taken from the header of that name as well; two that differ open nothing', async () => {
    const { secret } = await make();
    const path = `/actors/v2/${actorId}`;
    const header = (value: string) => ({ headers: { 'x-nonce': value } });
    expect((await service.ask(undefined, 'GET', path, header(secret))).status).toBe(200);
    expect((await by(secret, 'GET', path, header(secret))).status).toBe(200);
    expect(await by(secret, 'GET', path, header('DEV_other'))).toMatchObject(refused);
    expect(await by('DEV_other', 'GET', `${path}?x-nonce=${secret}`)).toMatchObject(refused);
    expect(await by('', 'GET', path)).toMatchObject(refused);
  });

  it('is not looked at beside an Authorization header, good or bad', async () => {
    const { secret, id } = await make();
    const path = `/actors/v2/${actorId}?x-nonce=${secret}`;
    expect((await service.ask('ana', 'GET', path)).status).toBe(200);
    expect((await service.ask('bob', 'GET', path)).status).toBe(404);
    const bad = await service.ask(undefined, 'GET', path, { headers: { authorization: 'Bearer nobody' } });
    expect(bad).toMatchObject({ status: 401, ...failed('AUTH_FAILED', /access token/) });
    expect(uses(id)).toBe(0);
  });

  it('R120 opens nothing but routes below its actor', async () => {
    const { secret, id } = await make({ level: 'UPDATE' });
    for (const [method, path] of [
      ['GET', '/actors/v2'],
      ['POST', '/actors/v2'],
      ['GET', '/actors/v2/nowhere/else/at/all'],
      ['PUT', `/actors/v2/${actorId}/nonces`],
    ] as const) {
      expect([path, await by(secret, method, path)]).toMatchObject([path, { status: 401, ...failed('AUTH_REQUIRED') }]);
    }
    expect(uses(id)).toBe(0);
  });

  it('R128 unknown, spent, expired, of another actor: 401, one text, with a challenge', async () => {
    const other = await service.actor('ana');
    const spent = await make({ maxUses: 1 });
    expect((await send(spent.secret)).status).toBe(200);
    const expired = await make();
    await service.store.transact((tx) => {
      const nonce = tx.get('nonces', expired.id);
      if (nonce) tx.put('nonces', { ...nonce, expiresAt: service.dependencies.clock.now() });
    });
    const elsewhere = await make({}, other);
    const answers = [];
    for (const { secret } of [spent, expired, elsewhere, { secret: 'DEV_nothing' }, { secret: 'x'.repeat(4_000) }]) {
      answers.push(await send(secret));
    }
    expect(new Set(answers.map(({ json }) => (json as { message: string }).message)).size).toBe(1);
    for (const answer of answers) {
      expect(answer).toMatchObject(refused);
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
    expect(uses(elsewhere.id)).toBe(0);
  });

  it('R126 each level opens what it includes; too low a one is 403 and costs no use', async () => {
    const asked = [
      ['GET', `/actors/v2/${actorId}`],
      ['POST', `/actors/v2/${actorId}/messages`],
      ['DELETE', `/actors/v2/${actorId}/messages`],
    ] as const;
    for (const [level, statuses] of [
      ['NONE', [403, 403, 403]],
      ['READ', [200, 403, 403]],
      ['EXECUTE', [200, 200, 403]],
      ['UPDATE', [200, 200, 200]],
    ] as const) {
      const { id, secret } = await make({ level });
      const got = [];
      for (const [method, path] of asked) {
        got.push((await by(secret, method, path, method === 'POST' ? { form: { message: 'x' } } : {})).status);
      }
      expect([level, got, uses(id)]).toEqual([level, statuses, statuses.filter((status) => status === 200).length]);
    }
  });

  it('R126 what is refused before the handler costs no use, a handler that fails does', async () => {
    const { id, secret } = await make({ level: 'UPDATE', maxUses: 3 });
    const path = `/actors/v2/${actorId}`;
    const refusals: readonly (readonly [string, string, Call, number])[] = [
      ['POST', `${path}/nonces`, { json: { maxUses: 0 } }, 400],
      ['POST', `${path}/nonces`, { body: '{', headers: { 'content-type': 'application/json' } }, 400],
      ['POST', `${path}/nonces`, { body: 'x', headers: { 'content-type': 'text/csv' } }, 415],
      ['POST', `${path}/messages`, { body: '{', headers: { 'content-type': 'application/json' } }, 400],
      ['POST', `${path}/messages`, { body: 'x', headers: { 'content-type': 'image/png' } }, 415],
      ['POST', `${path}/messages?_svc_actor_id=x`, { form: { message: 'x' } }, 400],
      ['POST', `${path}/messages?a=%`, { form: { message: 'x' } }, 401],
      ['PATCH', path, {}, 401],
    ];
    for (const [method, target, asked, status] of refusals) {
      expect([target, (await by(secret, method, target, asked)).status, uses(id)]).toEqual([target, status, 0]);
    }
    expect((await by(secret, 'GET', `${path}/executions/nope`)).status).toBe(404);
    expect(uses(id)).toBe(1);
    expect((await by(secret, 'DELETE', `${path}/nonces/nope`)).status).toBe(404);
    expect(uses(id)).toBe(2);
  });

  it('R126 of those who race for the last uses exactly so many get one', async () => {
    const { id, secret } = await make({ maxUses: 5 });
    const before = service.store.countBy('messages', 'actor', actorId);
    const answers = await Promise.all(Array.from({ length: 24 }, () => send(secret)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
    expect(service.store.countBy('messages', 'actor', actorId) - before).toBe(5);
    const shown = await service.ask('ana', 'GET', `/actors/v2/${actorId}/nonces/${id}`);
    expect(shown.result).toMatchObject({ currentUses: 5, remainingUses: 0, lastUseTime: expect.any(String) });
  });

  it('R126 two who race for the last use by different routes: one gets it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, secret } = await make({ maxUses: 1 });
      const answers = await Promise.all([send(secret), by(secret, 'GET', `/actors/v2/${actorId}/executions`)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
      expect(uses(id)).toBe(1);
    }
  });

  it('R122 opens no more than its owner may now', async () => {
    const shared = await service.actor('ana');
    const grant = (permissions: Readonly<Record<string, 'READ' | 'UPDATE'>>) =>
      service.store.transact((tx) => {
        const actor = tx.get('actors', shared);
        if (actor) tx.put('actors', { ...actor, permissions: { ana: 'UPDATE', ...permissions } });
      });
    await grant({ bob: 'UPDATE' });
    const { id, secret } = await make({ level: 'UPDATE' }, shared, 'bob');
    await grant({ bob: 'READ' });
    expect((await by(secret, 'DELETE', `/actors/v2/${shared}/messages`)).status).toBe(403);
    await grant({});
    expect((await by(secret, 'GET', `/actors/v2/${shared}`)).status).toBe(404);
    expect(uses(id)).toBe(0);
  });

  it('carries the roles of its owner that still stand, and dies with the owner', async () => {
    const { id, secret } = await make({ level: 'UPDATE' }, actorId, 'admin');
    expect(service.store.get('nonces', id)?.roles).toEqual(['admin']);
    expect((await by(secret, 'GET', `/actors/v2/${actorId}`)).status).toBe(200);
    const key = joinKey('DEV', 'root');
    const root = service.store.get('users', key);
    if (root === undefined) throw new Error('the harness has a root');
    await service.store.transact((tx) => tx.put('users', { ...root, roles: ['user'] }));
    expect((await by(secret, 'GET', `/actors/v2/${actorId}`)).status).toBe(404);
    await service.store.transact((tx) => tx.delete('users', key));
    expect(await by(secret, 'GET', `/actors/v2/${actorId}`)).toMatchObject(refused);
    await service.store.transact((tx) => tx.put('users', root));
  });

  it('R107 opens to pages of other origins too', async () => {
    const { secret } = await make();
    const answer = await by(secret, 'GET', `/actors/v2/${actorId}`, { headers: { origin: 'http://page.example' } });
    expect(answer.headers['access-control-allow-origin']).toBe('http://page.example');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('goes with its actor', async () => {
    const doomed = await service.actor('ana');
    const { id, secret } = await make({}, doomed);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${doomed}`)).status).toBe(200);
    expect(service.store.get('nonces', id)).toBeUndefined();
    expect(await by(secret, 'GET', `/actors/v2/${doomed}`)).toMatchObject(refused);
  });
});

describe('a nonce of an alias', () => {
  const makeOn = async (name: string, fields: Readonly<Record<string, unknown>> = {}, as: Name = 'ana') => {
    const made = await service.ask(as, 'POST', `/actors/v2/aliases/${name}/nonces`, { json: fields });
    expect(made.status, made.text).toBe(200);
    const secret = String(made.result['id']);
    return { made, secret, id: secret.slice(0, secret.indexOf('_') + 14) };
  };

  it('R126 opens that alias wherever it stands, and neither the id behind it nor another alias', async () => {
    await alias('wc');
    await alias('wc2');
    const { made, secret, id } = await makeOn('wc');
    expect(made.result).toMatchObject({
      alias: 'wc',
      _links: { self: `${service.baseUrl}/actors/v2/aliases/wc/nonces/${id}` },
    });
    expect(Object.keys(made.result)).not.toContain('actorId');
    expect((await by(secret, 'GET', '/actors/v2/wc')).result).toMatchObject({ id: actorId });
    expect((await by(secret, 'POST', '/actors/v2/wc/messages', { form: { message: 'x' } })).status).toBe(200);
    expect((await by(secret, 'GET', '/actors/v2/aliases/wc/nonces')).json).toMatchObject({ result: [{ id }] });
    expect(uses(id)).toBe(3);
    for (const path of [`/actors/v2/${actorId}`, '/actors/v2/wc2', '/actors/v2/aliases/wc2/nonces']) {
      expect(await by(secret, 'GET', path)).toMatchObject(refused);
    }
    const actors = await make();
    expect(await by(actors.secret, 'GET', '/actors/v2/wc')).toMatchObject(refused);
    expect(await by(actors.secret, 'GET', '/actors/v2/aliases/wc/nonces')).toMatchObject(refused);
  });

  it('stands in no listing of the actor, nor the other way round', async () => {
    const doubled = await service.actor('ana');
    await alias('apart', doubled);
    const ofAlias = await makeOn('apart');
    const ofActor = await make({}, doubled);
    const ids = async (path: string) =>
      ((await service.ask('ana', 'GET', path)).json as { result: { id: string }[] }).result.map(({ id }) => id);
    expect(await ids(`/actors/v2/${doubled}/nonces`)).toEqual([ofActor.id]);
    expect(await ids('/actors/v2/aliases/apart/nonces')).toEqual([ofAlias.id]);
    expect((await service.ask('ana', 'GET', `/actors/v2/aliases/apart/nonces/${ofActor.id}`)).status).toBe(404);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${doubled}/nonces/${ofAlias.id}`)).status).toBe(404);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/aliases/apart/nonces/${ofAlias.id}`)).status).toBe(200);
    expect(await by(ofAlias.secret, 'GET', '/actors/v2/apart')).toMatchObject(refused);
  });

  it('R127 cannot have the level UPDATE', async () => {
    await alias('low');
    const answer = await service.ask('ana', 'POST', '/actors/v2/aliases/low/nonces', { json: { level: 'UPDATE' } });
    expect(answer).toMatchObject({ status: 400, ...failed('ALIAS_NONCE_LEVEL', /^level cannot be UPDATE/) });
    for (const level of ['NONE', 'READ', 'EXECUTE']) await makeOn('low', { level });
  });

  it('R127 needs UPDATE on the alias and on the actor, READ on both to be seen', async () => {
    const guarded = await service.actor('ana');
    await alias('both', guarded);
    const share = (onAlias: 'NONE' | 'READ' | 'UPDATE', onActor: 'NONE' | 'READ' | 'UPDATE') =>
      service.store.transact((tx) => {
        const record = tx.get('aliases', nameKey('DEV', 'both'));
        const actor = tx.get('actors', guarded);
        if (record) tx.put('aliases', { ...record, permissions: { ana: 'UPDATE', bob: onAlias } });
        if (actor) tx.put('actors', { ...actor, permissions: { ana: 'UPDATE', bob: onActor } });
      });
    const path = '/actors/v2/aliases/both/nonces';
    for (const [onAlias, onActor, get, post] of [
      ['NONE', 'UPDATE', 404, 404],
      ['UPDATE', 'NONE', 404, 404],
      ['READ', 'READ', 200, 403],
      ['READ', 'UPDATE', 200, 403],
      ['UPDATE', 'READ', 200, 403],
      ['UPDATE', 'UPDATE', 200, 200],
    ] as const) {
      await share(onAlias, onActor);
      const got = await service.ask('bob', 'GET', path);
      const posted = await service.ask('bob', 'POST', path);
      expect([onAlias, onActor, got.status, posted.status]).toEqual([onAlias, onActor, get, post]);
      if (post === 403) expect(posted.text).toContain('you do not have access to this alias and actor');
    }
  });

  it('follows the alias, as far as its owner may reach what it points to now', async () => {
    const second = await service.actor('ana');
    const foreign = await service.actor('bob');
    await alias('moving');
    const { secret } = await makeOn('moving');
    await alias('moving', second);
    expect((await by(secret, 'GET', '/actors/v2/moving')).result).toMatchObject({ id: second });
    await alias('moving', foreign);
    expect((await by(secret, 'GET', '/actors/v2/moving')).status).toBe(404);
  });

  it('R124 opens no actor whose id is the name of the alias', async () => {
    const victim = await service.actor('ana');
    await alias(victim, actorId);
    const { secret } = await makeOn(victim);
    expect(await by(secret, 'GET', `/actors/v2/${victim}`)).toMatchObject(refused);
  });

  it('R123 of one tenant opens nothing of another under the same alias', async () => {
    const theirs = await service.actor('otherAna');
    await alias('same');
    await alias('same', theirs, 'otherAna');
    const { secret } = await makeOn('same');
    expect((await by(secret, 'GET', '/actors/v2/same')).result).toMatchObject({ id: actorId });
    const { secret: other } = await makeOn('same', {}, 'otherAna');
    expect(other.startsWith('OTHER_')).toBe(true);
    expect((await by(other, 'GET', '/actors/v2/same')).result).toMatchObject({ id: theirs });
  });
});
