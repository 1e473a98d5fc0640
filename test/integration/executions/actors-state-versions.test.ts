// The versions of a state over HTTP: authors, conditional changes, restoring, limits, and the initial version.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVault } from '../../../daemon/vault/vault.ts';
import { type ActorService, failed, startActorService } from '../../support/service/actor-service.ts';
import { executionRecord, tokenRecord } from '../../support/service/records.ts';
import { at, stateCalls } from '../../support/service/state-calls.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService({ stateLimit: 64 * 1024 });
});
afterAll(() => service.close());

const { get, set, stateful } = stateCalls(() => service);

describe('versions of a state', () => {
  it('count every change, even to the same value, and record the user of each', async () => {
    const actor = await stateful();
    await set(actor, '{"n":1}');
    await set(actor, '{"n":1}', {}, 'admin');
    const { json } = await service.ask('ana', 'GET', at(actor, '/versions'));
    expect(json).toMatchObject({
      result: [
        { version: 2, updatedBy: 'root', bytes: 7 },
        { version: 1, updatedBy: 'ana', bytes: 7 },
        { version: 0, updatedBy: 'ana', bytes: 2 },
      ],
    });
    expect((await service.ask('ana', 'GET', at(actor, '/versions/1'))).result).toMatchObject({
      version: 1,
      state: { n: 1 },
    });
    expect((await service.ask('ana', 'GET', at(actor, '/versions/0'))).result).toMatchObject({ version: 0, state: {} });
    for (const none of ['3', '-1', 'x', '1.0', '9'.repeat(40)]) {
      expect(await service.ask('ana', 'GET', at(actor, `/versions/${none}`))).toMatchObject({ status: 404 });
    }
  });

  it('record the execution whose token made the change', async () => {
    const actor = await stateful();
    const vault = createVault();
    await service.store.transact((tx) => {
      tx.put('executions', executionRecord('exec1', { actorId: actor, status: 'RUNNING' }));
      tx.put(
        'tokens',
        tokenRecord(vault.digest('e'.repeat(40)), { executionId: 'exec1', flow: 'execution', clientId: '' }),
      );
    });
    const headers = { authorization: `Bearer ${'e'.repeat(40)}` };
    expect((await set(actor, '5', headers)).status).toBe(200);
    expect((await get(actor)).result).toMatchObject({ executionId: 'exec1', updatedBy: 'ana', state: 5 });
  });

  it('let a change with If-Match fail if it is based on an older version', async () => {
    const actor = await stateful();
    await set(actor, '1');
    for (const match of ['"1"', '1', 'v1', 'W/"1"', '"0", "1"', '*']) {
      const fresh = await stateful();
      await set(fresh, '1');
      expect((await set(fresh, '2', { 'if-match': match })).result).toMatchObject({ stateVersion: 2 });
    }
    const stale = await set(actor, '2', { 'if-match': '"0"' });
    expect(stale).toMatchObject({ status: 409, ...failed('STALE_VERSION', /version is 1/) });
    expect(
      await service.ask('ana', 'POST', at(actor, '/versions/0'), { headers: { 'if-match': '"0"' } }),
    ).toMatchObject({ status: 409 });
    expect((await get(actor)).result).toMatchObject({ version: 1, state: 1 });
  });

  it('let one of 64 changes based on the same version succeed', async () => {
    const actor = await stateful();
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => set(actor, `${n}`, { 'if-match': '"0"' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(63).fill(409)]);
    expect((await get(actor)).result['version']).toBe(1);
  });

  it('can be restored exactly, as a new version', async () => {
    const actor = await stateful();
    await set(actor, '{"a": 9007199254740993}');
    await set(actor, '{}');
    const restored = await service.ask('ana', 'POST', at(actor, '/versions/1'));
    expect(restored.result).toMatchObject({ stateVersion: 3 });
    expect((await get(actor)).text).toContain('{"a": 9007199254740993}');
    expect((await service.ask('ana', 'POST', at(actor, '/versions/9'))).status).toBe(404);
  });

  it('are limited in number and size, and the newest is always retained', async () => {
    const actor = await stateful();
    for (let n = 1; n <= 105; n += 1) await set(actor, `${n}`);
    const { json } = await service.ask('ana', 'GET', at(actor, '/versions'));
    const versions = (json as { result: { version: number }[] }).result.map(({ version }) => version);
    expect(versions).toEqual(Array.from({ length: 100 }, (_, n) => 105 - n));
    expect((await service.ask('ana', 'GET', at(actor, '/versions/5'))).status).toBe(404);
  });

  it('are deleted with their actor', async () => {
    const actor = await stateful();
    await set(actor, '1');
    await service.ask('ana', 'DELETE', `/actors/v2/${actor}`);
    expect(service.store.countBy('states', 'actor', actor)).toBe(0);
  });

  it('begin with the state that a registration or update sets', async () => {
    const registered = await service.ask('ana', 'POST', '/actors/v2', {
      body: '{"image":"alpine","stateless":false,"state":{"n":1,"__proto__":{"a":2}}}',
      headers: { 'content-type': 'application/json' },
    });
    expect(registered.text).toContain('"state":{"n":1,"__proto__":{"a":2}}');
    const actor = String(registered.result['id']);
    expect((await get(actor)).result).toMatchObject({ version: 1, updatedBy: 'ana' });
    const form = { image: 'alpine', stateless: 'false', state: '{"n":2}' };
    expect((await service.ask('ana', 'POST', '/actors/v2', { form })).result).toMatchObject({ state: { n: 2 } });
    const changes = { image: 'alpine', state: { n: 3 } };
    expect((await service.ask('ana', 'PUT', `/actors/v2/${actor}`, { json: changes })).result).toMatchObject({
      state: { n: 3 },
    });
    expect((await get(actor)).result['version']).toBe(2);
  });

  it('are not created by a registration with an invalid state', async () => {
    const create = (body: string) =>
      service.ask('ana', 'POST', '/actors/v2', { body, headers: { 'content-type': 'application/json' } });
    const before = service.store.count('actors');
    expect(await create('{"image":"a","state":{"n":1}}')).toMatchObject({ status: 400, ...failed('ACTOR_STATELESS') });
    for (const state of ['5', '[1]', '"text"', 'true']) {
      const answer = await create(`{"image":"a","stateless":false,"state":${state}}`);
      expect(answer).toMatchObject({ status: 400, ...failed('VALIDATION', /state must be a JSON object/) });
    }
    expect(service.store.count('actors')).toBe(before);
    for (const state of ['{}', 'null']) {
      expect((await create(`{"image":"a","state":${state}}`)).result).toMatchObject({ state: {} });
    }
  });

  it('survive an update of their actor', async () => {
    const actor = await stateful();
    await set(actor, '1');
    const updated = await service.ask('ana', 'PUT', `/actors/v2/${actor}`, {
      json: { image: 'other', stateless: false },
    });
    expect(updated.result).toMatchObject({ revision: 2, state: 1 });
  });
});
