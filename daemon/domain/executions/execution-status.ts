// The status of an execution: the allowed transitions as a table, and the record after each transition.
import type { ExecutionReason, ExecutionRecord, ExecutionStatus } from '../records/actor-records.ts';

/**
 * - `claim`: a worker claims the execution
 * - `giveBack`: the run certainly never started, so the message waits again
 * - `end`: the run has ended, with any exit code
 * - `fail`: a fault that the actor did not cause
 * - `refuse`: the run can never start, because it is too large
 * - `cancel`: the message was purged
 */
export type ExecutionStep = 'claim' | 'giveBack' | 'end' | 'fail' | 'refuse' | 'cancel';

const table: Readonly<Record<ExecutionStatus, Partial<Readonly<Record<ExecutionStep, ExecutionStatus>>>>> = {
  SUBMITTED: { claim: 'RUNNING', refuse: 'ERROR', cancel: 'CANCELLED' },
  RUNNING: { giveBack: 'SUBMITTED', end: 'COMPLETE', fail: 'ERROR', refuse: 'ERROR' },
  COMPLETE: {},
  ERROR: {},
  CANCELLED: {},
};

/** The status after a transition. Null if the current status does not allow it. @see docs/http-api.md#executions */
export const nextExecutionStatus = (status: ExecutionStatus, step: ExecutionStep): ExecutionStatus | null =>
  table[status][step] ?? null;

export const isFinal = (status: ExecutionStatus): boolean => Object.keys(table[status]).length === 0;

export const finalStatuses: readonly ExecutionStatus[] = (Object.keys(table) as ExecutionStatus[]).filter(isFinal);

/**
 * The execution after a worker has claimed it. Null if it can no longer be claimed. The run starts at once, so the
 * claim time is its start time until the executor reports the actual one.
 */
export const claimed = (
  execution: ExecutionRecord,
  by: {
    readonly workerId: string;
    readonly runRef: string;
    readonly at: number;
    readonly warnings?: readonly string[];
    readonly isVirtual?: boolean;
    /** Sealed. */
    readonly secrets?: string | undefined;
    readonly stateVersion?: number | undefined;
  },
): ExecutionRecord | null => {
  const status = nextExecutionStatus(execution.status, 'claim');
  if (status === null) return null;
  const { workerId, runRef, at, warnings = [], isVirtual = false, secrets, stateVersion } = by;
  return {
    ...execution,
    status,
    workerId,
    runRef,
    startedAt: at,
    ...(secrets !== undefined && { secrets }),
    ...(stateVersion !== undefined && { stateVersion }),
    ...(warnings.length > 0 && { warnings }),
    ...(isVirtual && { ranMs: 0 }),
  };
};

/** The execution as it was before its claim. Null if it was not claimed. */
export const givenBack = (execution: ExecutionRecord): ExecutionRecord | null => {
  const status = nextExecutionStatus(execution.status, 'giveBack');
  if (status === null) return null;
  const {
    workerId: _workerId,
    runRef: _runRef,
    secrets: _secrets,
    startedAt: _startedAt,
    ranMs: _ranMs,
    warnings: _warnings,
    stateVersion: _stateVersion,
    ...rest
  } = execution;
  return { ...rest, status };
};

/** How a run ended, with its usage figures. Times are in ms since the epoch. */
export type Outcome =
  | {
      readonly kind: 'ended';
      readonly exitCode: number;
      readonly startedAt: number;
      readonly finishedAt: number;
      readonly outOfMemory: boolean;
      readonly outOfDisk?: boolean;
      readonly cpuNs?: number;
      readonly ioBytes?: number;
      readonly finalState: Readonly<Record<string, unknown>>;
      readonly interrupted?: string;
      readonly imageId?: string;
      /** The end time on the instance's virtual clock, which differs from the run's own clock. */
      readonly virtualEnd?: number;
      /** Why something that the run returned is not stored. */
      readonly complaint?: string;
    }
  /** It is unknown how the run ended. */
  | { readonly kind: 'lost'; readonly at: number; readonly message: string }
  /** The run can never start. */
  | { readonly kind: 'refused'; readonly at: number; readonly message: string }
  /** The run was stopped before it started. */
  | { readonly kind: 'neverStarted'; readonly at: number };

type Exceeded = Partial<Pick<Extract<Outcome, { kind: 'ended' }>, 'outOfMemory' | 'outOfDisk'>>;

const reasonOf = (execution: ExecutionRecord, { outOfMemory, outOfDisk }: Exceeded): ExecutionReason =>
  execution.stopping ?? (outOfMemory ? 'out_of_memory' : outOfDisk ? 'out_of_disk' : 'exited');

/**
 * When the run began and ended. On a virtual clock, the run begins at its claim, and its run time is measured on the
 * machine's clock.
 */
const timesOf = (
  { startedAt, finishedAt, virtualEnd }: Extract<Outcome, { kind: 'ended' }>,
  claimedAt: number | undefined,
): Pick<ExecutionRecord, 'startedAt' | 'finishedAt' | 'ranMs'> =>
  virtualEnd === undefined
    ? { startedAt, finishedAt }
    : { startedAt: claimedAt ?? virtualEnd, finishedAt: virtualEnd, ranMs: Math.max(0, finishedAt - startedAt) };

/**
 * The execution after its run has ended, or can never start. Null if it was not running, or has ended. Fields of running executions (`runRef`,
 * `secrets`, `stopping`) are removed. The reason for a wait and the claim time are removed too, so that a run that was lost or
 * never started has no run time.
 * @param lastStderr stored if the run has failed
 */
export const finished = (execution: ExecutionRecord, outcome: Outcome, lastStderr?: string): ExecutionRecord | null => {
  const { interrupted, complaint } = outcome.kind === 'ended' ? outcome : {};
  const broken = outcome.kind === 'lost' || interrupted !== undefined;
  const step = outcome.kind === 'refused' ? 'refuse' : broken ? 'fail' : 'end';
  const status = nextExecutionStatus(execution.status, step);
  if (status === null) return null;
  const {
    runRef: _runRef,
    secrets: _secrets,
    stopping: _stopping,
    startedAt: claimedAt,
    ranMs: _ranMs,
    statusMessage: _waited,
    ...rest
  } = execution;
  if (outcome.kind === 'lost' || outcome.kind === 'refused')
    return { ...rest, status, finishedAt: outcome.at, statusMessage: outcome.message };
  if (outcome.kind === 'neverStarted') {
    return { ...rest, status, finishedAt: outcome.at, reason: reasonOf(execution, {}) };
  }
  return {
    ...rest,
    status,
    ...(interrupted === undefined && { reason: reasonOf(execution, outcome) }),
    ...((interrupted ?? complaint) !== undefined && { statusMessage: interrupted ?? complaint }),
    ...timesOf(outcome, claimedAt),
    exitCode: outcome.exitCode,
    finalState: outcome.finalState,
    ...(outcome.exitCode !== 0 && lastStderr !== undefined && { lastStderr }),
    ...(outcome.imageId !== undefined && { imageId: outcome.imageId }),
    ...(outcome.cpuNs !== undefined && { cpuNs: outcome.cpuNs }),
    ...(outcome.ioBytes !== undefined && { ioBytes: outcome.ioBytes }),
  };
};
