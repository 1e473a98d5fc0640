// What executions came to, also of those that are no longer kept: figures of one, and their sum.
import type { ExecutionRecord } from '../records/actor-records.ts';
import { joinKey } from '../records/record-key.ts';

/** Sums over executions. */
export interface Figures {
  readonly executions: number;
  /** Whole seconds, each rounded down for itself as its own record shows it. */
  readonly runtime: number;
  /** Nanoseconds. */
  readonly cpu: number;
  /** Bytes. */
  readonly io: number;
}

/**
 * What is no longer kept: of an actor its executions that retention has removed; of a tenant the actors that were deleted,
 * with all of theirs. Written in the same step that removes them, so that nothing is counted twice or not at all.
 */
export interface TotalsRecord extends Figures {
  readonly tenant: string;
  /** Absent: of the tenant. */
  readonly actorId?: string;
  /** Deleted actors; 0 for the totals of an actor. */
  readonly actors: number;
  /** Deleted actors that had executions. */
  readonly actorsWithExecutions: number;
}

export const totalsKey = ({ tenant, actorId }: Pick<TotalsRecord, 'tenant' | 'actorId'>): string =>
  joinKey(tenant, actorId ?? '');

/** Milliseconds that an execution ran; 0 until it has finished, and for one that never started. */
export const runtimeMs = ({ startedAt, finishedAt }: ExecutionRecord): number =>
  startedAt === undefined || finishedAt === undefined ? 0 : Math.max(0, finishedAt - startedAt);

export const noFigures: Figures = { executions: 0, runtime: 0, cpu: 0, io: 0 };

export const figuresOf = (execution: ExecutionRecord): Figures => ({
  executions: 1,
  runtime: Math.floor(runtimeMs(execution) / 1000),
  cpu: execution.cpuNs ?? 0,
  io: execution.ioBytes ?? 0,
});

export const sumOf = (left: Figures, right: Figures): Figures => ({
  executions: left.executions + right.executions,
  runtime: left.runtime + right.runtime,
  cpu: left.cpu + right.cpu,
  io: left.io + right.io,
});

/** The totals of its actor once this execution is no longer kept. */
export const withGone = (totals: TotalsRecord | undefined, execution: ExecutionRecord): TotalsRecord => {
  const { tenant, actorId } = execution;
  const before = totals ?? { tenant, actorId, actors: 0, actorsWithExecutions: 0, ...noFigures };
  return { ...before, ...sumOf(before, figuresOf(execution)) };
};

/** The totals of its tenant once this actor is deleted; `all` are the figures of everything it ever did. */
export const withDeleted = (totals: TotalsRecord | undefined, tenant: string, all: Figures): TotalsRecord => {
  const before = totals ?? { tenant, actors: 0, actorsWithExecutions: 0, ...noFigures };
  return {
    ...before,
    ...sumOf(before, all),
    actors: before.actors + 1,
    actorsWithExecutions: before.actorsWithExecutions + (all.executions > 0 ? 1 : 0),
  };
};
