// Usage figures of executions and their sums, including executions that are no longer stored.
import type { ExecutionRecord } from '../records/actor-records.ts';
import { joinKey } from '../records/record-key.ts';

export interface Figures {
  readonly executions: number;
  /** Run time in milliseconds, so that many short runs are not rounded to zero. */
  readonly runtimeMs: number;
  /** CPU time in nanoseconds. */
  readonly cpu: number;
  /** Input and output in bytes. */
  readonly io: number;
}

/**
 * Sums over deleted records. For an actor: its executions that retention deleted. For a tenant: its deleted actors with
 * all their executions. Written in the transaction that deletes the records, so that no execution is counted twice or
 * lost.
 */
export interface TotalsRecord extends Figures {
  readonly tenant: string;
  /** Id of the actor. Absent in the totals of a tenant. */
  readonly actorId?: string;
  /** Number of deleted actors. 0 in the totals of an actor. */
  readonly actors: number;
  /** Number of deleted actors that had executions. */
  readonly actorsWithExecutions: number;
}

export const totalsKey = ({ tenant, actorId }: Pick<TotalsRecord, 'tenant' | 'actorId'>): string =>
  joinKey(tenant, actorId ?? '');

/**
 * Run time in ms, until `now` if the execution is running. 0 if it never started, or while it runs on a virtual clock.
 */
export const runtimeMs = ({ startedAt, finishedAt, ranMs }: ExecutionRecord, now: number): number =>
  ranMs ?? (startedAt === undefined ? 0 : Math.max(0, (finishedAt ?? now) - startedAt));

/** Whole seconds, as in the API field `runtime`. */
export const wholeSeconds = (ms: number): number => Math.floor(ms / 1_000);

export const noFigures: Figures = { executions: 0, runtimeMs: 0, cpu: 0, io: 0 };

export const figuresOf = (execution: ExecutionRecord, now: number): Figures => ({
  executions: 1,
  runtimeMs: runtimeMs(execution, now),
  cpu: execution.cpuNs ?? 0,
  io: execution.ioBytes ?? 0,
});

export const sumOf = (left: Figures, right: Figures): Figures => ({
  executions: left.executions + right.executions,
  runtimeMs: left.runtimeMs + right.runtimeMs,
  cpu: left.cpu + right.cpu,
  io: left.io + right.io,
});

export const withDeletedExecution = (
  totals: TotalsRecord | undefined,
  execution: ExecutionRecord,
  now: number,
): TotalsRecord => {
  const { tenant, actorId } = execution;
  const before = totals ?? { tenant, actorId, actors: 0, actorsWithExecutions: 0, ...noFigures };
  return { ...before, ...sumOf(before, figuresOf(execution, now)) };
};

/** @param all figures of all executions the actor ever had */
export const withDeletedActor = (totals: TotalsRecord | undefined, tenant: string, all: Figures): TotalsRecord => {
  const before = totals ?? { tenant, actors: 0, actorsWithExecutions: 0, ...noFigures };
  return {
    ...before,
    ...sumOf(before, all),
    actors: before.actors + 1,
    actorsWithExecutions: before.actorsWithExecutions + (all.executions > 0 ? 1 : 0),
  };
};
