// Retention: which executions, logs, events and deliveries are kept, and how long.
import { describe, expect, it } from 'vitest';
import {
  type ExecutionRetention,
  executionRetention,
  expiredEvents,
  type Kept,
  logLifeOf,
} from '../../../daemon/domain/events/retention.ts';
import type { DeliveryStatus } from '../../../daemon/domain/records/event-records.ts';

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

describe('events and their deliveries', () => {
  const event = (number: number, at = number, tenant = 'DEV') => ({ tenant, number, at });
  const delivery = (sequence: number, eventNumber: number, status: DeliveryStatus = 'DELIVERED', createdAt = 0) => ({
    id: `d${sequence}`,
    tenant: 'DEV',
    sequence,
    eventNumber,
    status,
    createdAt,
  });
  const rule = { total: 2, ageMs: 100 };

  it('are deleted beyond the newest ones, and a delivery together with its event', () => {
    const events = [event(1), event(4), event(9), event(5)];
    const deliveries = [delivery(2, 1), delivery(6, 5), delivery(10, 9)];
    expect(expiredEvents(events, deliveries, 10, rule)).toEqual({
      events: ['4', '1'],
      retired: [],
      deliveries: ['d2'],
    });
  });

  it('are counted per tenant', () => {
    const events = [event(1, 1, 'OTHER'), event(2), event(3), event(4)];
    const deliveries = [{ ...delivery(5, 1), tenant: 'OTHER' }, delivery(6, 3), delivery(7, 4)];
    expect(expiredEvents(events, deliveries, 10, rule)).toEqual({ events: ['2'], retired: [], deliveries: [] });
  });

  it('are deleted when they are too old', () => {
    expect(expiredEvents([event(1, 0), event(2, 1)], [delivery(3, 1), delivery(4, 2, 'FAILED', 1)], 101, rule)).toEqual(
      {
        events: ['1'],
        retired: [],
        deliveries: ['d3'],
      },
    );
  });

  it('are kept while a delivery is pending, however old, and only marked as retired', () => {
    const deliveries = [delivery(2, 1, 'WAITING'), delivery(4, 3, 'SENDING'), delivery(6, 3, 'FAILED')];
    const events = [{ ...event(1), retired: true as const }, event(3), event(5), event(7)];
    expect(expiredEvents(events, deliveries, 1_000, rule)).toEqual({
      events: ['7', '5'],
      retired: ['3'],
      deliveries: ['d6'],
    });
  });

  it('with repeated deliveries of one event are limited too', () => {
    const deliveries = [delivery(2, 1), delivery(3, 1), delivery(4, 1)];
    expect(expiredEvents([event(1)], deliveries, 10, rule)).toEqual({
      events: [],
      retired: [],
      deliveries: ['d2'],
    });
  });
});
