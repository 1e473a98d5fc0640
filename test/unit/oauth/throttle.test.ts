// R76: some attempts are free, then the wait doubles up to a minute, and all is forgotten in time.
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

  it('lets the wait run down, and never asks for a negative one', () => {
    expect(waitBefore(guessed(7), accountRule, 1_500)).toBe(2_500);
    expect(waitBefore(guessed(7), accountRule, 4_000)).toBe(0);
    expect(waitBefore(guessed(7), accountRule, 9_000)).toBe(0);
  });

  it('takes the loopback net for one source: whoever is on this machine has all its addresses', () => {
    for (const address of ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.2']) {
      expect(sourceOf(address)).toBe('loopback');
    }
    for (const address of ['10.0.0.127', '::ffff:10.0.0.1', '::12', '2001:db8::1', '']) {
      expect(sourceOf(address)).toBe(address);
    }
  });

  it('forgets after a quarter of an hour without a failure', () => {
    const guesses = guessed(20);
    expect(guesses && isForgotten(guesses, accountRule, 899_999)).toBe(false);
    expect(guesses && isForgotten(guesses, accountRule, 900_000)).toBe(true);
    expect(afterFailure(guesses, accountRule, 900_000).failures).toBe(1);
  });
});
