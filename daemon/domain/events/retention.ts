// Retention rules: executions and events by number and age, logs by age.

import type { ExecutionRecord } from '../records/actor-records.ts';

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

/**
 * Makes the test whether an event or a delivery is to be deleted: older than the limit, or beyond the newest ones of its
 * tenant. Call it once with the time of each record of one tenant, oldest first. Once it returns false it does so for
 * all later records.
 * @param stored number of records of the tenant
 */
export const eventRetention = (now: number, rule: EventRetention, stored: number): ((at: number) => boolean) => {
  let newer = stored;
  return (at) => {
    newer -= 1;
    return newer >= rule.total || now - at > rule.ageMs;
  };
};
