// Starts the daemon of this machine if the first request finds none.
import { CliFailure } from '../failure.ts';
import type { Transport } from './transport.ts';

export interface StartingTransportInput {
  readonly transport: Transport;
  /** The socket of the daemon. A request to another address does not start the daemon. */
  readonly socket: string;
  readonly start: () => Promise<unknown>;
}

/**
 * Returns a transport that starts the daemon if nothing listens, and then repeats the request, which no process has
 * received. A daemon that was running earlier is not started again, because somebody stopped it.
 */
export const createStartingTransport = ({ transport, socket, start }: StartingTransportInput): Transport => {
  let reached = false;
  let starting: Promise<unknown> | undefined;
  return async (to, request) => {
    if (typeof to === 'string' || to.socket !== socket) return transport(to, request);
    try {
      const answer = await transport(to, request);
      reached = true;
      return answer;
    } catch (error) {
      if (reached || !(error instanceof CliFailure) || error.code !== 'DAEMON_NOT_RUNNING') throw error;
      starting ??= start();
      await starting;
      return transport(to, request);
    }
  };
};
