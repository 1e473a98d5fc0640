// What a failed request suggests, for the daemon of this machine and for a service on another one.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTransport } from '../../../src/client/transport.ts';

let server: Server;
let origin: string;
beforeEach(async () => {
  server = createServer((request) => {
    if (request.url === '/lost') request.socket.destroy();
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
