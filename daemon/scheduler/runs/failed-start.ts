// Handles a failed start: counts the failure, holds further starts, and returns the message to its mailbox. A message
// that can never run is refused.
import { versionOf } from '../../domain/actors/actor-description.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import {
  type Assignment,
  callWithRetry,
  executorErrorKind,
  messageOf,
  type Run,
  type SchedulerContext,
  transactWithRetry,
  waitForEngine,
} from '../scheduler-context.ts';
import {
  countStartFailure,
  finishExecution,
  markUnprepared,
  returnMessage,
  setStatusMessage,
} from '../transactions.ts';
import { freeSlot, holdStartsFor, holdStartsUntil, removeWorkers, returnToMailbox } from '../worker-slots.ts';
import { finishRun } from './supervise-run.ts';

/** Deletes the body file, because the message will not be returned and its run will not be created again. */
export const deleteBody = (context: SchedulerContext, { message: { bodyFile } }: Assignment): void => {
  if (bodyFile !== null) context.tasks.run('delete body', () => context.bodies.delete(bodyFile));
};

export const discardRun = (context: SchedulerContext, { executor, message }: Assignment, ref: string): void =>
  context.tasks.run('discard run', () =>
    callWithRetry(context, { executionId: message.executionId, action: 'discard' }, () => executor.remove(ref)),
  );

const holdUntilEngineIsBack = (context: SchedulerContext, assignment: Assignment, reason: string): void => {
  const { workers, slot, executor } = assignment;
  holdStartsUntil(context, workers, async () => {
    await transactWithRetry(context, 'store why an actor waits', (tx) =>
      setStatusMessage(tx, workers.actorId, slot.revision, reason),
    );
    let back = false;
    while (!back) {
      await waitForEngine(context, executor, context.signal);
      back = (await executor.probe(context.signal)).available;
    }
    await transactWithRetry(context, 'clear why an actor waited', (tx) =>
      setStatusMessage(tx, workers.actorId, slot.revision, ''),
    );
  });
};

/** Holds further starts. If the failure has put the actor into ERROR, its workers are removed until it is updated. */
const afterFailedStart = (context: SchedulerContext, { workers }: Assignment): void => {
  if (context.store.get('actors', workers.actorId)?.status === 'ERROR') removeWorkers(context, workers, () => true);
  else holdStartsFor(context, workers, context.settings.startRetryDelayMs);
};

/** Ends the execution of an unclaimed message that can never run. */
const refuseMessage = async (context: SchedulerContext, assignment: Assignment, error: unknown): Promise<void> => {
  const { workers, slot, message } = assignment;
  const { executionId } = message;
  const outcome = { kind: 'refused', at: context.clock.now(), message: messageOf(error) } as const;
  await transactWithRetry(context, 'refuse message', (tx) =>
    finishExecution(tx, { executionId, outcome, stopping: undefined, leaving: slot.leaving }),
  );
  workers.mailbox.forget(executionId);
  deleteBody(context, assignment);
  freeSlot(context, workers, slot);
};

/**
 * Handles a run that could not be created; the message is not claimed at this point.
 * @param actor the actor as it was before the attempt
 */
export const handleCreateFailure = async (
  context: SchedulerContext,
  assignment: Assignment,
  error: unknown,
  actor: ActorRecord,
): Promise<void> => {
  const { workers, slot, message } = assignment;
  const kind = executorErrorKind(error);
  const isUnprepared = kind === 'image' || kind === 'pull';
  context.logger.warn({ error, executionId: message.executionId }, 'cannot create a run');
  if (kind === 'size') return await refuseMessage(context, assignment, error);
  if (kind === 'unavailable') {
    holdUntilEngineIsBack(context, assignment, messageOf(error));
  } else {
    const waits = await transactWithRetry(context, 'count failed start', (tx) => {
      if (isUnprepared) markUnprepared(tx, workers.actorId, slot.revision);
      const retryDelayMs = context.settings.startRetryDelayMs;
      const hopeless = kind === 'never' ? versionOf(actor) : undefined;
      return countStartFailure(tx, { message, reason: messageOf(error), retryDelayMs, hopeless });
    });
    if (waits) afterFailedStart(context, assignment);
  }
  returnToMailbox(context, assignment);
  if (isUnprepared) context.ensureReady(workers.actorId);
};

/**
 * Undoes the claim of a run that failed to start. `waits`: the message is back in its mailbox. `over`: the execution
 * was being stopped or can never start, and is final.
 */
export const undoClaim = async (
  context: SchedulerContext,
  assignment: Assignment,
  run: Run,
  error: unknown,
): Promise<'waits' | 'over'> => {
  const { workers, message } = assignment;
  const kind = executorErrorKind(error);
  if (kind === 'size') {
    run.over.abort();
    await finishRun(context, run, { kind: 'refused', at: context.clock.now(), message: messageOf(error) });
    run.started.open();
    return 'over';
  }
  const isFull = kind === 'full';
  // Without this, a free worker would take the message: the store announces it before the transaction resolves here.
  workers.mailbox.keep(message);
  const back = await transactWithRetry(context, 'return message', (tx) =>
    returnMessage(tx, {
      message,
      reason: messageOf(error),
      isFull,
      retryDelayMs: context.settings.startRetryDelayMs,
      failuresBefore: run.failuresBefore,
      hopeless: kind === 'never' ? run.actorVersion : undefined,
      leaving: run.slot.leaving,
    }),
  );
  run.over.abort();
  if (!back) {
    workers.mailbox.forget(run.executionId);
    run.stopping ??= 'halted';
    await finishRun(context, run, { kind: 'neverStarted', at: context.clock.now() });
  } else {
    context.runs.delete(run.executionId);
    if (isFull) workers.isFull = true;
    discardRun(context, assignment, run.ref);
    afterFailedStart(context, assignment);
    returnToMailbox(context, assignment);
  }
  run.started.open();
  return back ? 'waits' : 'over';
};
