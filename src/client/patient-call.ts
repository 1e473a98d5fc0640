// Repeats a read while the service is away, for commands that follow.
import { routes } from '../contract/for-client.ts';
import type { Call } from './call.ts';
import { createPatience, isAway, PATIENCE_MS, SILENCE_MS, wordReconnection } from './patience.ts';

/** What the caller decides. */
export interface PatientLimits {
  /** When the patience of every call is over, in milliseconds since the epoch. Default: after 60 s without the service. */
  readonly until?: number;
  /** Ends the repetition. Default: the signal of the run. */
  readonly signal?: AbortSignal;
  /** True to print a note after an interruption. Leave it out where a stream prints one. */
  readonly notes?: boolean;
}

export interface PatientCallInput {
  readonly call: Call;
  readonly note: (line: string) => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** True if the service is the daemon of this machine. */
  readonly isLocal: boolean;
}

/**
 * Creates a call that repeats a GET while the service cannot be reached or is not ready. Other operations are called
 * once, so that nothing is sent twice.
 * @throws CliFailure the refusal of the service; DAEMON_NOT_RUNNING or NETWORK after 60 s without it, or earlier at
 * `until`; CANCELLED
 * @see docs/cli.md 9.3
 */
export const createPatientCall = (
  { call, note, now, signal: ofRun, isLocal }: PatientCallInput,
  { until = Number.POSITIVE_INFINITY, signal = ofRun, notes = false }: PatientLimits = {},
): Call => {
  return async (id, input) => {
    if (routes[id].method !== 'GET') return call(id, input);
    const patienceMs = Math.min(PATIENCE_MS, Math.max(0, until - now()));
    const patience = createPatience({ patienceMs, silenceMs: SILENCE_MS, signal, isLocal });
    let goneSince: number | undefined;
    for (;;) {
      const begun = now();
      try {
        const result = await call(id, { signal, ...input });
        if (notes && goneSince !== undefined) note(wordReconnection(now() - goneSince));
        return result;
      } catch (error) {
        if (!isAway(error)) throw error;
        goneSince ??= begun;
        await patience.wait(error, now() - begun);
      }
    }
  };
};
