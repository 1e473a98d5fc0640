// One POST to receivers of every kind: its result, the addresses that it refuses, and its time limits. The file is long
// because it holds every kind of bad receiver.

import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PosterSettings } from '../../../daemon/delivery/webhook-poster.ts';
import { createPoster } from '../../../daemon/delivery/webhook-poster.ts';
import { RESPONSE_READ } from '../../../daemon/domain/events/response-text.ts';
import type { Post, Poster } from '../../../daemon/ports/poster.ts';
import { type Receiver, startReceiver } from '../../support/crash/receiver.ts';

const quick = { connectMs: 300, totalMs: 300 };

let receiver: Receiver;
const posters: Poster[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const poster of posters.splice(0)) poster.close();
  await receiver.close();
});

const poster = (settings: Partial<PosterSettings> = {}): Poster => {
  const made = createPoster({ userAgent: 'actorctl/test', allowPrivate: true, ...settings });
  posters.push(made);
  return made;
};
const post = (url: string): Post => ({ url, body: '{"a":"ä"}', headers: { 'x-event-number': '7' } });
const send = (url: string, settings: Partial<PosterSettings> = {}) => poster(settings).post(post(url));

/** Starts a TCP server that `serve` handles. */
const listenBare = async (serve: Parameters<typeof createServer>[1]): Promise<{ server: Server; url: string }> => {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/` };
};

describe('a post', () => {
  it('R135 is one POST of JSON with a user agent, without credentials, and ignores proxy variables', async () => {
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    try {
      expect(await send(`${receiver.url}/a?b=%20c`)).toEqual({ kind: 'answered', status: 200 });
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
    expect(receiver.received).toHaveLength(1);
    const [{ method, path, body, headers }] = receiver.received as [Receiver['received'][number]];
    expect({ method, path, body }).toEqual({ method: 'POST', path: '/hook/a?b=%20c', body: '{"a":"ä"}' });
    expect(headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': '10',
      accept: '*/*',
      'user-agent': 'actorctl/test',
      'x-event-number': '7',
    });
  });

  it('R135 is not repeated after an error status', async () => {
    receiver.answer = (response) => response.writeHead(500).end('no');
    expect(await send(receiver.url)).toMatchObject({ kind: 'answered', status: 500, body: { isCut: false } });
    expect(receiver.received).toHaveLength(1);
  });

  it('R135 does not follow a redirect, not even to the metadata address', async () => {
    const second = await startReceiver();
    for (const location of ['http://169.254.169.254/latest/meta-data/', second.url]) {
      receiver.answer = (response) => response.writeHead(307, { location }).end();
      expect(await send(receiver.url)).toEqual({ kind: 'answered', status: 307, location });
    }
    expect(second.connections()).toBe(0);
    await second.close();
  });

  it('R135 to a receiver that never responds ends at a time limit', async () => {
    receiver.answer = () => undefined;
    expect(await send(receiver.url, quick)).toEqual({ kind: 'failed', why: 'no response within 0.3 s' });
    expect(receiver.received).toHaveLength(1);
  });

  it('R135 to a host that does not accept the connection ends at a time limit', async () => {
    const slow = { ...quick, totalMs: 60_000, resolve: () => new Promise<never>(() => undefined) };
    expect(await send('http://slow.example/', slow)).toEqual({
      kind: 'failed',
      why: 'no connection within 0.3 s',
    });
  });

  it('R135 to a TLS listener without a handshake ends at a time limit', async () => {
    const { server, url } = await listenBare(() => undefined);
    expect(await send(url.replace('http:', 'https:'), { ...quick, totalMs: 60_000 })).toEqual({
      kind: 'failed',
      why: 'no connection within 0.3 s',
    });
    server.close();
  });

  it('R135 disconnects after 64 KB of an endless response, and uses its status', async () => {
    let written = 0;
    const piece = Buffer.alloc(64 * 1024);
    const hungUp = new Promise<void>((resolve) => {
      receiver.answer = (response) => {
        response.once('close', resolve);
        const more = (): void => {
          while (!response.destroyed && written < 1_000_000_000) {
            written += piece.length;
            if (!response.write(piece)) return void response.once('drain', more);
          }
        };
        more();
      };
    });
    const attempt = await send(receiver.url);
    expect(attempt).toMatchObject({ kind: 'answered', status: 200, body: { isCut: true } });
    expect('body' in attempt ? attempt.body?.bytes.length : 0).toBe(RESPONSE_READ);
    await hungUp;
    expect(written).toBeLessThan(100_000_000);
  });

  it('R135 to a receiver whose response never ends stops at the deadline, and uses its status', async () => {
    receiver.answer = (response) => response.writeHead(202).write('begun');
    expect(await send(receiver.url, quick)).toMatchObject({ kind: 'answered', status: 202, body: { isCut: true } });
  });

  it.each([
    ['disconnects at once', (close: () => void) => close(), /^the receiver closed the connection without a response$/],
    ['does not speak HTTP', (_: () => void, say: (text: string) => void) => say('SSH-2.0-x\r\n'), /is not HTTP/],
    [
      'switches the protocol',
      (_: () => void, say: (text: string) => void) =>
        say('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      /^the receiver closed the connection without a response$/,
    ],
    [
      'sends endless headers',
      (_: () => void, say: (text: string) => void) => say(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}`),
      /is not HTTP/,
    ],
  ])('to a receiver that %s fails with an explanation', async (_, act, why) => {
    const { server, url } = await listenBare((socket) => {
      socket.on('error', () => undefined);
      act(
        () => socket.destroy(),
        (text) => socket.write(text),
      );
    });
    expect(await send(url, { totalMs: 2_000 })).toEqual({ kind: 'failed', why: expect.stringMatching(why) });
    server.close();
  });

  it('to a closed port fails with an explanation, even by a name with two addresses', async () => {
    const { port } = receiver;
    await receiver.close();
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(await send(`http://${host}:${port}/`)).toEqual({
        kind: 'failed',
        why: 'no program listens there (connection refused)',
      });
    }
  });

  it('is aborted when the daemon stops', async () => {
    const one = poster();
    receiver.answer = () => one.cut();
    expect(await one.post(post(receiver.url))).toMatchObject({ kind: 'cut' });
    expect(await one.post(post(receiver.url))).toMatchObject({ kind: 'cut' });
    expect(receiver.received).toHaveLength(1);
  });

  it('reuses the connection of the previous post while it is open', async () => {
    const one = poster();
    const post = { url: receiver.url, body: '{}', headers: {} };
    for (let sent = 0; sent < 20; sent += 1) {
      if (sent === 10) receiver.answer = (response) => response.setHeader('connection', 'close').end();
      expect(await one.post(post)).toEqual({ kind: 'answered', status: 200 });
    }
    expect(receiver.connections()).toBe(10);
  });
});

describe('the address of a post', () => {
  it.each([
    '169.254.169.254',
    '0.0.0.0',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::',
    '224.0.0.1',
    '100.100.100.200',
  ])('R134 is never %s, even if a name resolves to it', async (address) => {
    const sent = await send(`http://rebound.example:${receiver.port}/`, { resolve: async () => [address] });
    expect(sent).toEqual({ kind: 'failed', why: expect.stringMatching(/webhooks may not go there$/) });
    expect(receiver.connections()).toBe(0);
  });

  it.each([
    'http://169.254.169.254/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://2852039166/',
    'ftp://127.0.0.1/',
    'http://u:p@127.0.0.1/',
    'no url',
  ])('R134 is never %s, even if a record holds it', async (url) => {
    expect(await send(url)).toEqual({ kind: 'failed', why: expect.stringMatching(/^webhook /) });
  });

  it('R134 is the result of a single lookup, without a second lookup by the connection', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const resolve = async () => answers[Math.min(asked++, 1)] ?? [];
    const one = poster({ resolve, keepMs: 1 });
    const post = { url: `http://rebound.example:${receiver.port}/`, body: '{}', headers: {} };
    receiver.answer = (response) => response.setHeader('connection', 'close').end();
    expect(await one.post(post)).toEqual({ kind: 'answered', status: 200 });
    expect(asked).toBe(1);
    expect(await one.post(post)).toMatchObject({ kind: 'failed' });
    expect(receiver.received).toHaveLength(1);
  });

  it('R134 is an allowed one if a name has several', async () => {
    const resolve = async () => ['fe80::1', '127.0.0.1', '169.254.169.254'];
    expect(await send(`http://both.example:${receiver.port}/`, { resolve })).toEqual({ kind: 'answered', status: 200 });
  });

  it('is missing if the name has none, and the post fails', async () => {
    expect(await send('http://none.example/', { resolve: async () => [] })).toEqual({
      kind: 'failed',
      why: 'the name has no address',
    });
    expect(await send('http://nobody.invalid/')).toMatchObject({
      kind: 'failed',
      why: expect.stringMatching(/name/),
    });
  });

  it('C21 is not private if private addresses are forbidden, in the URL or by a name', async () => {
    const denied = { allowPrivate: false };
    for (const host of [
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
      '10.0.0.1',
      '192.168.1.1',
      '[fd12::1]',
    ]) {
      expect(await send(`http://${host}:${receiver.port}/`, denied)).toEqual({
        kind: 'failed',
        why: expect.stringMatching(/ACTORCTL_WEBHOOK_PRIVATE/),
      });
    }
    const resolve = async () => ['172.16.3.4'];
    expect(await send('http://inside.example/', { ...denied, resolve })).toMatchObject({ kind: 'failed' });
    expect(receiver.connections()).toBe(0);
  });
});
