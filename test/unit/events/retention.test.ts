// Retention: which logs, events and deliveries are retained, and how long.
import { describe, expect, it } from 'vitest';
import { type EventRetention, eventRetention, logLifeOf } from '../../../daemon/domain/events/retention.ts';

describe('logs', () => {
  const lives: [number | undefined, number][] = [
    [undefined, 500],
    [0, 0],
    [-1, 500],
    [0.3, 300],
    [60, 900],
  ];
  it.each(lives)('of an actor with logEx %s are retained for %s ms', (logEx, ms) => {
    expect(logLifeOf(logEx, { defaultMs: 500, capMs: 900 })).toBe(ms);
  });
});

describe('events and deliveries of a tenant', () => {
  /** Whether each is deleted at time 110. @param times those of all records, oldest first */
  const expired = (times: readonly number[], rule: EventRetention) =>
    times.map(eventRetention(110, rule, times.length));

  it('are retained within the limits', () => {
    expect(expired([10, 20], { total: 2, ageMs: 100 })).toEqual([false, false]);
  });

  it('are deleted beyond the newest ones', () => {
    expect(expired([100, 101, 102, 103], { total: 2, ageMs: 100 })).toEqual([true, true, false, false]);
  });

  it('are deleted when they are too old', () => {
    expect(expired([8, 9, 10], { total: 9, ageMs: 100 })).toEqual([true, true, false]);
  });
});
