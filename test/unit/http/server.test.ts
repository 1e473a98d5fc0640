// The server: input that is no request, connections that the client closes, draining and closing.
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { as, type BareApp, parseAnswer, startBareApp } from '../../support/service/bare-app.ts';

let server: BareApp;
const seen = new EventEmitter();
beforeEach(async () => {
  server = await startBareApp({
    limits: { parameters: 2 },
    handlers: {
      // Responds when the test emits `go`, or fails with the reason of its signal.
      'actors.list': async ({ signal }) => {
        seen.emit('begin');
        await new Promise((resolve, reject) => {
          seen.once('go', resolve);
          signal().addEventListener('abort', () => reject(signal().reason));
        });
        return { result: [], message: '' } as never;
      },
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  return server.close();
});

const head = (first: string) => `${first} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`;
const begun = () => new Promise((resolve) => seen.once('begin', resolve));

/** A connection whose client the test plays. */
const fakeSocket = () => {
  const written: string[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
    autoDestroy: false,
  });
  return { socket, written };
};

const METHODS = 'Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n';
const CLOSING = 'Connection: close\r\nContent-Length: 0\r\n\r\n';

describe('input that is no request', () => {
  const refuse = (code?: string) => {
    const made = fakeSocket();
    server.app.server.emit('clientError', Object.assign(new Error('x'), { code }), made.socket);
    return made;
  };

  it.each([
    ['HPE_HEADER_OVERFLOW', `431 Request Header Fields Too Large\r\n${CLOSING}`],
    ['ERR_HTTP_REQUEST_TIMEOUT', `408 Request Timeout\r\n${CLOSING}`],
    ['HPE_INVALID_METHOD', `405 Method Not Allowed\r\n${METHODS}${CLOSING}`],
    ['HPE_INVALID_TOKEN', `400 Bad Request\r\n${CLOSING}`],
    [undefined, `400 Bad Request\r\n${CLOSING}`],
  ])('%s is answered on the connection', (code, text) => {
    const { socket, written } = refuse(code);
    expect(written).toEqual([`HTTP/1.1 ${text}`]);
    expect([socket.writableEnded, socket.destroyed, socket.readableFlowing]).toEqual([true, false, true]);
    socket.destroy();
  });

  it('of a connection that is reset or ended gets no response', () => {
    const { socket, written } = refuse('ECONNRESET');
    expect([socket.destroyed, written]).toEqual([true, []]);
    const ended = fakeSocket();
    ended.socket.end();
    server.app.server.emit('clientError', new Error('x'), ended.socket);
    expect([ended.socket.destroyed, ended.written]).toEqual([true, []]);
  });

  it('is discarded for a second, and then the client is cut off', async () => {
    vi.useFakeTimers();
    const { socket } = refuse();
    vi.advanceTimersByTime(999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
    const gone = refuse().socket;
    expect(vi.getTimerCount()).toBe(1);
    gone.emit('close');
    expect(vi.getTimerCount()).toBe(0);
    const reset = refuse().socket;
    reset.emit('error', new Error('reset'));
    expect(reset.destroyed).toBe(true);
  });

  it('a request for a tunnel is refused', () => {
    const { socket, written } = fakeSocket();
    server.app.server.emit('connect', {} as never, socket, Buffer.alloc(0));
    expect(written).toEqual([`HTTP/1.1 405 Method Not Allowed\r\n${METHODS}${CLOSING}`]);
    socket.destroy();
  });

  it('after a request that waits closes the connection after the response', async () => {
    const begins = begun();
    const answers = server.raw(`${head('GET /actors/v2')}${as('ana')[0]}\r\n\r\nGARBAGE\r\n\r\n`);
    await begins;
    seen.emit('go');
    const text = await answers;
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(parseAnswer(text)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  });

  it('after an answered request is refused', async () => {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (data) => {
      text += data;
    });
    socket.write(`${head('GET /healthz')}\r\n`);
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 200 .*\{\}$/s);
    socket.write('GARBAGE\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 405']);
  });

  it('in the middle of a response ends the connection without another response', async () => {
    const inner = await startBareApp({
      handlers: {
        'actors.list': async ({ response }) => {
          response.writeHead(200, { 'Content-Length': 10 }).write('12345');
          return new Promise(() => undefined);
        },
      },
    });
    const socket = connect(inner.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (data) => {
      if (text === '') socket.write('GARBAGE\r\n\r\n');
      text += data;
    });
    socket.write(`GET /actors/v2 HTTP/1.1\r\nHost: 127.0.0.1:${inner.port}\r\n${as('ana')[0]}\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    await inner.close();
    expect(text).toMatch(/^HTTP\/1\.1 200 .*12345$/s);
  });
});

describe('a client', () => {
  it('has limited time for its request, but not for the response', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server.app.server;
    expect([headersTimeout, requestTimeout, keepAliveTimeout, timeout]).toEqual([10_000, 30_000, 5_000, 0]);
  });

  it('that half-closes after its request gets the response', async () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const begins = begun();
    const halfClosed = new Promise((resolve) =>
      server.app.server.once('connection', (accepted) => accepted.once('end', resolve)),
    );
    socket.end(`${head('GET /actors/v2')}${as('ana')[0]}\r\n\r\n`);
    await Promise.all([begins, halfClosed]);
    const received = (async () => {
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text;
    })();
    seen.emit('go');
    expect(await received).toContain('HTTP/1.1 200 OK');
  });

  it('that waits before it sends its body gets 100 Continue', async () => {
    const length = 2;
    const text = await server.raw(
      `${head('POST /clients/v2')}${as('ana')[0]}\r\nConnection: close\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400/);
    const refused = await server.raw(
      `${head('POST /clients/v2')}Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`,
    );
    expect(refused).toMatch(/^HTTP\/1\.1 401/);
  });
});

describe('every response', () => {
  it('omits the name of the framework', async () => {
    expect((await server.ask('GET', '/healthz')).headers).not.toHaveProperty('x-powered-by');
  });

  it('uses case-sensitive paths, and a limited number of parameters', async () => {
    expect((await server.ask('GET', '/HEALTHZ')).status).toBe(404);
    expect((await server.ask('GET', '/healthz?a=1&b=2')).status).toBe(200);
    expect((await server.ask('GET', '/healthz?')).status).toBe(200);
    const many = await server.ask('GET', '/healthz?a=1&b=2&c=3');
    expect([many.status, many.headers['x-failure-code']]).toEqual([400, 'VALIDATION']);
  });
});

describe('draining', () => {
  it('ends pending requests, refuses new ones and resolves when none is left', async () => {
    const pending: (() => void)[] = [];
    const inner = await startBareApp({
      handlers: {
        'actors.list': ({ signal }) =>
          new Promise((_, reject) => {
            signal().addEventListener('abort', () => pending.push(() => reject(signal().reason)));
            seen.emit('begin');
          }),
      },
    });
    const waiting: ReturnType<typeof inner.ask>[] = [];
    for (let count = 0; count < 2; count += 1) {
      const begins = begun();
      waiting.push(inner.ask('GET', '/actors/v2', as('ana')));
      await begins;
    }
    let isDrained = false;
    const drained = inner.app.drain().then(() => {
      isDrained = true;
    });
    for (const [index, end] of pending.entries()) {
      end();
      const answer = await waiting[index];
      expect([answer?.status, answer?.headers['retry-after']]).toEqual([503, '1']);
      expect(answer?.json()).toMatchObject({ message: 'The daemon is stopping. Try again after it has started.' });
      await expect.poll(() => inner.log).toHaveLength(index + 1);
      expect(isDrained).toBe(index === 1);
    }
    await drained;
    await inner.app.drain();
    const late = await inner.ask('GET', '/healthz');
    expect([late.status, late.headers['x-failure-code']]).toEqual([503, 'SHUTTING_DOWN']);
    await inner.close();
  });

  it('of a server without requests resolves at once, and closing ends open connections', async () => {
    const inner = await startBareApp();
    await inner.ask('GET', '/healthz');
    await expect.poll(() => inner.log.at(-1)?.message).toBe('request');
    await inner.app.drain();
    const socket = connect(inner.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await inner.close();
    await closed;
    expect(inner.app.server.listening).toBe(false);
  });
});
