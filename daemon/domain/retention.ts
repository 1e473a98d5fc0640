// What is kept and for how long: execution records by count and age, logs by age.
import type { ExecutionRecord } from './records.ts';

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
