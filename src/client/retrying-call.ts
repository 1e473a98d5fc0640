// Repeats a read while the service is unreachable, for streaming commands such as `logs -f`.
import { routes } from '../contract/for-client.ts';
import type { Call } from './call.ts';
import { createReconnectDeadline, formatReconnection, isAway, RECONNECT_MS, SILENCE_MS } from './reconnect-deadline.ts';

export interface RetryLimits {
  /** The deadline of all calls, in milliseconds since the epoch. Default: after 60 s without the service. */
  readonly until?: number;
  /** Ends the repetition. Default: the signal of the run. */
  readonly signal?: AbortSignal;
  /** True to print a note after an interruption. Omit it where a stream prints the note. */
  readonly notes?: boolean;
}

export interface RetryingCallInput {
  readonly call: Call;
  readonly note: (line: string) => void;
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
  { call, note, now, signal: ofRun, isLocal }: RetryingCallInput,
  { until = Number.POSITIVE_INFINITY, signal = ofRun, notes = false }: RetryLimits = {},
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
        if (notes && goneSince !== undefined) note(formatReconnection(now() - goneSince));
        return result;
      } catch (error) {
        if (!isAway(error)) throw error;
        goneSince ??= begun;
        await deadline.wait(error, now() - begun);
      }
    }
  };
};
