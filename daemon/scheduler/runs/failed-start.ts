// Handles a failed start: counts the failure, holds further starts, and returns the message to its mailbox.
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
import { countStartFailure, markUnprepared, returnMessage, setStatusMessage } from '../transactions.ts';
import { holdStartsFor, holdStartsUntil, removeWorkers, returnToMailbox } from '../worker-slots.ts';
import { finishRun } from './supervise-run.ts';

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

/** If the count of failures has put the actor into ERROR, its workers are removed. */
const afterFailedStart = (context: SchedulerContext, { workers }: Assignment): void => {
  holdStartsFor(context, workers, context.settings.startRetryDelayMs);
  if (context.store.get('actors', workers.actorId)?.status === 'ERROR') removeWorkers(context, workers, () => true);
};

/** Handles a run that could not be created; the message is not claimed at this point. */
export const handleCreateFailure = async (
  context: SchedulerContext,
  assignment: Assignment,
  error: unknown,
): Promise<void> => {
  const { workers, slot, message } = assignment;
  const kind = executorErrorKind(error);
  context.logger.warn({ error, executionId: message.executionId }, 'cannot create a run');
  if (kind === 'unavailable') {
    holdUntilEngineIsBack(context, assignment, messageOf(error));
  } else {
    const waits = await transactWithRetry(context, 'count failed start', (tx) => {
      if (kind === 'image') markUnprepared(tx, workers.actorId, slot.revision);
      const retryDelayMs = context.settings.startRetryDelayMs;
      return countStartFailure(tx, { message, reason: messageOf(error), retryDelayMs });
    });
    if (waits) afterFailedStart(context, assignment);
  }
  returnToMailbox(context, assignment);
  if (kind === 'image') context.ensureReady(workers.actorId);
};

/**
 * Undoes the claim of a run that failed to start. `waits`: the message is back in its mailbox. `over`: the execution
 * was being stopped and becomes final.
 */
export const undoClaim = async (
  context: SchedulerContext,
  assignment: Assignment,
  run: Run,
  error: unknown,
): Promise<'waits' | 'over'> => {
  const { workers, message } = assignment;
  const isFull = executorErrorKind(error) === 'full';
  // Without this, a free worker would take the message: the store announces it before the transaction resolves here.
  workers.mailbox.keep(message);
  const back = await transactWithRetry(context, 'return message', (tx) =>
    returnMessage(tx, {
      message,
      reason: messageOf(error),
      isFull,
      retryDelayMs: context.settings.startRetryDelayMs,
      failuresBefore: run.failuresBefore,
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
