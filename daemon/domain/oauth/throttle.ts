// Slows down password guessing: a few failures cause no delay, then the delay doubles. An account is never locked.
// @see docs/conformance/security.md R76
import { Failure } from '../failure.ts';

export interface Guesses {
  readonly failures: number;
  /** Time of the latest failure in ms since the epoch. */
  readonly lastAt: number;
}

export interface ThrottleRule {
  readonly free: number;
  /** Time (ms) after which failures are forgotten. */
  readonly forgetAfter: number;
}

export const accountRule: ThrottleRule = { free: 5, forgetAfter: 15 * 60_000 };

/** All programs of one machine share a source, so its limit is higher than that of an account. */
export const sourceRule: ThrottleRule = { free: 25, forgetAfter: 5 * 60_000 };

/**
 * All loopback addresses and the management socket count as one source, because a local program can use any of them.
 */
export const sourceOf = (address: string): string =>
  /^(?:socket$|::1$|(?:::ffff:)?127\.)/i.test(address) ? 'loopback' : address;

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;
/** Enough doublings to exceed the longest delay. */
const MOST_DOUBLINGS = 10;

export const isForgotten = (guesses: Guesses, rule: ThrottleRule, now: number): boolean =>
  now - guesses.lastAt >= rule.forgetAfter;

export const waitBefore = (guesses: Guesses | undefined, rule: ThrottleRule, now: number): number => {
  if (guesses === undefined || guesses.failures < rule.free || isForgotten(guesses, rule, now)) return 0;
  const doublings = Math.min(guesses.failures - rule.free, MOST_DOUBLINGS);
  const wait = Math.min(FIRST_WAIT * 2 ** doublings, LONGEST_WAIT);
  return Math.max(0, guesses.lastAt + wait - now);
};

export const afterFailure = (guesses: Guesses | undefined, rule: ThrottleRule, now: number): Guesses => ({
  failures: guesses === undefined || isForgotten(guesses, rule, now) ? 1 : guesses.failures + 1,
  lastAt: now,
});

export type FailedGuesses = ReturnType<typeof createFailedGuesses>;

/** Entries are ordered by their latest failure. Above `most` entries, the oldest entry is dropped. */
export const createFailedGuesses = (rule: ThrottleRule, most: number) => {
  const guesses = new Map<string, Guesses>();
  return {
    /** Time (ms) that the next attempt for this name must wait. 0 if there is no delay. */
    wait: (name: string, now: number): number => waitBefore(guesses.get(name), rule, now),
    failed: (name: string, now: number): void => {
      const next = afterFailure(guesses.get(name), rule, now);
      guesses.delete(name);
      guesses.set(name, next);
      for (const [oldest, entry] of guesses) {
        if (guesses.size <= most && !isForgotten(entry, rule, now)) break;
        guesses.delete(oldest);
      }
    },
    forget: (name: string): void => void guesses.delete(name),
  };
};

export const throttled = (waitMs: number): Failure => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new Failure('THROTTLED', `Too many failed attempts. Try again in ${seconds} s.`, { retryAfter: seconds });
};
