// Requests of connections that only the owner of the data can open: those over the management socket.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../domain/failure.ts';

const fromOwner = new WeakSet<IncomingMessage>();

/** Marks a request of such a connection. Its Host header is not checked: no browser opens the connection. */
export const noteOwner = (request: IncomingMessage): void => void fromOwner.add(request);

export const isFromOwner = (request: IncomingMessage): boolean => fromOwner.has(request);

/** The guard `owner`. @throws Failure NOT_FOUND, as if there were no such operation */
export const demandOwner = (request: IncomingMessage): void => {
  if (!isFromOwner(request)) throw new Failure('NOT_FOUND', 'There is nothing at this address. Check the path.');
};

/** The address that a request comes from, for throttles and logs; `socket` for the management socket. */
export const addressOf = (request: IncomingMessage): string =>
  isFromOwner(request) ? 'socket' : (request.socket.remoteAddress ?? '');
