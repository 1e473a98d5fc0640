// How an execution goes from taken to final: the steps as a table, and what each makes of the record.
import type { ExecutionReason, ExecutionRecord, ExecutionStatus } from '../records/actor-records.ts';

/**
 * - `claim`: a worker takes it
 * - `giveBack`: it is certain that its run never started; its message waits again
 * - `end`: the run is over, whatever its exit code
 * - `fail`: trouble that is not the actor's
 * - `cancel`: its message was purged
 */
export type ExecutionStep = 'claim' | 'giveBack' | 'end' | 'fail' | 'cancel';

const table: Readonly<Record<ExecutionStatus, Partial<Readonly<Record<ExecutionStep, ExecutionStatus>>>>> = {
  SUBMITTED: { claim: 'RUNNING', cancel: 'CANCELLED' },
  RUNNING: { giveBack: 'SUBMITTED', end: 'COMPLETE', fail: 'ERROR' },
  COMPLETE: {},
  ERROR: {},
  CANCELLED: {},
};

/** The status after a step; null when the step is illegal. @see wire.md "Messages and executions" */
export const nextExecutionStatus = (status: ExecutionStatus, step: ExecutionStep): ExecutionStatus | null =>
  table[status][step] ?? null;

/** Whether no step leads out of this status. */
export const isFinal = (status: ExecutionStatus): boolean => Object.keys(table[status]).length === 0;

/** The execution in the hands of a worker; null when it cannot be claimed any more. */
export const claimed = (
  execution: ExecutionRecord,
  by: { readonly workerId: string; readonly runRef: string },
): ExecutionRecord | null => {
  const status = nextExecutionStatus(execution.status, 'claim');
  return status === null ? null : { ...execution, status, workerId: by.workerId, runRef: by.runRef };
};

/** The execution as it was before its claim; null when there is nothing to give back. */
export const givenBack = (execution: ExecutionRecord): ExecutionRecord | null => {
  const status = nextExecutionStatus(execution.status, 'giveBack');
  if (status === null) return null;
  const { workerId: _workerId, runRef: _runRef, ...rest } = execution;
  return { ...rest, status };
};

/** How a run came to its end, and what is known about it; times in ms since the epoch. */
export type Outcome =
  | {
      readonly kind: 'ended';
      readonly exitCode: number;
      readonly startedAt: number;
      readonly finishedAt: number;
      readonly outOfMemory: boolean;
      readonly cpuNs?: number;
      readonly ioBytes?: number;
      readonly finalState: Readonly<Record<string, unknown>>;
      readonly interrupted?: string;
    }
  /** Nobody can tell how it ended. */
  | { readonly kind: 'lost'; readonly at: number; readonly message: string }
  /** It was told to stop before it had started. */
  | { readonly kind: 'neverStarted'; readonly at: number };

const reasonOf = (execution: ExecutionRecord, outOfMemory: boolean): ExecutionReason =>
  execution.stopping ?? (outOfMemory ? 'out_of_memory' : 'exited');

/** The final execution; null when it is not running. What only a running one needs (`runRef`, `stopping`) is left out. */
export const finished = (execution: ExecutionRecord, outcome: Outcome): ExecutionRecord | null => {
  const interrupted = outcome.kind === 'ended' ? outcome.interrupted : undefined;
  const broken = outcome.kind === 'lost' || interrupted !== undefined;
  const status = nextExecutionStatus(execution.status, broken ? 'fail' : 'end');
  if (status === null) return null;
  const { runRef: _runRef, stopping: _stopping, ...rest } = execution;
  if (outcome.kind === 'lost') return { ...rest, status, finishedAt: outcome.at, statusMessage: outcome.message };
  if (outcome.kind === 'neverStarted') {
    return { ...rest, status, finishedAt: outcome.at, reason: reasonOf(execution, false) };
  }
  return {
    ...rest,
    status,
    ...(interrupted === undefined
      ? { reason: reasonOf(execution, outcome.outOfMemory) }
      : { statusMessage: interrupted }),
    startedAt: outcome.startedAt,
    finishedAt: outcome.finishedAt,
    exitCode: outcome.exitCode,
    finalState: outcome.finalState,
    ...(outcome.cpuNs !== undefined && { cpuNs: outcome.cpuNs }),
    ...(outcome.ioBytes !== undefined && { ioBytes: outcome.ioBytes }),
  };
};
