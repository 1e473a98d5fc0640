// The parts of every response: envelope, headers, failures and internal errors, and the request log.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../daemon/domain/failure.ts';
import { VERSION } from '../../../src/local/version.ts';
import {
  ADMIN_PASSWORD,
  adminToken,
  basic,
  errorEnvelope,
  member,
  type Platform,
  startPlatform,
} from '../../support/service/platform.ts';

let platform: Platform;
let bearer: { readonly authorization: string };
beforeAll(async () => {
  platform = await startPlatform({
    handlers: {
      'actors.list': () => {
        throw new TypeError('a fault with a secret in it');
      },
      'actors.create': ({ input }) => {
        throw input.image === 'full'
          ? new Failure('STORE_UNAVAILABLE', 'The disk is full. Nothing was changed.')
          : new Failure('RUNTIME_UNAVAILABLE', 'a code that only the command line has');
      },
    },
  });
  bearer = await adminToken(platform);
});
afterAll(() => platform.close());

describe('the envelope', () => {
  it('R121 has four keys on success, and status 200', async () => {
    const answer = await platform.ask('GET', '/profiles/v2/me', { headers: bearer });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json ?? {}).sort()).toEqual(['message', 'result', 'status', 'version']);
    expect(answer.json).toMatchObject({ status: 'success', version: '1.9.1' });
  });

  it('R83 is sent with no-store, without X-Powered-By and without ETag', async () => {
    const { headers } = await platform.ask('GET', '/profiles/v2/me', { headers: bearer });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['etag']).toBeUndefined();
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9]{13}$/);
  });

  it('is indented with pretty=true and omitted with naked=true', async () => {
    const pretty = await platform.ask('GET', '/profiles/v2/me?pretty=true', { headers: bearer });
    expect(pretty.text).toContain('\n  "message"');
    const naked = await platform.ask('GET', '/profiles/v2/me?naked=true', { headers: bearer });
    expect(member(naked, 'username')).toBe('admin');
    expect((await platform.ask('GET', '/healthz?pretty=true')).text).toContain('\n  "status"');
  });

  it('is replaced in the health response by status, version and instance only', async () => {
    expect((await platform.ask('GET', '/healthz')).json).toEqual({ status: 'ok', version: VERSION, instance: 'test' });
  });

  it('is omitted for HEAD, with the same headers', async () => {
    const answer = await platform.ask('HEAD', '/healthz');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(0);
  });
});

describe('R115 an internal error', () => {
  it('shows only its request id to the caller, and is logged with its stack', async () => {
    const answer = await platform.ask('GET', '/actors/v2', { headers: bearer });
    expect(answer.status).toBe(500);
    const id = answer.headers['x-request-id'];
    expect(member(answer, 'message')).toBe(`internal error (request ${String(id)})`);
    expect(answer.text).not.toContain('secret');
    const line = platform.log.find(({ level, fields }) => level === 'error' && fields['requestId'] === id);
    expect(line?.fields['error']).toBeInstanceOf(TypeError);
  });
});

describe('a failure', () => {
  it('of the store is 503, and states that nothing was changed', async () => {
    const answer = await platform.ask('POST', '/actors/v2', { json: { image: 'full' }, headers: bearer });
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([503, 'STORE_UNAVAILABLE']);
    expect(answer.json).toMatchObject({ ...errorEnvelope, message: 'The disk is full. Nothing was changed.' });
  });

  it('without a status is an internal error', async () => {
    const answer = await platform.ask('POST', '/actors/v2', { json: { image: 'x' }, headers: bearer });
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([500, 'INTERNAL']);
  });
});

describe('R156 the request log', () => {
  it('has one line per request with route, status and caller, without secrets or query', async () => {
    const before = platform.log.length;
    const secret = 'query-secret';
    await platform.ask('GET', `/profiles/v2/me?x-nonce=${secret}`, { headers: bearer });
    await platform.ask('GET', `/nothing-${secret}`);
    await platform.ask('GET', '/clients/v2', { headers: { authorization: basic('admin', 'wrong-secret') } });
    await platform.ask('GET', '/clients/v2', { headers: { authorization: basic('admin', ADMIN_PASSWORD) } });
    const lines = platform.log.slice(before).filter(({ message }) => message === 'request');
    expect(lines.map(({ fields }) => [fields['method'], fields['route'], fields['status'], fields['caller']])).toEqual([
      ['GET', 'GET /profiles/v2/me', 200, 'admin'],
      ['GET', '(none)', 404, undefined],
      ['GET', 'GET /clients/v2', 401, undefined],
      ['GET', 'GET /clients/v2', 200, 'admin'],
    ]);
    const text = JSON.stringify(platform.log);
    for (const word of [secret, 'wrong-secret', ADMIN_PASSWORD, bearer.authorization.slice('Bearer '.length)]) {
      expect(text).not.toContain(word);
    }
  });
});
