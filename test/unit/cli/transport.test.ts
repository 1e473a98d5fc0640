// Requests that fail: what they suggest, and with which code a response that breaks off ends.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTransport, readBody } from '../../../src/client/transport.ts';

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
