// Sends the last response on a connection that the server does not serve.
import type { Duplex } from 'node:stream';
import { LINGER_MS } from './request/limits.ts';

const METHODS = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

/**
 * Sends a last response on a connection that serves no more requests, and closes it. Input that the client still sends
 * is discarded for a moment, because closing with unread bytes would reset the connection before the client reads the
 * response. A client that stays connected after that is disconnected.
 * @see docs/conformance/security.md R109
 */
const sayLast = (socket: Duplex, text: string): void => {
  // Node removes its listeners from the socket of a CONNECT. Without one, a reset by the client would end the daemon.
  socket.on('error', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(text);
  socket.resume();
};

const PLAIN = 'This address speaks https. Send the request to https:// at the same host and port.\n';

export const refusePlain = (socket: Duplex): void =>
  sayLast(
    socket,
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${PLAIN.length}\r\n\r\n${PLAIN}`,
  );

/**
 * Responds to input that the HTTP parser refused. Such input never becomes a request, so the response is written to the
 * socket.
 */
export const refuseUnparsed = (error: Error & { code?: string }, socket: Duplex, answering: boolean): void => {
  if (!socket.writable || answering || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, extra] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', '']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', '']
        : error.code === 'HPE_INVALID_METHOD'
          ? ['405 Method Not Allowed', `Allow: ${METHODS}\r\n`]
          : ['400 Bad Request', ''];
  sayLast(socket, `HTTP/1.1 ${status}\r\n${extra}Connection: close\r\nContent-Length: 0\r\n\r\n`);
};

export const refuseConnect = (socket: Duplex): void =>
  sayLast(
    socket,
    `HTTP/1.1 405 Method Not Allowed\r\nAllow: ${METHODS}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
