// What is kept and for how long: execution records and events by count and age, logs by age.

import type { ExecutionRecord } from '../records/actor-records.ts';
import { type DeliveryRecord, type EventRecord, eventKey } from '../records/event-records.ts';
import { isOver } from './delivery-status.ts';

export interface ExecutionRetention {
  /** Final executions kept of one actor. */
  readonly perActor: number;
  /** Final executions kept in all. */
  readonly total: number;
  /** Milliseconds after its end at which an execution goes in any case. */
  readonly ageMs: number;
}

/** What the rules look at. */
export type Kept = Pick<ExecutionRecord, 'id' | 'actorId' | 'sequence' | 'receivedAt' | 'finishedAt'>;

/** When an execution ended; a purged one has no end of its own. */
export const endOf = (execution: Kept): number => execution.finishedAt ?? execution.receivedAt;

/**
 * The final executions (hand in no others) that go: too old, or behind the newest ones of their actor or of all.
 * Newest is who was taken last.
 */
export const expiredExecutions = (
  executions: readonly Kept[],
  now: number,
  rule: ExecutionRetention,
): readonly Kept[] => {
  const kept = new Map<string, number>();
  let total = 0;
  const expired: Kept[] = [];
  for (const execution of [...executions].sort((a, b) => b.sequence - a.sequence)) {
    const ofActor = kept.get(execution.actorId) ?? 0;
    if (now - endOf(execution) > rule.ageMs || ofActor >= rule.perActor || total >= rule.total) {
      expired.push(execution);
    } else {
      kept.set(execution.actorId, ofActor + 1);
      total += 1;
    }
  }
  return expired;
};

/** Milliseconds for which the log of an execution is kept; `logEx` is the actor's wish in seconds. @see facts 4.6 */
export const logLifeOf = (
  logEx: number | undefined,
  rule: { readonly defaultMs: number; readonly capMs: number },
): number => Math.min(rule.capMs, logEx !== undefined && logEx >= 0 ? logEx * 1000 : rule.defaultMs);

export interface EventRetention {
  /** Events kept in all, and deliveries kept in all. */
  readonly total: number;
  /** Milliseconds after which an event goes in any case. */
  readonly ageMs: number;
}

/** Keys of what goes, and of what retires. */
export interface ExpiredEvents {
  readonly events: readonly string[];
  /** Events that would go if they had not to be sent yet, as far as they are not marked so. */
  readonly retired: readonly string[];
  readonly deliveries: readonly string[];
}

/**
 * The events and deliveries that go: too old, or behind the newest ones. An event that is still to be sent retires instead, and a
 * delivery goes with its event.
 */
export const expiredEvents = (
  events: readonly Pick<EventRecord, 'number' | 'at' | 'retired'>[],
  deliveries: readonly Pick<DeliveryRecord, 'id' | 'sequence' | 'eventNumber' | 'status' | 'createdAt'>[],
  now: number,
  { total, ageMs }: EventRetention,
): ExpiredEvents => {
  const wanted = new Set(deliveries.filter(({ status }) => !isOver(status)).map(({ eventNumber }) => eventNumber));
  const gone = new Set<number>();
  const retired: string[] = [];
  const newestFirst = [...events].sort((a, b) => b.number - a.number);
  for (const [rank, { number, at, retired: isRetired }] of newestFirst.entries()) {
    if (rank < total && now - at <= ageMs && !isRetired) continue;
    if (!wanted.has(number)) gone.add(number);
    else if (!isRetired) retired.push(eventKey(number));
  }
  const over = deliveries.filter(({ status }) => isOver(status)).sort((a, b) => b.sequence - a.sequence);
  const old = over.filter(
    ({ createdAt, eventNumber }, rank) => rank >= total || now - createdAt > ageMs || gone.has(eventNumber),
  );
  return { events: [...gone].map(eventKey), retired, deliveries: old.map(({ id }) => id) };
};
