// Requests that fail: what they suggest, with which code a response that breaks off ends, and what a daemon that does not
// run means for a request to its socket.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createStartingTransport } from '../../../src/client/starting-transport.ts';
import { createTransport, readBody } from '../../../src/client/transport.ts';
import { CliFailure } from '../../../src/failure.ts';

let server: Server;
let origin: string;
beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.url === '/lost') request.socket.destroy();
    if (request.url === '/half') response.writeHead(200, { 'content-length': '100' }).write('half');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe('a request', () => {
  it.each([
    ['that gets no answer', '/silent', true, /^actorctl status$/],
    ['that gets no answer', '/silent', false, /^check the network/],
    ['whose connection breaks', '/lost', true, /^actorctl status$/],
    ['whose connection breaks', '/lost', false, /^check the network/],
  ])('%s suggests what can help (%s, this machine: %s)', async (_, path, isLocal, hint) => {
    const transport = createTransport({ timeoutMs: 100, isLocal });
    await expect(transport(origin, { method: 'GET', path })).rejects.toMatchObject({
      code: 'NETWORK',
      extras: { hint: expect.stringMatching(hint) },
    });
  });
});

describe('a connection', () => {
  it.each([
    ['is used again soon after a response', 2_999, 1],
    ['that was idle for 3 s is not used again, because the service may close it at that moment', 3_001, 2],
  ])('%s', async (_, idleMs, connections) => {
    let made = 0;
    server.removeAllListeners('request').on('request', (_request, response) => response.end('here'));
    server.on('connection', () => {
      made += 1;
    });
    let now = 0;
    const transport = createTransport({ timeoutMs: 5_000, isLocal: true, now: () => now });
    for (const time of [0, idleMs]) {
      now = time;
      expect(String(await readBody(await transport(origin, { method: 'POST', path: '/' })))).toBe('here');
      // The agent gets the connection back in a later turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(made).toBe(connections);
  });
});

describe('a body that breaks off', () => {
  const half = async (signal?: AbortSignal) => {
    const transport = createTransport({ timeoutMs: 5_000, isLocal: true });
    return transport(origin, { method: 'GET', path: '/half', ...(signal && { signal }) });
  };

  it('is a cancelled request if the signal of the request fires', async () => {
    const cancel = new AbortController();
    const answer = await half(cancel.signal);
    answer.body.once('data', () => cancel.abort());
    await expect(readBody(answer)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('is a network error if the connection breaks', async () => {
    const answer = await half(new AbortController().signal);
    answer.body.once('data', () => server.closeAllConnections());
    await expect(readBody(answer)).rejects.toMatchObject({ code: 'NETWORK' });
  });
});

describe('a request to the socket of a daemon', () => {
  const request = { method: 'GET', path: '/actors/v2' };
  let socket: string;
  let started: number;
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'actorctl-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    socket = join(folder, 'i.sock');
    started = 0;
  });
  const transport = createTransport({ timeoutMs: 5_000, isLocal: true });
  const listen = async (status: number, headers: Readonly<Record<string, string>>): Promise<Server> => {
    const daemon = createServer((request, response) => {
      // Any other host costs 10 ms (ADR 28).
      expect(request.headers.host).toBe('127.0.0.1');
      response.writeHead(status, headers).end('{}');
    });
    await new Promise<void>((resolve) => daemon.listen(socket, resolve));
    onTestFinished(() => void daemon.close().closeAllConnections());
    return daemon;
  };
  const starting = (start: () => Promise<unknown>) =>
    createStartingTransport({
      transport,
      socket,
      start: () => {
        started += 1;
        return start();
      },
    });

  it('says that the daemon does not run, or that it is too old', async () => {
    const ask = () => transport({ socket }, request);
    await expect(ask()).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING', extras: { hint: 'actorctl up' } });
    const answers = { 'x-request-id': 'r' };
    const daemon = await listen(404, answers);
    expect((await ask()).status).toBe(404);
    daemon.close().closeAllConnections();
    await listen(404, {});
    await expect(ask()).rejects.toMatchObject({ code: 'DAEMON_VERSION', extras: { hint: 'actorctl daemon restart' } });
  });

  it('starts the daemon once, for all that ask at the same time', async () => {
    const ask = starting(() => listen(200, {}));
    const answers = await Promise.all([1, 2, 3].map(() => ask({ socket }, request)));
    expect([answers.map(({ status }) => status), started]).toEqual([[200, 200, 200], 1]);
  });

  it('does not restart a daemon that has gone away, and starts none for another address', async () => {
    const ask = starting(async () => undefined);
    await expect(ask({ socket: `${socket}.other` }, request)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
    await expect(ask('http://127.0.0.1:1', request)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
    const daemon = await listen(200, {});
    (await ask({ socket }, request)).body.resume();
    daemon.close().closeAllConnections();
    await expect(ask({ socket }, request)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
    expect(started).toBe(0);
  });

  it('fails as the start of the daemon does', async () => {
    const ask = starting(async () => {
      throw new CliFailure('PORT_IN_USE', 'the port is taken');
    });
    await expect(ask({ socket }, request)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });
});
