// What every answer holds: the envelope, the headers, failures and faults of ours, and the line in the log.
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
  it('R121 wears the four keys on success, and 200', async () => {
    const answer = await platform.ask('GET', '/profiles/v2/me', { headers: bearer });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json ?? {}).sort()).toEqual(['message', 'result', 'status', 'version']);
    expect(answer.json).toMatchObject({ status: 'success', version: '1.9.1' });
  });

  it('R83 is never stored, carries no X-Powered-By and no ETag', async () => {
    const { headers } = await platform.ask('GET', '/profiles/v2/me', { headers: bearer });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['etag']).toBeUndefined();
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9]+-[a-z0-9]+$/);
  });

  it('is indented with pretty=true and left away with naked=true', async () => {
    const pretty = await platform.ask('GET', '/profiles/v2/me?pretty=true', { headers: bearer });
    expect(pretty.text).toContain('\n  "message"');
    const naked = await platform.ask('GET', '/profiles/v2/me?naked=true', { headers: bearer });
    expect(member(naked, 'username')).toBe('admin');
    expect((await platform.ask('GET', '/healthz?pretty=true')).text).toContain('\n  "status"');
  });

  it('says nothing about health but status, version and instance', async () => {
    expect((await platform.ask('GET', '/healthz')).json).toEqual({ status: 'ok', version: VERSION, instance: 'test' });
  });

  it('is the same without a body for HEAD', async () => {
    const answer = await platform.ask('HEAD', '/healthz');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(0);
  });
});

describe('R115 a fault of ours', () => {
  it('is told by its number only, and logged with its stack', async () => {
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
  it('of the store is 503 and says that nothing was changed', async () => {
    const answer = await platform.ask('POST', '/actors/v2', { json: { image: 'full' }, headers: bearer });
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([503, 'STORE_UNAVAILABLE']);
    expect(answer.json).toMatchObject({ ...errorEnvelope, message: 'The disk is full. Nothing was changed.' });
  });

  it('that has no status is a fault of ours', async () => {
    const answer = await platform.ask('POST', '/actors/v2', { json: { image: 'x' }, headers: bearer });
    expect([answer.status, answer.headers['x-failure-code']]).toEqual([500, 'INTERNAL']);
  });
});

describe('R156 the log of requests', () => {
  it('has one line each with route, status and caller, and no secret or query', async () => {
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
