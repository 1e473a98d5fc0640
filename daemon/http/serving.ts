// Refuses requests while the daemon does not serve.
import { Failure } from '../domain/failure.ts';

interface Serving {
  readonly stopping: AbortSignal;
  readonly starting: () => boolean;
}

/** @throws Failure STARTING, SHUTTING_DOWN */
export const demandServing = ({ stopping, starting }: Serving): void => {
  if (stopping.aborted) {
    const text = 'The daemon is stopping and accepts no new requests. Start it again with `actorctl up`.';
    throw new Failure('SHUTTING_DOWN', text, { retryAfter: 1 });
  }
  if (starting()) {
    throw new Failure('STARTING', 'The daemon is starting. Send the request again in a second.', { retryAfter: 1 });
  }
};
