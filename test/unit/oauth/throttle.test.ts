// Throttling: a few free attempts, then a delay that doubles up to one minute, and no delay after a quiet time.
import { describe, expect, it } from 'vitest';
import {
  accountRule,
  afterFailure,
  createFailedGuesses,
  type Guesses,
  isForgotten,
  sourceOf,
  sourceRule,
  throttled,
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
    for (const address of ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.2', 'socket']) {
      expect(sourceOf(address)).toBe('loopback');
    }
    for (const address of ['10.0.0.127', '::ffff:10.0.0.1', '::12', '2001:db8::1', '']) {
      expect(sourceOf(address)).toBe(address);
    }
  });

  it('drops failures after 15 minutes without another failure', () => {
    const guesses = guessed(20, 500);
    expect(guesses && isForgotten(guesses, accountRule, 900_499)).toBe(false);
    expect(guesses && isForgotten(guesses, accountRule, 900_500)).toBe(true);
    expect(afterFailure(guesses, accountRule, 900_500).failures).toBe(1);
  });

  it('allows a source 25 failures within five minutes, because the programs of a machine share it', () => {
    expect(waitBefore({ failures: 24, lastAt: 500 }, sourceRule, 500)).toBe(0);
    expect(waitBefore({ failures: 25, lastAt: 500 }, sourceRule, 500)).toBe(1_000);
    expect(isForgotten({ failures: 25, lastAt: 500 }, sourceRule, 300_499)).toBe(false);
    expect(isForgotten({ failures: 25, lastAt: 500 }, sourceRule, 300_500)).toBe(true);
  });

  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [60_000, 60],
  ])('a wait of %i ms is an error that names %i seconds', (ms, seconds) => {
    expect(throttled(ms)).toMatchObject({
      code: 'THROTTLED',
      message: `Too many failed attempts. Try again in ${seconds} s.`,
      detail: { retryAfter: seconds },
    });
  });
});

describe('the memory of failed attempts', () => {
  const rule = { free: 1, forgetAfter: 1_000 };

  it('counts the failures of each name until they expire', () => {
    const memory = createFailedGuesses(rule, 10);
    memory.failed('ana', 0);
    expect([memory.wait('ana', 0), memory.wait('ben', 0)]).toEqual([1_000, 0]);
    memory.forget('ana');
    expect(memory.wait('ana', 0)).toBe(0);
  });

  it('drops the oldest name above its limit', () => {
    const memory = createFailedGuesses(rule, 2);
    for (const name of ['ana', 'ben', 'ana', 'cleo']) memory.failed(name, 0);
    expect(['ana', 'ben', 'cleo'].map((name) => memory.wait(name, 0))).toEqual([2_000, 0, 1_000]);
  });

  it('drops expired names at the next failure', () => {
    const memory = createFailedGuesses(rule, 10);
    memory.failed('ana', 0);
    memory.failed('ben', 1_000);
    expect([memory.wait('ana', 0), memory.wait('ben', 1_000)]).toEqual([0, 1_000]);
  });
});
