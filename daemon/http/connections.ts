// Bounds the connections of a listener. When it is full, idle connections make room for new ones.
// @see docs/conformance/security.md R242
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';

/** Maximum number of connections beyond the limit. Each one gets a 503 response and is then closed. */
const MOST_EXTRA = 64;

interface Connection {
  readonly socket: Socket;
  /** Number of requests without a complete response. */
  pending: number;
  /** True if this connection exceeds the limit and no idle connection could be closed for it. Its request gets 503. */
  readonly isExtra: boolean;
}

/** A key that is the same for a connection and for the TLS socket in it. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/**
 * Limits the connections of `server`. A connection beyond `most` closes the one that has been without a pending request
 * for the longest time. If every connection has a pending request, the new connection is marked as extra.
 * @returns whether a request came over an extra connection
 */
export const limitConnections = (
  server: Server | SecureServer,
  most: number,
): ((request: IncomingMessage) => boolean) => {
  const connections = new Map<string, Connection>();
  /** Connections without a pending request, ordered by when they became idle. */
  const idle = new Set<Connection>();
  const extra = new Set<Connection>();
  const bySocket = new WeakMap<Socket, Connection>();

  const first = (some: ReadonlySet<Connection>): Connection | undefined => some.values().next().value;
  const forget = (key: string, connection: Connection): void => {
    if (connections.get(key) === connection) connections.delete(key);
    idle.delete(connection);
    extra.delete(connection);
  };

  server.prependListener('connection', (socket: Socket) => {
    // The connection was closed before it was accepted.
    if (socket.remotePort === undefined) return;
    const key = keyOf(socket);
    const isFull = connections.size - extra.size >= most;
    const oldest = isFull ? first(idle) : undefined;
    if (oldest !== undefined) {
      forget(keyOf(oldest.socket), oldest);
      oldest.socket.destroy();
    }
    const connection: Connection = { socket, pending: 0, isExtra: isFull && oldest === undefined };
    connections.set(key, connection);
    socket.once('close', () => forget(key, connection));
    if (!connection.isExtra) {
      idle.add(connection);
      return;
    }
    extra.add(connection);
    if (extra.size > MOST_EXTRA) first(extra)?.socket.destroy();
  });

  const connectionOf = (socket: Socket): Connection | undefined => {
    // A request over the management socket has no port.
    const known =
      bySocket.get(socket) ?? (socket.remotePort === undefined ? undefined : connections.get(keyOf(socket)));
    if (known !== undefined) bySocket.set(socket, known);
    return known;
  };
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(socket);
    if (connection === undefined) return;
    connection.pending += 1;
    idle.delete(connection);
    response.once('close', () => {
      connection.pending -= 1;
      if (connection.pending === 0 && !connection.isExtra && !connection.socket.destroyed) idle.add(connection);
    });
  });
  return ({ socket }) => connectionOf(socket)?.isExtra === true;
};
