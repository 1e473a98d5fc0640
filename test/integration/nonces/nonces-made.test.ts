// Creating, listing, showing and deleting the nonces of an actor.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sweepNonces } from '../../../daemon/actors/nonces/sweep.ts';
import { failed } from '../../support/service/actor-service.ts';
import { type NonceFixture, refused, startNonceFixture } from '../../support/service/nonces.ts';

let fixture: NonceFixture;
let service: NonceFixture['service'];
let actorId: string;
beforeEach(async () => {
  fixture = await startNonceFixture();
  ({ service, actorId } = fixture);
});
afterEach(() => service.close());

it('R146 spent nonces are swept thirty days after their last use, other nonces stay', async () => {
  const { store, clock } = service.dependencies;
  const stale = await fixture.make({ maxUses: 1 });
  const spent = await fixture.make({ maxUses: 1 });
  const good = await fixture.make({ maxUses: 1 });
  for (const { secret } of [stale, spent]) expect((await fixture.send(secret)).status).toBe(200);
  await store.transact((tx) => {
    const nonce = tx.get('nonces', stale.id);
    if (nonce) tx.put('nonces', { ...nonce, lastUsedAt: clock.now() - 31 * 86_400_000 });
  });
  expect(await sweepNonces(service.dependencies)).toBe(1);
  expect([...store.all('nonces')].map(({ id }) => id)).toEqual([spent.id, good.id]);
});

describe('R138 the quota of nonces', () => {
  beforeEach(async () => {
    await service.close();
    fixture = await startNonceFixture({ quotas: { nonces: 3 } });
    ({ service, actorId } = fixture);
  });
  const listed = () => service.store.by('nonces', 'actor', actorId).map(({ id }) => id);
  const create = () => service.ask('ana', 'POST', `/actors/v2/${actorId}/nonces`);

  it('is never exhausted by used-up nonces, because the oldest one is deleted', async () => {
    const lasting = await fixture.make();
    const kept: string[] = [];
    for (let time = 0; time < 5; time += 1) {
      const { id, secret } = await fixture.make({ maxUses: 1 });
      expect((await fixture.send(secret)).status).toBe(200);
      kept.push(id);
    }
    expect(listed()).toEqual([lasting.id, ...kept.slice(-2)]);
  });

  it('that was lowered is not exhausted by more used-up nonces than it allows', async () => {
    const spent = Array.from({ length: 20 }, (_, index) => `spent${index}`);
    const { id } = await fixture.make({ maxUses: 1 });
    await service.store.transact((tx) => {
      const nonce = tx.get('nonces', id) ?? expect.fail('no nonce');
      for (const each of spent) tx.put('nonces', { ...nonce, id: each, hash: each, currentUses: 1, lastUsedAt: 0 });
    });
    expect((await create()).status).toBe(200);
    expect(listed()).toHaveLength(3);
  });

  it('counts nonces that can still be used, and no expired ones', async () => {
    await fixture.make({ expiresIn: 60 });
    const others = [await fixture.make(), await fixture.make({ maxUses: 2 })];
    expect(await create()).toMatchObject({ status: 409, ...failed('QUOTA_EXCEEDED', /3 nonces/) });
    service.advance(60_000);
    expect((await create()).status).toBe(200);
    expect(listed()).toEqual([...others.map(({ id }) => id), expect.any(String)]);
    expect(await create()).toMatchObject(failed('QUOTA_EXCEEDED'));
  });
});

describe('a nonce of an actor', () => {
  it('without a body has the level EXECUTE and no expiry, as agavepy expects', async () => {
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

  it('is created from forms, query parameters and both field spellings', async () => {
    const path = `/actors/v2/${actorId}/nonces`;
    const form = await service.ask('ana', 'POST', path, { form: { max_uses: '3', level: 'READ', description: 'd' } });
    expect(form.result).toMatchObject({ maxUses: 3, remainingUses: 3, level: 'READ', description: 'd' });
    const query = await service.ask('ana', 'POST', `${path}?maxUses=4`);
    expect(query.result).toMatchObject({ maxUses: 4 });
  });

  it('R126 has 190 random bits, is shown once, and is stored only as its digest', async () => {
    const { id, secret } = await fixture.make();
    expect(secret).toMatch(/^DEV_[A-Za-z][A-Za-z0-9]{12}[A-Za-z0-9]{32}$/);
    const listed = await service.ask('ana', 'GET', `/actors/v2/${actorId}/nonces`);
    expect(listed.text).toContain(id);
    expect(listed.text).not.toContain(secret.slice(-32));
    expect(JSON.stringify(service.store.get('nonces', id))).not.toContain(secret.slice(-32));
    expect(await fixture.by(id, 'GET', `/actors/v2/${actorId}`)).toMatchObject(refused);
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
  ])('R127 with %j is refused, and the refusal names %s', async (json, field) => {
    const answer = await service.ask('ana', 'POST', `/actors/v2/${actorId}/nonces`, { json });
    expect(answer).toMatchObject({ status: 400, ...failed('VALIDATION', new RegExp(`^${field} `)) });
  });

  it('R122 needs UPDATE to be created and READ to be listed or shown, and is hidden from other users', async () => {
    const shared = await service.actor('ana');
    await service.store.transact((tx) => {
      const actor = tx.get('actors', shared);
      if (actor) tx.put('actors', { ...actor, permissions: { ...actor.permissions, bob: 'EXECUTE' } });
    });
    const { id } = await fixture.make({}, shared);
    const path = `/actors/v2/${shared}/nonces`;
    expect(await service.ask('bob', 'POST', path)).toMatchObject({ status: 403 });
    expect(await service.ask('bob', 'GET', path)).toMatchObject({ status: 200, json: { result: [{ id }] } });
    expect(await service.ask('bob', 'GET', `${path}/${id}`)).toMatchObject({ status: 200 });
    expect(await service.ask('bob', 'DELETE', `${path}/${id}`)).toMatchObject({ status: 403 });
    expect(await service.ask('priv', 'GET', path)).toMatchObject({ status: 404 });
    expect(await service.ask('otherAdmin', 'GET', path)).toMatchObject({ status: 404 });
    expect(await service.ask(undefined, 'GET', path)).toMatchObject({ status: 401 });
  });

  it('is shown and deleted by its id or its secret, and only below its own actor', async () => {
    const { id, secret } = await fixture.make({ description: 'mine' });
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
    expect(await fixture.by(secret, 'GET', `/actors/v2/${actorId}`)).toMatchObject(refused);
  });

  it.each(['__proto__', 'constructor', 'DEV_', '..%2f', '%00', 'x'.repeat(5_000), '%F0%9F%98%80'])(
    'R125 named %s is not found',
    async (name) => {
      expect((await service.ask('ana', 'GET', `/actors/v2/${actorId}/nonces/${name}`)).status).toBe(404);
    },
  );
});
