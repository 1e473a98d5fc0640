// Bodies that are too large, that wait for 100 Continue, or that never end are refused without being read.
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminPosts } from '../../support/service/admin-posts.ts';
import { adminToken, type Platform, startPlatform, statusOf } from '../../support/service/platform.ts';

let platform: Platform;
let bearer: { readonly authorization: string };
beforeAll(async () => {
  platform = await startPlatform();
  bearer = await adminToken(platform);
});
afterAll(() => platform.close());

const { client, clientName } = adminPosts(() => ({ platform, bearer }));

describe('R112 a body over the limit', () => {
  it('is refused with 413 before it is read if its length is declared', async () => {
    const text = await platform.raw(
      `POST /clients/v2 HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nAuthorization: ${bearer.authorization}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 104857600\r\n\r\n',
    );
    expect(statusOf(text)).toBe(413);
    expect(text).toMatch(/^Connection: close/m);
  });

  it('is refused with 413 during the transfer if its length is not declared, at constant memory', async () => {
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const endless = Readable.from(
      (function* () {
        for (let sent = 0; sent < 100 * 1024 * 1024; sent += chunk.length) yield chunk;
      })(),
    );
    const before = process.memoryUsage().arrayBuffers;
    const answer = await client({ body: endless, headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(413);
    expect(answer.headers.connection).toBe('close');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });

  it('of 100 MB that is sent without waiting still gets its response', async () => {
    const answer = await client({
      body: Buffer.alloc(100 * 1024 * 1024, 0x20),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(413);
    expect(answer.headers['x-failure-code']).toBe('PAYLOAD_TOO_LARGE');
  });

  it('is refused without "100 Continue" if the client waits for it', async () => {
    const head = (length: number) =>
      `POST /clients/v2 HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nAuthorization: ${bearer.authorization}\r\n` +
      `Content-Type: application/json\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
    expect(statusOf(await platform.raw(head(104_857_600)))).toBe(413);
    const body = JSON.stringify({ clientName: clientName() });
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(platform.port, '127.0.0.1', () => socket.write(head(body.length)));
      socket.on('data', (data) => {
        received += data.toString();
        if (received === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
    });
    expect(text).toContain('HTTP/1.1 200 OK');
  });

  it('is not read if the caller has no token', async () => {
    const answer = await platform.ask('POST', '/clients/v2', { body: Buffer.alloc(20 * 1024 * 1024) });
    expect(answer.status).toBe(401);
    expect(answer.headers.connection).toBe('close');
  });

  it('keeps the connection open if the unread rest is small', async () => {
    const head = `Host: 127.0.0.1:${platform.port}\r\n`;
    const text = await platform.raw(
      `POST /actors/v2 HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}GET /healthz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 (401|200)/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
});

it('a client that disconnects in the middle of its body causes no error', async () => {
  await new Promise<void>((resolve) => {
    const socket = connect(platform.port, '127.0.0.1', () => {
      socket.write(
        `POST /clients/v2 HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nAuthorization: ${bearer.authorization}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"client',
      );
      setTimeout(() => socket.destroy(), 20);
    });
    socket.on('close', () => resolve());
  });
  expect((await platform.ask('GET', '/healthz')).status).toBe(200);
  expect(platform.log.filter(({ level }) => level === 'error')).toEqual([]);
});
