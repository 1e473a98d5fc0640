// Retention rules: executions and events by number and age, logs by age.
import type { ExecutionRecord } from '../records/actor-records.ts';

export interface ExecutionRetention {
  readonly perActor: number;
  /**
   * Maximum number of final executions stored per tenant, so that one tenant's work never deletes executions of
   * another.
   */
  readonly total: number;
  /** Age (ms since the end) after which an execution is always deleted. */
  readonly ageMs: number;
}

/**
 * End of an execution in ms since the epoch. For a purged execution, which never ran, the time when it was received.
 */
export const endOf = (execution: Pick<ExecutionRecord, 'receivedAt' | 'finishedAt'>): number =>
  execution.finishedAt ?? execution.receivedAt;

/** @param executions in the order in which they were received */
export const receivedBefore = function* (
  executions: Iterable<ExecutionRecord>,
  time: number,
): Iterable<ExecutionRecord> {
  for (const execution of executions) {
    if (execution.receivedAt > time) return;
    yield execution;
  }
};

/**
 * Time (ms) for which the log of an execution is stored. `logEx` is the actor's setting in seconds.
 * @see docs/http-api.md#executions
 */
export const logLifeOf = (
  logEx: number | undefined,
  rule: { readonly defaultMs: number; readonly capMs: number },
): number => Math.min(rule.capMs, logEx !== undefined && logEx >= 0 ? logEx * 1000 : rule.defaultMs);

export interface EventRetention {
  /** Maximum number of events stored per tenant. The same number applies to deliveries. */
  readonly total: number;
  /** Age (ms) after which an event is always deleted. */
  readonly ageMs: number;
}

/**
 * Makes the test whether an event or a delivery is to be deleted: older than the age limit, or beyond the newest ones
 * of its tenant. Call it once with the time of each record of one tenant, oldest first. Once it returns false, it does
 * so for all later records.
 * @param stored number of records of the tenant
 */
export const eventRetention = (now: number, rule: EventRetention, stored: number): ((at: number) => boolean) => {
  let newer = stored;
  return (at) => {
    newer -= 1;
    return newer >= rule.total || now - at > rule.ageMs;
  };
};
