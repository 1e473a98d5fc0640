// Using a nonce instead of a token: the requests it allows, its number of uses, and the rights it acts with.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { failed } from '../../support/service/actor-service.ts';
import type { Call } from '../../support/service/call.ts';
import { type NonceFixture, refused, startNonceFixture } from '../../support/service/nonces.ts';

let fixture: NonceFixture;
let service: NonceFixture['service'];
let actorId: string;
beforeEach(async () => {
  fixture = await startNonceFixture();
  ({ service, actorId } = fixture);
});
afterEach(() => service.close());

describe('a redeemed nonce', () => {
  it('acts as its owner, and is not a variable of the execution', async () => {
    const { secret, id } = await fixture.make();
    const sent = await fixture.by(secret, 'POST', `/actors/v2/${actorId}/messages?A=1`, { form: { message: 'hi' } });
    expect(sent.status, sent.text).toBe(200);
    const message = service.store.get('messages', String(sent.result['executionId']));
    expect(message).toMatchObject({ executor: 'ana', variables: {} });
    expect(sent.result['ignored_variables']).toEqual(['A']);
    expect(fixture.uses(id)).toBe(1);
    expect(service.store.get('nonces', id)?.lastUsedAt).toBeGreaterThan(0);
  });

  it('is also read from the header X-Nonce, and two different values are refused', async () => {
    const { secret } = await fixture.make();
    const path = `/actors/v2/${actorId}`;
    const header = (value: string) => ({ headers: { 'x-nonce': value } });
    expect((await service.ask(undefined, 'GET', path, header(secret))).status).toBe(200);
    expect((await fixture.by(secret, 'GET', path, header(secret))).status).toBe(200);
    expect(await fixture.by(secret, 'GET', path, header('DEV_other'))).toMatchObject(refused);
    expect(await fixture.by('DEV_other', 'GET', `${path}?x-nonce=${secret}`)).toMatchObject(refused);
    expect(await fixture.by('', 'GET', path)).toMatchObject(refused);
  });

  it('is ignored if the request has an Authorization header, valid or not', async () => {
    const { secret, id } = await fixture.make();
    const path = `/actors/v2/${actorId}?x-nonce=${secret}`;
    expect((await service.ask('ana', 'GET', path)).status).toBe(200);
    expect((await service.ask('bob', 'GET', path)).status).toBe(404);
    const bad = await service.ask(undefined, 'GET', path, { headers: { authorization: 'Bearer nobody' } });
    expect(bad).toMatchObject({ status: 401, ...failed('AUTH_FAILED', /access token/) });
    expect(fixture.uses(id)).toBe(0);
  });

  it('R120 allows only routes below its actor', async () => {
    const { secret, id } = await fixture.make({ level: 'UPDATE' });
    for (const [method, path] of [
      ['GET', '/actors/v2'],
      ['POST', '/actors/v2'],
      ['GET', '/actors/v2/nowhere/else/at/all'],
      ['PUT', `/actors/v2/${actorId}/nonces`],
    ] as const) {
      expect([path, await fixture.by(secret, method, path)]).toMatchObject([
        path,
        { status: 401, ...failed('AUTH_REQUIRED') },
      ]);
    }
    expect(fixture.uses(id)).toBe(0);
  });

  it('R128 that is unknown, spent, expired or of another actor is refused with 401, one text and a challenge', async () => {
    const other = await service.actor('ana');
    const spent = await fixture.make({ maxUses: 1 });
    expect((await fixture.send(spent.secret)).status).toBe(200);
    const expired = await fixture.make();
    await service.store.transact((tx) => {
      const nonce = tx.get('nonces', expired.id);
      if (nonce) tx.put('nonces', { ...nonce, expiresAt: service.dependencies.clock.now() });
    });
    const elsewhere = await fixture.make({}, other);
    const answers = [];
    for (const { secret } of [spent, expired, elsewhere, { secret: 'DEV_nothing' }, { secret: 'x'.repeat(4_000) }]) {
      answers.push(await fixture.send(secret));
    }
    expect(new Set(answers.map(({ json }) => (json as { message: string }).message)).size).toBe(1);
    for (const answer of answers) {
      expect(answer).toMatchObject(refused);
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
    expect(fixture.uses(elsewhere.id)).toBe(0);
  });

  it('R126 allows its level and the lower ones, and a level that is too low is 403 and costs no use', async () => {
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
      const { id, secret } = await fixture.make({ level });
      const got = [];
      for (const [method, path] of asked) {
        got.push((await fixture.by(secret, method, path, method === 'POST' ? { form: { message: 'x' } } : {})).status);
      }
      expect([level, got, fixture.uses(id)]).toEqual([
        level,
        statuses,
        statuses.filter((status) => status === 200).length,
      ]);
    }
  });

  it('R126 keeps its use if the request is refused before the handler, and loses it if the handler fails', async () => {
    const { id, secret } = await fixture.make({ level: 'UPDATE', maxUses: 3 });
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
      expect([target, (await fixture.by(secret, method, target, asked)).status, fixture.uses(id)]).toEqual([
        target,
        status,
        0,
      ]);
    }
    expect((await fixture.by(secret, 'GET', `${path}/executions/nope`)).status).toBe(404);
    expect(fixture.uses(id)).toBe(1);
    expect((await fixture.by(secret, 'DELETE', `${path}/nonces/nope`)).status).toBe(404);
    expect(fixture.uses(id)).toBe(2);
  });

  it('R126 with 5 uses left serves exactly 5 of 24 simultaneous requests', async () => {
    const { id, secret } = await fixture.make({ maxUses: 5 });
    const before = service.store.countBy('messages', 'actor', actorId);
    const answers = await Promise.all(Array.from({ length: 24 }, () => fixture.send(secret)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
    expect(service.store.countBy('messages', 'actor', actorId) - before).toBe(5);
    const shown = await service.ask('ana', 'GET', `/actors/v2/${actorId}/nonces/${id}`);
    expect(shown.result).toMatchObject({ currentUses: 5, remainingUses: 0, lastUseTime: expect.any(String) });
  });

  it('R126 with one use left serves one of two simultaneous requests by different routes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, secret } = await fixture.make({ maxUses: 1 });
      const answers = await Promise.all([
        fixture.send(secret),
        fixture.by(secret, 'GET', `/actors/v2/${actorId}/executions`),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
      expect(fixture.uses(id)).toBe(1);
    }
  });

  it('R122 allows no more than the current permissions of its owner', async () => {
    const shared = await service.actor('ana');
    const grant = (permissions: Readonly<Record<string, 'READ' | 'UPDATE'>>) =>
      service.store.transact((tx) => {
        const actor = tx.get('actors', shared);
        if (actor) tx.put('actors', { ...actor, permissions: { ana: 'UPDATE', ...permissions } });
      });
    await grant({ bob: 'UPDATE' });
    const { id, secret } = await fixture.make({ level: 'UPDATE' }, shared, 'bob');
    await grant({ bob: 'READ' });
    expect((await fixture.by(secret, 'DELETE', `/actors/v2/${shared}/messages`)).status).toBe(403);
    await grant({});
    expect((await fixture.by(secret, 'GET', `/actors/v2/${shared}`)).status).toBe(404);
    expect(fixture.uses(id)).toBe(0);
  });

  it('carries only roles that its owner still has, and ends with the owner', async () => {
    const { id, secret } = await fixture.make({ level: 'UPDATE' }, actorId, 'admin');
    expect(service.store.get('nonces', id)?.roles).toEqual(['admin']);
    expect((await fixture.by(secret, 'GET', `/actors/v2/${actorId}`)).status).toBe(200);
    const key = joinKey('DEV', 'root');
    const root = service.store.get('users', key);
    if (root === undefined) throw new Error('the harness has a root');
    await service.store.transact((tx) => tx.put('users', { ...root, roles: ['user'] }));
    expect((await fixture.by(secret, 'GET', `/actors/v2/${actorId}`)).status).toBe(404);
    await service.store.transact((tx) => tx.delete('users', key));
    expect(await fixture.by(secret, 'GET', `/actors/v2/${actorId}`)).toMatchObject(refused);
    await service.store.transact((tx) => tx.put('users', root));
  });

  it('R107 is accepted from pages of other origins', async () => {
    const { secret } = await fixture.make();
    const answer = await fixture.by(secret, 'GET', `/actors/v2/${actorId}`, {
      headers: { origin: 'http://page.example' },
    });
    expect(answer.headers['access-control-allow-origin']).toBe('http://page.example');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('is deleted with its actor', async () => {
    const doomed = await service.actor('ana');
    const { id, secret } = await fixture.make({}, doomed);
    expect((await service.ask('ana', 'DELETE', `/actors/v2/${doomed}`)).status).toBe(200);
    expect(service.store.get('nonces', id)).toBeUndefined();
    expect(await fixture.by(secret, 'GET', `/actors/v2/${doomed}`)).toMatchObject(refused);
  });
});
