// Repeats a read while the service is unreachable, for streaming commands such as `logs -f`.
import { routes } from '../contract/for-client.ts';
import type { Call } from './call.ts';
import type { ConnectionNotes } from './connection-notes.ts';
import { createReconnectDeadline, isAway, RECONNECT_MS, SILENCE_MS } from './reconnect-deadline.ts';

export interface RetryLimits {
  /** The deadline of all calls, in milliseconds since the epoch. Default: after 60 s without the service. */
  readonly until?: number;
  /** Ends the repetition. Default: the signal of the run. */
  readonly signal?: AbortSignal;
}

export interface RetryingCallInput {
  readonly call: Call;
  readonly connection: ConnectionNotes;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly isLocal: boolean;
}

/**
 * Creates a call that repeats a GET while the service cannot be reached or is not ready. Other operations are called
 * once, so that nothing is sent twice.
 * @throws CliFailure the refusal of the service; DAEMON_NOT_RUNNING or NETWORK after 60 s without it, or earlier at
 * `until`; CANCELLED
 * @see docs/cli.md#lost-connections
 */
export const createRetryingCall = (
  { call, connection, now, signal: ofRun, isLocal }: RetryingCallInput,
  { until = Number.POSITIVE_INFINITY, signal = ofRun }: RetryLimits = {},
): Call => {
  return async (id, input) => {
    if (routes[id].method !== 'GET') return call(id, input);
    const reconnectMs = Math.min(RECONNECT_MS, Math.max(0, until - now()));
    const deadline = createReconnectDeadline({ reconnectMs, silenceMs: SILENCE_MS, signal, isLocal });
    let goneSince: number | undefined;
    for (;;) {
      const begun = now();
      try {
        const result = await call(id, { signal, ...input });
        if (goneSince !== undefined) connection.back(now() - goneSince);
        return result;
      } catch (error) {
        if (!isAway(error)) throw error;
        goneSince ??= begun;
        connection.lost(reconnectMs);
        await deadline.wait(error, now() - begun);
      }
    }
  };
};
