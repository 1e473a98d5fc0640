// The gate and the routes: hosts, paths, methods, envelopes, errors, CORS.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN_PASSWORD,
  adminToken,
  basic,
  member,
  type Platform,
  startPlatform,
  statusOf,
} from '../support/platform.ts';

let platform: Platform;
let bearer: { readonly authorization: string };
beforeAll(async () => {
  platform = await startPlatform({
    handlers: {
      'actors.list': () => {
        throw new TypeError('a fault with a secret in it');
      },
    },
  });
  bearer = await adminToken(platform);
});
afterAll(() => platform.close());

const errorEnvelope = { result: null, status: 'error', version: '1.9.1' };

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
    expect((await platform.ask('GET', '/healthz')).json).toEqual({ status: 'ok', version: '1.2.3', instance: 'test' });
  });

  it('is the same without a body for HEAD', async () => {
    const answer = await platform.ask('HEAD', '/healthz');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(0);
  });
});

describe('paths', () => {
  it.each(['/healthz', '/healthz/', '//healthz', '/healthz//', '///healthz///', '/healthz?x=//'])(
    '%s is the health route',
    async (path) => {
      expect((await platform.ask('GET', path)).status).toBe(200);
    },
  );

  it('an unknown one is 404 in the envelope', async () => {
    const answer = await platform.ask('GET', '/nope');
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject(errorEnvelope);
    expect(answer.headers['x-failure-code']).toBe('NOT_FOUND');
  });

  it.each(['/HEALTHZ', '/healthz/x', '/', '/actors/v3', '/.git/config', '/../../etc/passwd', '/%2e%2e/etc/passwd'])(
    'R111 %s is nothing',
    async (path) => {
      expect((await platform.ask('GET', path, { headers: bearer })).status).toBe(404);
    },
  );

  it.each(['/actors/v2/a%2Fb', '/actors/v2/a%00b', '/actors/v2/a%0Ab', '/actors/v2/a%5Cb', '/actors/v2/__proto__'])(
    'R125 %s is no actor',
    async (path) => {
      expect((await platform.ask('GET', path, { headers: bearer })).status).toBe(404);
    },
  );

  it('a broken percent-escape is 400', async () => {
    const answer = await platform.ask('GET', '/actors/v2/%zz', { headers: bearer });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject(errorEnvelope);
  });
});

describe('methods', () => {
  it.each([
    ['PUT', '/healthz', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/clients/v2', 'POST, GET, HEAD, OPTIONS'],
    ['DELETE', '/clients/v2/', 'POST, GET, HEAD, OPTIONS'],
    ['GET', '/token', 'POST, OPTIONS'],
  ])('%s %s is 405 and names %s', async (method, path, allow) => {
    const answer = await platform.ask(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  it('R110 TRACE and methods that nobody knows are 405 with Allow', async () => {
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

  it('R120 an actor path asks for a credential first, whether it exists or not and whatever the method', async () => {
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

describe('hosts', () => {
  const hosts = (port: number) => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`];

  it('R105 the loopback names with our port are answered', async () => {
    for (const host of hosts(platform.port)) {
      expect((await platform.ask('GET', '/healthz', { headers: { host } })).status).toBe(200);
    }
  });

  it('R105 any other is 421, before routing and before authentication', async () => {
    const { port } = platform;
    for (const host of [
      'evil.example',
      'localhost',
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `localhost.:${port}`,
      `127.1:${port}`,
      `127.0.0.1:${port}.evil.example`,
      `a@127.0.0.1:${port}`,
    ]) {
      for (const path of ['/healthz', '/nope', '/actors/v2']) {
        const answer = await platform.ask('GET', path, { headers: { host } });
        expect([host, answer.status]).toEqual([host, 421]);
        expect(answer.json).toMatchObject(errorEnvelope);
      }
    }
  });

  it('R105 two Host headers, none, or another authority in the target are refused', async () => {
    const host = `Host: 127.0.0.1:${platform.port}\r\n`;
    const end = 'Connection: close\r\n\r\n';
    expect(statusOf(await platform.raw(`GET /healthz HTTP/1.1\r\n${host}Host: evil\r\n${end}`))).toBeGreaterThanOrEqual(
      400,
    );
    expect(statusOf(await platform.raw(`GET /healthz HTTP/1.1\r\n${host}${host}${end}`))).toBeGreaterThanOrEqual(400);
    expect(statusOf(await platform.raw(`GET /healthz HTTP/1.1\r\n${end}`))).toBe(400);
    expect(statusOf(await platform.raw(`GET /healthz HTTP/1.0\r\n\r\n`))).toBe(421);
    expect(statusOf(await platform.raw(`GET http://evil/healthz HTTP/1.1\r\n${host}${end}`))).toBe(421);
    const absolute = `GET http://127.0.0.1:${platform.port}/healthz HTTP/1.1\r\n${host}${end}`;
    expect(statusOf(await platform.raw(absolute))).toBe(200);
  });

  it('R118 forwarded headers change nothing', async () => {
    const headers = {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'evil',
      'x-real-ip': '::1',
      forwarded: 'for=1',
    };
    expect((await platform.ask('GET', '/profiles/v2/me', { headers })).status).toBe(401);
    const answer = await platform.ask('GET', '/profiles/v2/me', { headers: { ...bearer, ...headers } });
    expect(answer.text).not.toContain('evil');
  });
});

describe('R108 the parser refuses', () => {
  const cases: readonly [string, string][] = [
    ['Content-Length and Transfer-Encoding', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde'],
    ['a bad chunk size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n'],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
    ['a folded header', 'X-A: b\r\n  c\r\nContent-Length: 0\r\n\r\n'],
    ['a bare CR', 'X-A: b\rX-B: c\r\nContent-Length: 0\r\n\r\n'],
    ['a space before the colon', 'X-A : b\r\nContent-Length: 0\r\n\r\n'],
    ['a NUL in a header', 'X-A: b\0c\r\nContent-Length: 0\r\n\r\n'],
  ];
  it.each(cases)('%s', async (_, rest) => {
    const text = await platform.raw(`POST /token HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\n${rest}`);
    expect(statusOf(text)).toBe(400);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('R109 headers beyond 16 kB', async () => {
    const text = await platform.raw(
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(statusOf(text)).toBe(431);
  });
});

it('R109 the time limits are ours, not those of Node', () => {
  const { server } = platform.app;
  expect(server.headersTimeout).toBeLessThanOrEqual(10_000);
  expect(server.requestTimeout).toBeLessThanOrEqual(30_000);
  expect(server.keepAliveTimeout).toBeLessThanOrEqual(5_000);
  expect(server.maxConnections).toBeGreaterThan(0);
});

describe('R107 CORS', () => {
  it('answers any origin on the API, never with credentials', async () => {
    const { headers } = await platform.ask('GET', '/profiles/v2/me', {
      headers: { ...bearer, origin: 'http://app.test' },
    });
    expect(headers['access-control-allow-origin']).toBe('http://app.test');
    expect(headers.vary).toBe('Origin');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const without = await platform.ask('GET', '/profiles/v2/me', { headers: bearer });
    expect(without.headers['access-control-allow-origin']).toBe('*');
  });

  it('is there on refusals too', async () => {
    const { headers } = await platform.ask('GET', '/actors/v2', { headers: { origin: 'http://app.test' } });
    expect(headers['access-control-allow-origin']).toBe('http://app.test');
  });

  it('answers a preflight without a token, and no private network', async () => {
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

  it('names no methods when none was asked for, and is silent about users and health', async () => {
    const plain = await platform.ask('OPTIONS', '/actors/v2', { headers: { origin: 'http://app.test' } });
    expect(plain.headers['access-control-allow-methods']).toBeUndefined();
    for (const path of ['/users/v2', '/healthz']) {
      const { headers } = await platform.ask('GET', path, { headers: { ...bearer, origin: 'http://app.test' } });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await platform.ask('OPTIONS', '/nope')).status).toBe(404);
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
