// Requests over connections that only the owner of the data can open: the management socket.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../domain/failure.ts';

const fromOwner = new WeakSet<IncomingMessage>();

/**
 * Marks a request over such a connection. Its Host header is not checked, because no browser can open the connection.
 */
export const noteOwner = (request: IncomingMessage): void => void fromOwner.add(request);

export const isFromOwner = (request: IncomingMessage): boolean => fromOwner.has(request);

/** The guard `owner`. @throws Failure NOT_FOUND, as if there were no such operation */
export const demandOwner = (request: IncomingMessage): void => {
  if (!isFromOwner(request)) throw new Failure('NOT_FOUND', 'There is nothing at this address. Check the path.');
};

/** The address from which a request comes, for throttles and logs. `socket` for the management socket. */
export const addressOf = (request: IncomingMessage): string =>
  isFromOwner(request) ? 'socket' : (request.socket.remoteAddress ?? '');
