// How guessing is slowed down: some attempts are free, then the wait doubles; it never becomes a lock. @see auth.md R76
import { Failure } from '../failure.ts';

/** What is remembered about one account or one source. */
export interface Guesses {
  readonly failures: number;
  /** ms since the epoch of the latest failure. */
  readonly lastAt: number;
}

export interface ThrottleRule {
  /** Failures that cost nothing. */
  readonly free: number;
  /** ms after which failures are forgotten. */
  readonly forgetAfter: number;
}

export const accountRule: ThrottleRule = { free: 5, forgetAfter: 15 * 60_000 };

/** All programs of one machine share a source, so it gets more room than an account. */
export const sourceRule: ThrottleRule = { free: 25, forgetAfter: 5 * 60_000 };

/** What counts as one source: every program of this machine can take any address of the loopback net. */
export const sourceOf = (address: string): string =>
  /^(?:::1$|(?:::ffff:)?127\.)/i.test(address) ? 'loopback' : address;

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;
/** Enough doublings to pass the longest wait. */
const MOST_DOUBLINGS = 10;

/** Whether nothing needs to be remembered any more. */
export const isForgotten = (guesses: Guesses, rule: ThrottleRule, now: number): boolean =>
  now - guesses.lastAt >= rule.forgetAfter;

/** How long (ms) the next attempt has to wait; 0: not at all. */
export const waitBefore = (guesses: Guesses | undefined, rule: ThrottleRule, now: number): number => {
  if (guesses === undefined || guesses.failures < rule.free || isForgotten(guesses, rule, now)) return 0;
  const doublings = Math.min(guesses.failures - rule.free, MOST_DOUBLINGS);
  const wait = Math.min(FIRST_WAIT * 2 ** doublings, LONGEST_WAIT);
  return Math.max(0, guesses.lastAt + wait - now);
};

/** What is remembered after one more failure. */
export const afterFailure = (guesses: Guesses | undefined, rule: ThrottleRule, now: number): Guesses => ({
  failures: guesses === undefined || isForgotten(guesses, rule, now) ? 1 : guesses.failures + 1,
  lastAt: now,
});

/** What is remembered of many names, in bounded memory. */
export interface GuessMemory {
  /** How long (ms) the next attempt of that name has to wait; 0: not at all. */
  wait(name: string, now: number): number;
  failed(name: string, now: number): void;
  forget(name: string): void;
}

/** Failures by name, the longest untouched first; the oldest goes when there are more than `most`. */
export const createGuessMemory = (rule: ThrottleRule, most: number): GuessMemory => {
  const guesses = new Map<string, Guesses>();
  return {
    wait: (name, now) => waitBefore(guesses.get(name), rule, now),
    failed: (name, now) => {
      const next = afterFailure(guesses.get(name), rule, now);
      guesses.delete(name);
      guesses.set(name, next);
      for (const [oldest, entry] of guesses) {
        if (guesses.size <= most && !isForgotten(entry, rule, now)) break;
        guesses.delete(oldest);
      }
    },
    forget: (name) => void guesses.delete(name),
  };
};

/** The refusal of an attempt that has to wait so many ms. */
export const throttled = (waitMs: number): Failure => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new Failure('THROTTLED', `Too many failed attempts. Try again in ${seconds} s.`, { retryAfter: seconds });
};
