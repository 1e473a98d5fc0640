// Retention rules: executions and events by number and age, logs by age.

import type { ExecutionRecord } from '../records/actor-records.ts';
import { type DeliveryRecord, type EventRecord, eventKey } from '../records/event-records.ts';
import { isOver } from './delivery-status.ts';

export interface ExecutionRetention {
  /** Final executions kept per actor. */
  readonly perActor: number;
  /** Final executions kept per tenant, so that the work of one tenant deletes nothing of another. */
  readonly total: number;
  /** Age (ms after the end) above which an execution is always deleted. */
  readonly ageMs: number;
}

/** The fields of an execution that the rules read. */
export type Kept = Pick<ExecutionRecord, 'tenant' | 'actorId' | 'receivedAt' | 'finishedAt'>;

/** End of an execution in ms since the epoch; its arrival when it was purged and so never ran. */
export const endOf = (execution: Kept): number => execution.finishedAt ?? execution.receivedAt;

/**
 * Makes the test whether an execution is to be deleted: older than the limit, or beyond the newest ones of its actor or
 * tenant. Newest means received last. Call it once with each final execution, newest first.
 */
export const executionRetention = (now: number, rule: ExecutionRetention): ((execution: Kept) => boolean) => {
  const kept = new Map<string, number>();
  const totals = new Map<string, number>();
  return (execution) => {
    const ofActor = kept.get(execution.actorId) ?? 0;
    const total = totals.get(execution.tenant) ?? 0;
    if (now - endOf(execution) > rule.ageMs || ofActor >= rule.perActor || total >= rule.total) return true;
    kept.set(execution.actorId, ofActor + 1);
    totals.set(execution.tenant, total + 1);
    return false;
  };
};

/** Time (ms) for which the log of an execution is kept; `logEx` is the actor's setting in seconds. @see docs/protocol.md 19.1 */
export const logLifeOf = (
  logEx: number | undefined,
  rule: { readonly defaultMs: number; readonly capMs: number },
): number => Math.min(rule.capMs, logEx !== undefined && logEx >= 0 ? logEx * 1000 : rule.defaultMs);

export interface EventRetention {
  /** Events kept per tenant; the same number applies to deliveries. */
  readonly total: number;
  /** Age (ms) above which an event is always deleted. */
  readonly ageMs: number;
}

/** Gives each record, newest first, its rank among the records of its tenant; 0 is the newest. */
const rankedByTenant = <R extends { readonly tenant: string }>(
  newestFirst: readonly R[],
): readonly (readonly [number, R])[] => {
  const counts = new Map<string, number>();
  return newestFirst.map((record) => {
    const rank = counts.get(record.tenant) ?? 0;
    counts.set(record.tenant, rank + 1);
    return [rank, record];
  });
};

/** Keys of the events and deliveries to delete, and of the events to mark as retired. */
export interface ExpiredEvents {
  readonly events: readonly string[];
  /** Expired events kept only because a delivery is pending, without those already marked as retired. */
  readonly retired: readonly string[];
  readonly deliveries: readonly string[];
}

/**
 * Selects the events and deliveries to delete: older than the limit, or beyond the newest ones of their tenant. An
 * expired event with a pending delivery is marked as retired instead. A final delivery is deleted with its event.
 */
export const expiredEvents = (
  events: readonly Pick<EventRecord, 'tenant' | 'number' | 'at' | 'retired'>[],
  deliveries: readonly Pick<DeliveryRecord, 'id' | 'tenant' | 'sequence' | 'eventNumber' | 'status' | 'createdAt'>[],
  now: number,
  { total, ageMs }: EventRetention,
): ExpiredEvents => {
  const wanted = new Set(deliveries.filter(({ status }) => !isOver(status)).map(({ eventNumber }) => eventNumber));
  const gone = new Set<number>();
  const retired: string[] = [];
  const newestFirst = [...events].sort((a, b) => b.number - a.number);
  for (const [rank, { number, at, retired: isRetired }] of rankedByTenant(newestFirst)) {
    if (rank < total && now - at <= ageMs && !isRetired) continue;
    if (!wanted.has(number)) gone.add(number);
    else if (!isRetired) retired.push(eventKey(number));
  }
  const over = deliveries.filter(({ status }) => isOver(status)).sort((a, b) => b.sequence - a.sequence);
  const old = rankedByTenant(over).filter(
    ([rank, { createdAt, eventNumber }]) => rank >= total || now - createdAt > ageMs || gone.has(eventNumber),
  );
  return { events: [...gone].map(eventKey), retired, deliveries: old.map(([, { id }]) => id) };
};
