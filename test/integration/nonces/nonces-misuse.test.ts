// Misuse of nonces: guesses, late bodies, the listener of containers, requests from inside executions, and leaks into
// files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nonceRedemption } from '../../../daemon/actors/nonces/redemption.ts';
import { listen } from '../../../daemon/app/listen.ts';
import { createServices } from '../../../daemon/app/services.ts';
import { loopbackHosts } from '../../../daemon/http/request-gate.ts';
import type { Logger } from '../../../daemon/ports/logger.ts';
import { runningExecution } from '../../support/scenarios/resources.ts';
import { failed } from '../../support/service/actor-service.ts';
import { call } from '../../support/service/call.ts';
import { begun } from '../../support/service/late-request.ts';
import { type NonceFixture, refused, startNonceFixture } from '../../support/service/nonces.ts';

let fixture: NonceFixture;
let service: NonceFixture['service'];
let actorId: string;
beforeEach(async () => {
  fixture = await startNonceFixture();
  ({ service, actorId } = fixture);
});
afterEach(() => service.close());

describe('R128 the throttle of nonces', () => {
  it('returns 429 after many wrong nonces from one source, and still accepts a valid nonce from it', async () => {
    const { secret, id } = await fixture.make();
    const path = `/actors/v2/${actorId}`;
    const statuses: number[] = [];
    for (let time = 0; time < 26; time += 1) statuses.push((await fixture.by(`DEV_guess${time}`, 'GET', path)).status);
    expect(statuses).toEqual([...Array.from({ length: 25 }, () => 401), 429]);
    const throttled = await fixture.by('DEV_guess', 'GET', path);
    expect(throttled).toMatchObject({ status: 429, ...failed('THROTTLED') });
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0);
    expect((await fixture.by(secret, 'GET', path)).status).toBe(200);
    expect((await service.ask('ana', 'GET', path)).status).toBe(200);
    expect(fixture.uses(id)).toBe(1);
  });

  it('R159 logs a refused nonce with its source and without its value, and does not count a level that is too low', async () => {
    const lines: string[] = [];
    const write = (fields: Readonly<Record<string, unknown>>, message: string) =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const logger: Logger = { debug: write, info: write, warn: write, error: write };
    const nonces = nonceRedemption({ ...service.dependencies, logger });
    const { secret } = await fixture.make({ level: 'READ' });
    const shown = { target: { place: 'actor', name: actorId }, level: 'EXECUTE', source: '10.0.0.1' } as const;
    expect(() => nonces.holder({ ...shown, text: secret })).toThrow(/has the level READ, but EXECUTE is needed/);
    expect(lines).toEqual([]);
    expect(() => nonces.holder({ ...shown, text: 'DEV_a-guess-of-a-nonce' })).toThrow(/is not valid here/);
    expect(lines).toEqual(['nonce refused {"event":"nonce-refused","source":"10.0.0.1"}']);
  });

  it('counts each source separately', async () => {
    const nonces = nonceRedemption(service.dependencies);
    const guess = (source: string) => () =>
      nonces.holder({ text: 'DEV_x', target: { place: 'actor', name: actorId }, level: 'READ', source });
    for (let time = 0; time < 25; time += 1) expect(guess('10.0.0.1')).toThrow(/is not valid here/);
    expect(guess('10.0.0.1')).toThrow(/Too many failed attempts/);
    expect(guess('10.0.0.2')).toThrow(/is not valid here/);
  });
});

describe('R84 a request with a nonce and a late body', () => {
  const message = JSON.stringify({ message: 'hi' });
  const late = (secret: string) =>
    begun(service.baseUrl, `/actors/v2/${actorId}/messages?x-nonce=${secret}`, undefined, message);

  it('is accepted if the nonce is still valid, and costs one use', async () => {
    const { secret, id } = await fixture.make({ maxUses: 1 });
    expect(await (await late(secret)).finish()).toBe(200);
    expect(fixture.uses(id)).toBe(1);
  });

  it('leaves no message if the nonce was deleted or spent in the meantime', async () => {
    const deleted = await fixture.make();
    const spent = await fixture.make({ maxUses: 1 });
    const waiting = [await late(deleted.secret), await late(spent.secret)];
    await service.ask('ana', 'DELETE', `/actors/v2/${actorId}/nonces/${deleted.id}`);
    expect((await fixture.send(spent.secret)).status).toBe(200);
    for (const one of waiting) expect(await one.finish()).toBe(401);
    expect(service.store.countBy('messages', 'actor', actorId)).toBe(1);
  });
});

describe('a nonce and an execution', () => {
  it('R154 an execution of a legacy actor creates nonces for its own actor only, and they carry no role', async () => {
    const other = await service.actor('ana');
    const legacy = await service.actor('ana', { dialect: 'legacy', token: true });
    await fixture.alias('wc', legacy);
    const { ask } = await runningExecution(service, legacy);
    const made = await ask('POST', `/actors/v2/${legacy}/nonces`);
    expect(made).toMatchObject({ status: 200, result: { owner: 'ana', roles: [] } });
    for (const path of [`/actors/v2/${other}/nonces`, '/actors/v2/aliases/wc/nonces']) {
      expect(await ask('POST', path), path).toMatchObject({
        status: 403,
        ...failed('FORBIDDEN', /its own actor only/),
      });
    }
  });

  it('C23 on the listener of containers a nonce is ignored', async () => {
    const { secret, id } = await fixture.make();
    const { dependencies } = service;
    let port = 0;
    const { app: containersApp } = createServices(dependencies);
    const app = containersApp(() => loopbackHosts(port), true);
    port = await listen(app.server, '127.0.0.1', 0);
    try {
      const path = `/actors/v2/${actorId}`;
      const shown = await call(`http://127.0.0.1:${port}`, 'GET', `${path}?x-nonce=${secret}`);
      expect(shown).toMatchObject({ status: 401, ...failed('AUTH_REQUIRED') });
      const headers = { 'x-nonce': secret };
      expect((await call(`http://127.0.0.1:${port}`, 'GET', path, { headers })).status).toBe(401);
      expect(fixture.uses(id)).toBe(0);
      expect((await fixture.by(secret, 'GET', path)).status).toBe(200);
    } finally {
      await app.close();
    }
  });
});

it('R139 the secret of a nonce is in no file or log, in clear or encoded', async () => {
  const { secret } = await fixture.make();
  expect((await fixture.send(secret)).status).toBe(200);
  expect(await fixture.by(`${secret}x`, 'GET', `/actors/v2/${actorId}`)).toMatchObject(refused);
  const bare = secret.slice(-32);
  const forms = [bare, Buffer.from(bare).toString('hex'), Buffer.from(secret).toString('base64')];
  const files = readdirSync(service.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) {
    const content = readFileSync(join(parentPath, name), 'utf8');
    expect([name, forms.filter((form) => content.includes(form))]).toEqual([name, []]);
  }
  expect(service.complaints.join('\n')).not.toContain(bare);
});

it('a nonce with one use opens one log stream', async () => {
  const executionId = await service.message('ana', actorId);
  const { secret, id } = await fixture.make({ level: 'READ', maxUses: 1 });
  const over = new AbortController();
  const path = `/actors/v2/${actorId}/executions/${executionId}/logs`;
  const headers = { accept: 'text/event-stream' };
  const streamed = fetch(`${service.baseUrl}${path}?x-nonce=${secret}`, { headers, signal: over.signal });
  const response = await streamed;
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  over.abort();
  expect(fixture.uses(id)).toBe(1);
  expect(await fixture.by(secret, 'GET', path, { headers })).toMatchObject(refused);
});
