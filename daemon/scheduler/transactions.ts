// The transactions of the scheduler. Each decides on the newest records and writes its changes in one step.
import { versionOf } from '../domain/actors/actor-description.ts';
import { nextActorStatus, startFailed, waitsForRoom } from '../domain/actors/actor-status.ts';
import { putNextState } from '../domain/actors/state.ts';
import { claimed, finished, givenBack, type Outcome } from '../domain/executions/execution-status.ts';
import { stepWorker } from '../domain/executions/worker-status.ts';
import { Failure } from '../domain/failure.ts';
import type { TokenRecord } from '../domain/records/account-records.ts';
import type { ActorRecord, ExecutionRecord, MessageRecord, WorkerRecord } from '../domain/records/actor-records.ts';
import type { Transaction } from '../ports/store.ts';
import type { WorkerSlot } from './actor-workers.ts';
import { changeActor, type Returned } from './scheduler-context.ts';

/**
 * The outcome of a claim:
 * - `gone`: the message was purged or its actor deleted
 * - `stale`: the actor was changed after the run was created; the message must be taken again
 */
export type Claim = 'claimed' | 'gone' | 'stale';

export const workerRecord = (slot: WorkerSlot, actor: ActorRecord, now: number): WorkerRecord => ({
  id: slot.workerId,
  actorId: actor.id,
  tenant: actor.tenant,
  status: 'READY',
  image: slot.image,
  revision: slot.revision,
  createdAt: now,
});

/** In one step: deletes the message, marks the execution running and the worker busy, and makes the token valid. */
export const claimExecution = (
  tx: Transaction,
  given: {
    readonly executionId: string;
    readonly slot: WorkerSlot;
    readonly runRef: string;
    readonly token: TokenRecord | undefined;
    readonly now: number;
    readonly warnings?: readonly string[];
    /** The secrets that the run received, sealed. */
    readonly secrets?: string | undefined;
    /** True if the clock of the instance is virtual, so that runs use another clock. */
    readonly isVirtual?: boolean;
    readonly stateVersion?: number | undefined;
  },
): Claim => {
  const { executionId, slot, runRef, token, now, warnings, secrets, isVirtual = false, stateVersion } = given;
  const message = tx.get('messages', executionId);
  const execution = tx.get('executions', executionId);
  if (message === undefined || execution === undefined) return 'gone';
  const actor = tx.get('actors', message.actorId);
  if (actor === undefined || actor.status === 'SHUTTING_DOWN') return 'gone';
  if (actor.status !== 'READY' || actor.revision !== slot.revision) return 'stale';
  // The token was made for an earlier owner of the actor, whose tokens have been revoked.
  if (token !== undefined && token.username !== actor.owner) return 'stale';
  const running = claimed(execution, {
    workerId: slot.workerId,
    runRef,
    at: now,
    ...(warnings && { warnings }),
    secrets,
    isVirtual,
    stateVersion,
  });
  if (running === null) return 'gone';
  const worker = stepWorker(tx.get('workers', slot.workerId) ?? workerRecord(slot, actor, now), 'take');
  if (worker === null) return 'stale';
  tx.delete('messages', executionId);
  tx.put('executions', running);
  tx.put('workers', worker);
  if (token !== undefined) tx.put('tokens', token);
  return 'claimed';
};

const revokeTokens = (tx: Transaction, executionId: string): void => {
  for (const { hash } of tx.by('tokens', 'execution', executionId)) tx.delete('tokens', hash);
};

const freeWorker = (tx: Transaction, workerId: string | undefined, leaving: boolean, at?: number): void => {
  const worker = workerId === undefined ? undefined : tx.get('workers', workerId);
  if (worker === undefined) return;
  const freed = leaving ? null : stepWorker(worker, 'free');
  if (freed === null) tx.delete('workers', worker.id);
  else tx.put('workers', at === undefined ? freed : { ...freed, lastExecutionAt: at });
};

/** The execution's own token would have set the state in the name of the actor's owner too. */
const storeReturned = (tx: Transaction, execution: ExecutionRecord, { result, state: text }: Returned): void => {
  const { id: executionId, actorId, finishedAt: at = execution.receivedAt } = execution;
  const actor = tx.get('actors', actorId);
  if (actor === undefined) return;
  result?.add(tx);
  if (text === undefined) return;
  const bytes = new TextEncoder().encode(text).length;
  putNextState(tx, actor, { text, bytes, by: actor.owner, executionId, at });
};

/**
 * Stores the end of a run, or that a message can never run. Frees its worker, or deletes the worker if it is to be
 * removed. Returns undefined if the execution was not running, or has ended.
 */
export const finishExecution = (
  tx: Transaction,
  given: {
    readonly executionId: string;
    readonly outcome: Outcome;
    readonly stopping: ExecutionRecord['stopping'];
    readonly leaving: boolean;
    readonly lastStderr?: string | undefined;
    /** Stored with the end, or not at all: an execution that is ended again returns nothing twice. */
    readonly returned?: Returned;
  },
): ExecutionRecord | undefined => {
  const { executionId, outcome, stopping, leaving, lastStderr, returned } = given;
  const execution = tx.get('executions', executionId);
  if (execution === undefined) return undefined;
  const wish = execution.stopping ?? stopping;
  const final = finished(wish === undefined ? execution : { ...execution, stopping: wish }, outcome, lastStderr);
  if (final === null) return undefined;
  if (final.status === 'COMPLETE' && returned !== undefined) storeReturned(tx, final, returned);
  tx.put('executions', final);
  if (execution.status === 'SUBMITTED') tx.delete('messages', executionId);
  revokeTokens(tx, executionId);
  freeWorker(tx, execution.workerId, leaving, final.finishedAt);
  return final;
};

/** Stores which cluster node runs an execution, and removes the reason why it waited. Has no effect after its end. */
export const storeNode = (tx: Transaction, executionId: string, node: string): void => {
  const execution = tx.get('executions', executionId);
  if (execution?.status !== 'RUNNING' || execution.node === node) return;
  const { statusMessage: _waited, ...rest } = execution;
  tx.put('executions', { ...rest, node });
};

export interface StartFailure {
  readonly message: MessageRecord;
  readonly reason: string;
  readonly retryDelayMs: number;
  /**
   * The failure count at the claim. Starts that overlap and fail together count once. If absent, the failure always
   * counts.
   */
  readonly failuresBefore?: number;
  /** The version of the actor that can never start. Absent if a later attempt may succeed. */
  readonly hopeless?: number | undefined;
}

/**
 * Counts a failed start. The actor is in ERROR at once if it can never start, unless it was updated meanwhile. Returns
 * false for a purged message: its body may have been deleted meanwhile, so the failure
 * does not concern the actor.
 */
export const countStartFailure = (tx: Transaction, failure: StartFailure): boolean => {
  const { message, reason, retryDelayMs, failuresBefore, hopeless } = failure;
  if (tx.get('messages', message.executionId) === undefined) return false;
  changeActor(tx, message.actorId, (actor) => {
    if (hopeless === versionOf(actor)) return startFailed(actor, reason, undefined);
    const isCounted = actor.startFailures !== (failuresBefore ?? actor.startFailures);
    return isCounted ? actor : startFailed(actor, reason, retryDelayMs);
  });
  return true;
};

/**
 * Undoes the claim of a run that certainly never started: returns the message to its place and counts the failure. A
 * cluster without room is no failure: actor and execution only show why they wait. Returns false and changes nothing if
 * the execution is to be stopped meanwhile.
 */
export const returnMessage = (
  tx: Transaction,
  given: StartFailure & { readonly leaving: boolean; readonly isFull: boolean },
): boolean => {
  const { message, leaving, isFull, reason } = given;
  const execution = tx.get('executions', message.executionId);
  const waiting = execution === undefined || execution.stopping !== undefined ? null : givenBack(execution);
  if (execution === undefined || waiting === null) return false;
  tx.put('executions', isFull ? { ...waiting, statusMessage: reason } : waiting);
  tx.put('messages', message);
  revokeTokens(tx, message.executionId);
  freeWorker(tx, execution.workerId, leaving);
  if (!isFull) return countStartFailure(tx, given);
  changeActor(tx, message.actorId, (actor) => waitsForRoom(actor, reason));
  return true;
};

/** Stores that an execution is to be stopped, so that this survives a crash. @throws Failure NOT_RUNNING */
export const requestStop = (tx: Transaction, executionId: string, reason: 'halted' | 'timed_out'): void => {
  const execution = tx.get('executions', executionId);
  if (execution?.status !== 'RUNNING') {
    throw new Failure(
      'NOT_RUNNING',
      execution === undefined
        ? 'There is no such execution.'
        : `The execution cannot be halted: its status is ${execution.status}, and only a running one can be.`,
      { status: execution?.status ?? null },
    );
  }
  if (execution.stopping === undefined) tx.put('executions', { ...execution, stopping: reason });
};

/**
 * Resets the failure count if it is still `failuresBefore`. A failure that was counted later stays counted, because it
 * may belong to an earlier message.
 */
export const resetStartFailures = (tx: Transaction, actorId: string, failuresBefore: number): void =>
  changeActor(tx, actorId, (actor) =>
    actor.startFailures !== failuresBefore || actor.status !== 'READY'
      ? actor
      : { ...actor, startFailures: 0, statusMessage: '' },
  );

/** Marks a ready actor as unprepared, because its image is missing: the image must be pulled again. */
export const markUnprepared = (tx: Transaction, actorId: string, revision: number): void =>
  changeActor(tx, actorId, (actor) => {
    const status = actor.revision === revision ? nextActorStatus(actor.status, 'unprepared') : null;
    return status === null ? null : { ...actor, status };
  });

export const setStatusMessage = (tx: Transaction, actorId: string, revision: number, statusMessage: string): void =>
  changeActor(tx, actorId, (actor) =>
    actor.revision !== revision ||
    actor.statusMessage === statusMessage ||
    actor.status === 'ERROR' ||
    actor.status === 'SHUTTING_DOWN'
      ? actor
      : { ...actor, statusMessage },
  );
