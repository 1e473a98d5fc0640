// The https server of a listener. It also responds to clients that speak plain HTTP, with an explanation.
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';

/** A certificate with its chain, and its private key, both PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** First byte of a TLS handshake. @see RFC 8446 5.1 */
const HANDSHAKE = 0x16;

const settingsOf = ({ cert, key }: TlsIdentity) => ({ cert, key, minVersion: 'TLSv1.2' }) as const;

/**
 * Creates the server. Closes a connection whose handshake takes longer than `options.handshakeTimeout` (ms). `refuse`
 * responds on a connection whose first byte is not that of TLS.
 * @see docs/conformance/security.md R182
 */
export const createTlsServer = (
  options: ServerOptions & { readonly handshakeTimeout: number },
  identity: TlsIdentity,
  { onRequest, refuse }: { readonly onRequest: RequestListener; readonly refuse: (socket: Socket) => void },
) => {
  const server = createServer({ ...options, ...settingsOf(identity) }, onRequest);
  const beginTls = server.listeners('connection');
  server.removeAllListeners('connection');
  /** All connections, including those without a completed handshake, which the server does not know. */
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    const giveUp = () => socket.destroy();
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', giveUp).setTimeout(options.handshakeTimeout, giveUp);
    socket.once('data', (first: Buffer) => {
      socket.setTimeout(0).off('timeout', giveUp);
      if (first[0] !== HANDSHAKE) {
        refuse(socket);
        return;
      }
      socket.pause();
      socket.unshift(first);
      for (const begin of beginTls) Reflect.apply(begin, server, [socket]);
      process.nextTick(() => socket.resume());
    });
  });
  return {
    server,
    renew: (next: TlsIdentity) => server.setSecureContext(settingsOf(next)),
    destroyConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};
