// Requests for functions of the HTTP layer that are called without a server.
import type { IncomingMessage } from 'node:http';
import type { Failure } from '../../../daemon/domain/failure.ts';

/** A request without a body or a connection. */
export const requestOf = (headers: Readonly<Record<string, unknown>>, params = {}) =>
  ({ headers, params, socket: { remoteAddress: '127.0.0.9' } }) as unknown as IncomingMessage & { params: object };

/** What `act` returns, or the code, text and detail with which it is refused. */
export const refusal = (act: () => unknown) => {
  try {
    return act();
  } catch (error) {
    const { code, message, detail } = error as Failure;
    return { code, message, detail };
  }
};
