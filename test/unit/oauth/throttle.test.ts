// Throttling: a few free attempts, then a delay that doubles up to one minute, and no delay after a quiet time.
import { describe, expect, it } from 'vitest';
import {
  accountRule,
  afterFailure,
  type Guesses,
  isForgotten,
  sourceOf,
  waitBefore,
} from '../../../daemon/domain/oauth/throttle.ts';

const guessed = (count: number, at = 0): Guesses | undefined => {
  let guesses: Guesses | undefined;
  for (let time = 0; time < count; time += 1) guesses = afterFailure(guesses, accountRule, at);
  return guesses;
};

describe('R76 the throttle', () => {
  it.each([
    [0, 0],
    [4, 0],
    [5, 1_000],
    [6, 2_000],
    [7, 4_000],
    [10, 32_000],
    [11, 60_000],
    [1_000, 60_000],
  ])('after %i failures the next attempt waits %i ms', (failures, wait) => {
    expect(waitBefore(guessed(failures), accountRule, 0)).toBe(wait);
  });

  it('reports the remaining delay, and never a negative one', () => {
    expect(waitBefore(guessed(7), accountRule, 1_500)).toBe(2_500);
    expect(waitBefore(guessed(7), accountRule, 4_000)).toBe(0);
    expect(waitBefore(guessed(7), accountRule, 9_000)).toBe(0);
  });

  it('counts all loopback addresses as one source, because a local user can use each of them', () => {
    for (const address of ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.2']) {
      expect(sourceOf(address)).toBe('loopback');
    }
    for (const address of ['10.0.0.127', '::ffff:10.0.0.1', '::12', '2001:db8::1', '']) {
      expect(sourceOf(address)).toBe(address);
    }
  });

  it('forgets failures after 15 minutes without another one', () => {
    const guesses = guessed(20);
    expect(guesses && isForgotten(guesses, accountRule, 899_999)).toBe(false);
    expect(guesses && isForgotten(guesses, accountRule, 900_000)).toBe(true);
    expect(afterFailure(guesses, accountRule, 900_000).failures).toBe(1);
  });
});
