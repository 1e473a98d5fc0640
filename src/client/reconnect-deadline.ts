// The deadline for a streaming command (such as `logs -f`) to reconnect to an unreachable service.
import { CliFailure } from '../failure.ts';
import { hintOfNetwork } from './address.ts';

const RETRYABLE = new Set([
  'DAEMON_NOT_RUNNING',
  'DAEMON_UNHEALTHY',
  'NETWORK',
  'OVERLOADED',
  'STARTING',
  'SHUTTING_DOWN',
  'STORE_UNAVAILABLE',
]);

/** True if the service could not be reached or was not ready. False if it refused the request. */
export const isAway = (error: unknown): boolean => error instanceof CliFailure && RETRYABLE.has(error.code);

export const cancelled = (cause?: unknown): CliFailure => new CliFailure('CANCELLED', 'interrupted', { cause });

/** Waits. Resolves early when `signal` fires. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });

const givenUp = (trouble: unknown, isLocal: boolean): CliFailure => {
  if (trouble instanceof CliFailure) return trouble;
  const hint = hintOfNetwork(isLocal);
  return new CliFailure('NETWORK', 'lost the connection to the service', { hint, cause: trouble });
};

/** Milliseconds without a response after which an attempt has failed. */
export const SILENCE_MS = 45_000;

/** Milliseconds without the service until a command fails. */
export const RECONNECT_MS = 60_000;

export interface ReconnectDeadlineInput {
  readonly reconnectMs: number;
  /** Largest duration counted for one attempt, in milliseconds. Any excess means that the machine was asleep. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly isLocal: boolean;
}

/** Counts the time without the service: failed attempts and the pauses between them, excluding sleep. */
export const createReconnectDeadline = ({ reconnectMs, silenceMs, signal, isLocal }: ReconnectDeadlineInput) => {
  let awayMs = 0;
  let attempt = 0;
  return {
    /** Resets the time without the service. Call it after each response. */
    heard: (): void => {
      awayMs = 0;
      attempt = 0;
    },
    /**
     * @param tookMs duration of the failed attempt @throws CliFailure `trouble` itself after the deadline;
     * CANCELLED
     */
    wait: async (trouble: unknown, tookMs: number): Promise<void> => {
      const pauseMs = Math.min(250 * 2 ** attempt, 2_000);
      attempt += 1;
      awayMs += Math.min(Math.max(0, tookMs), silenceMs) + pauseMs;
      if (awayMs > reconnectMs) throw givenUp(trouble, isLocal);
      await pause(pauseMs, signal);
      if (signal.aborted) throw cancelled(trouble);
    },
  };
};
