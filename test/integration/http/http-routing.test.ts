// Routing: paths, queries, methods and CORS.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN_PASSWORD,
  adminToken,
  basic,
  errorEnvelope,
  type Platform,
  startPlatform,
  statusOf,
} from '../../support/service/platform.ts';

let platform: Platform;
let bearer: { readonly authorization: string };
beforeAll(async () => {
  platform = await startPlatform();
  bearer = await adminToken(platform);
});
afterAll(() => platform.close());

describe('paths', () => {
  it.each(['/healthz', '/healthz/', '//healthz', '/healthz//', '///healthz///', '/healthz?x=//'])(
    '%s reaches the health route',
    async (path) => {
      expect((await platform.ask('GET', path)).status).toBe(200);
    },
  );

  it('an unknown path is 404 in the envelope', async () => {
    const answer = await platform.ask('GET', '/nope');
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject(errorEnvelope);
    expect(answer.headers['x-failure-code']).toBe('NOT_FOUND');
  });

  it.each(['/HEALTHZ', '/healthz/x', '/', '/actors/v3', '/.git/config', '/../../etc/passwd', '/%2e%2e/etc/passwd'])(
    'R111 %s is not found',
    async (path) => {
      expect((await platform.ask('GET', path, { headers: bearer })).status).toBe(404);
    },
  );

  it.each(['/actors/v2/a%2Fb', '/actors/v2/a%00b', '/actors/v2/a%0Ab', '/actors/v2/a%5Cb', '/actors/v2/__proto__'])(
    'R125 %s names no actor and is not found',
    async (path) => {
      expect((await platform.ask('GET', path, { headers: bearer })).status).toBe(404);
    },
  );

  it('R120 a broken percent-escape is 400, and 401 without a credential', async () => {
    expect((await platform.ask('GET', '/actors/v2/%zz')).status).toBe(401);
    const answer = await platform.ask('GET', '/actors/v2/%zz', { headers: bearer });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject(errorEnvelope);
  });
});

describe('a query', () => {
  const me = (query: string, headers: Readonly<Record<string, string>> = bearer) =>
    platform.ask('GET', `/profiles/v2/me?${query}`, { headers });

  it('is decoded or refused, never changed or truncated, and checked only after the credential', async () => {
    expect((await me('pretty=true&x=%F0%9F%98%80&y=a+b&=&&z')).status).toBe(200);
    const many = Array.from({ length: 1_001 }, (_, index) => `v${index}`).join('&');
    for (const query of ['pretty=%zz', 'x=%ff', '%c3=1', many]) {
      const answer = await me(query);
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.headers['x-failure-code']).toBe('VALIDATION');
      expect((await me(query, {})).status).toBe(401);
    }
  });
});

describe('methods', () => {
  it.each([
    ['PUT', '/healthz', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/clients/v2', 'POST, GET, HEAD, OPTIONS'],
    ['DELETE', '/clients/v2/', 'POST, GET, HEAD, OPTIONS'],
    ['GET', '/token', 'POST, OPTIONS'],
  ])('%s %s is refused with 405 and Allow: %s', async (method, path, allow) => {
    const answer = await platform.ask(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  it('R110 TRACE and unknown methods are refused with 405 and Allow', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'FOOBAR']) {
      const text = await platform.raw(
        `${method} /healthz HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nConnection: close\r\n\r\n`,
      );
      expect([method, statusOf(text)]).toEqual([method, 405]);
      expect(text).toMatch(/^Allow: /m);
    }
    const text = await platform.raw(`CONNECT evil:80 HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\n\r\n`);
    expect(statusOf(text)).toBe(405);
  });

  it('R120 every actor path is 401 without a credential, whether it exists or not and by any method', async () => {
    for (const [method, path] of [
      ['GET', '/actors/v2/none'],
      ['GET', '/actors/v2/none/nope'],
      ['PUT', '/actors/v2'],
      ['POST', '/actors/v2'],
      ['GET', '/actors'],
    ] as const) {
      expect([path, (await platform.ask(method, path)).status]).toEqual([path, 401]);
    }
    expect((await platform.ask('PUT', '/actors/v2', { headers: bearer })).status).toBe(405);
    expect((await platform.ask('GET', '/actors/v2/none/nope', { headers: bearer })).status).toBe(404);
    const malformed = { body: '{', headers: { 'content-type': 'application/json' } };
    expect((await platform.ask('POST', '/actors/v2', malformed)).status).toBe(401);
  });
});

describe('R107 CORS', () => {
  it('allows any origin on the API, never with credentials', async () => {
    const { headers } = await platform.ask('GET', '/profiles/v2/me', {
      headers: { ...bearer, origin: 'http://app.test' },
    });
    expect(headers['access-control-allow-origin']).toBe('http://app.test');
    expect(headers.vary).toBe('Origin');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const without = await platform.ask('GET', '/profiles/v2/me', { headers: bearer });
    expect(without.headers['access-control-allow-origin']).toBe('*');
  });

  it('applies to refusals too', async () => {
    const { headers } = await platform.ask('GET', '/actors/v2', { headers: { origin: 'http://app.test' } });
    expect(headers['access-control-allow-origin']).toBe('http://app.test');
  });

  it('accepts a preflight without a token, and does not allow private networks', async () => {
    const answer = await platform.ask('OPTIONS', '/actors/v2/any/messages', {
      headers: {
        origin: 'http://app.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
        'access-control-request-private-network': 'true',
      },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
    expect(answer.headers.allow).toBe('POST, GET, DELETE, HEAD, OPTIONS');
    expect(answer.headers['access-control-allow-methods']).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT');
    expect(answer.headers['access-control-allow-headers']).toBe('authorization, content-type');
    expect(answer.headers['access-control-allow-private-network']).toBeUndefined();
  });

  it('lists no methods if none was requested, and does not apply to users and health', async () => {
    const plain = await platform.ask('OPTIONS', '/actors/v2', { headers: { origin: 'http://app.test' } });
    expect(plain.headers['access-control-allow-methods']).toBeUndefined();
    for (const path of ['/users/v2', '/healthz', '/clients/v2', '/clients/v2/any/secret']) {
      const { headers } = await platform.ask('GET', path, { headers: { ...bearer, origin: 'http://app.test' } });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await platform.ask('OPTIONS', '/nope')).status).toBe(404);
  });

  it('R240 grants no preflight for clients, and a page of another site cannot guess passwords there', async () => {
    const preflight = await platform.ask('OPTIONS', '/clients/v2', {
      headers: {
        origin: 'http://app.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const begun = platform.log.length;
    for (const foreign of [
      { origin: 'http://app.test' },
      { origin: 'null' },
      // An image with a name and a password in its address sends no Origin.
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      for (const password of [ADMIN_PASSWORD, 'wrong']) {
        const headers = { authorization: basic('admin', password), ...foreign };
        expect((await platform.ask('GET', '/clients/v2', { headers })).status).toBe(platform.forbidden);
      }
    }
    const events = platform.log.slice(begun).map(({ fields }) => fields['event']);
    expect(events.filter((event) => event !== undefined)).toEqual([]);
    const own = { authorization: basic('admin', ADMIN_PASSWORD), origin: platform.baseUrl };
    expect((await platform.ask('GET', '/clients/v2', { headers: own })).status).toBe(200);
  });
});
