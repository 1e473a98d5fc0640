// The first checks of a request: allowed hosts, parser errors and time limits.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN_PASSWORD,
  adminToken,
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

describe('host names', () => {
  const hosts = (port: number) => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`];

  it('R105 of the loopback interface with the port of the daemon are accepted', async () => {
    for (const host of hosts(platform.port)) {
      expect((await platform.ask('GET', '/healthz', { headers: { host } })).status).toBe(200);
    }
  });

  it('R105 of any other kind are refused with 421, before routing and authentication', async () => {
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

  it('R105 that are repeated, missing, or different in the request target are refused', async () => {
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

  it('R118 are not read from forwarded headers', async () => {
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

  it('bytes after a request, once its response is sent', async () => {
    const credentials = Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64');
    const text = await platform.raw(
      `GET /clients/v2 HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nAuthorization: Basic ${credentials}\r\n\r\nGARBAGE\r\n\r\n`,
    );
    expect(statusOf(text)).toBe(200);
    expect(text).toMatch(/^Connection: close/m);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('R109 headers beyond 16 kB', async () => {
    const text = await platform.raw(
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(statusOf(text)).toBe(431);
  });
});

it('R109 the time limits are stricter than the defaults of Node.js', () => {
  const { server } = platform.app;
  expect(server.headersTimeout).toBeLessThanOrEqual(10_000);
  expect(server.requestTimeout).toBeLessThanOrEqual(30_000);
  expect(server.keepAliveTimeout).toBeLessThanOrEqual(5_000);
});

describe('a connection whose input is refused', () => {
  const host = () => `Host: 127.0.0.1:${platform.port}\r\n\r\n`;

  /** Sends bytes and waits for the response. Resolves with both ends of the connection. */
  const refused = async (bytes: string) => {
    const accepted = new Promise<Socket>((resolve) => platform.app.server.once('connection', resolve));
    const client = connect({ port: platform.port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    client.write(bytes);
    const server = await accepted;
    // Not `once` of node:events, because it would handle errors of the socket.
    const closed = new Promise<void>((resolve) => server.on('close', () => resolve()));
    const [text] = await new Promise<readonly [string]>((resolve) =>
      client.once('data', (data) => resolve([String(data)])),
    );
    return { client, closed, status: statusOf(text) };
  };

  it.each([
    ['CONNECT', () => `CONNECT a:1 HTTP/1.1\r\n${host()}`, 405],
    ['an unknown method', () => `NOSUCH / HTTP/1.1\r\n${host()}`, 405],
    ['no HTTP', () => '\x16\x03\x01\r\n\r\n', 405],
  ])('R109 with %s ends, even if the client keeps it open or resets it', async (_, bytes, expected) => {
    const kept = await refused(bytes());
    const reset = await refused(bytes());
    reset.client.resetAndDestroy();
    await Promise.all([kept.closed, reset.closed]);
    kept.client.destroy();
    expect([kept.status, reset.status]).toEqual([expected, expected]);
    expect((await platform.ask('GET', '/healthz')).status).toBe(200);
  });
});
