// Retention: which executions, logs, events and deliveries are kept, and how long.
import { describe, expect, it } from 'vitest';
import {
  type EventRetention,
  type ExecutionRetention,
  eventRetention,
  executionRetention,
  type Kept,
  logLifeOf,
} from '../../../daemon/domain/events/retention.ts';

interface Ended extends Kept {
  readonly id: string;
}

const kept = (sequence: number, actorId = 'a', finishedAt: number | undefined = sequence, tenant = 'DEV'): Ended => ({
  tenant,
  id: `e${sequence}`,
  actorId,
  receivedAt: sequence,
  ...(finishedAt !== undefined && { finishedAt }),
});
const rule = { perActor: 100, total: 100, ageMs: 1000 };
/** The ids of the expired ones. @param newestFirst executions in the order in which the sweep reads them */
const expiredIds = (newestFirst: readonly Ended[], now: number, by: ExecutionRetention) =>
  newestFirst.filter(executionRetention(now, by)).map(({ id }) => id);

describe('retention', () => {
  it('keeps everything within the limits', () => {
    expect(expiredIds([kept(2), kept(1)], 10, rule)).toEqual([]);
  });

  it('deletes the oldest executions of an actor that has too many', () => {
    const all = [kept(4, 'b'), kept(3), kept(2), kept(1)];
    expect(expiredIds(all, 10, { ...rule, perActor: 2 })).toEqual(['e1']);
  });

  it('deletes the oldest executions of a tenant that has too many, and none of another', () => {
    const all = [kept(3, 'c'), kept(2, 'b'), kept(1), kept(0, 'd', 0, 'OTHER')];
    expect(expiredIds(all, 10, { ...rule, total: 2 })).toEqual(['e1']);
  });

  it('deletes executions that ended too long ago', () => {
    const all = [kept(2, 'a', 500), kept(1, 'a', 499)];
    expect(expiredIds(all, 1500, rule)).toEqual(['e1']);
  });

  it('counts the age of a purged execution from its arrival', () => {
    expect(expiredIds([{ id: 'e1', tenant: 'DEV', actorId: 'a', receivedAt: 1 }], 2000, rule)).toEqual(['e1']);
  });

  const lives: [number | undefined, number][] = [
    [undefined, 500],
    [0, 0],
    [-1, 500],
    [0.3, 300],
    [60, 900],
  ];
  it.each(lives)('keeps the log of an actor with logEx %s for %s ms', (logEx, ms) => {
    expect(logLifeOf(logEx, { defaultMs: 500, capMs: 900 })).toBe(ms);
  });
});

describe('events and deliveries of a tenant', () => {
  /** Whether each is deleted at time 110. @param times those of all records, oldest first */
  const expired = (times: readonly number[], rule: EventRetention) =>
    times.map(eventRetention(110, rule, times.length));

  it('are kept within the limits', () => {
    expect(expired([10, 20], { total: 2, ageMs: 100 })).toEqual([false, false]);
  });

  it('are deleted beyond the newest ones', () => {
    expect(expired([100, 101, 102, 103], { total: 2, ageMs: 100 })).toEqual([true, true, false, false]);
  });

  it('are deleted when they are too old', () => {
    expect(expired([8, 9, 10], { total: 9, ageMs: 100 })).toEqual([true, true, false]);
  });
});
