// Turns one message into one execution: creates the run, claims the message, starts the run; each step is undone if the
// next fails.
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { StartTurn } from './actor-workers.ts';
import { createLatch, orAborted } from './background-tasks.ts';
import { type CreatedRun, createRun } from './create-run.ts';
import {
  type Assignment,
  callWithRetry,
  type EngineContext,
  executorErrorKind,
  messageOf,
  type Run,
  transactWithRetry,
  waitForEngine,
} from './engine-context.ts';
import { type Attached, closeLog, endTurn, finishRun, openLog, sinkOf, superviseRun } from './supervise-run.ts';
import {
  claimExecution,
  countStartFailure,
  markUnprepared,
  resetStartFailures,
  returnMessage,
  setStatusMessage,
} from './transactions.ts';
import { freeSlot, holdStartsFor, holdStartsUntil, removeWorkers, returnToMailbox } from './worker-slots.ts';

const discardRun = (context: EngineContext, { executor, message }: Assignment, ref: string): void =>
  context.tasks.run('discard run', () =>
    callWithRetry(context, { executionId: message.executionId, action: 'discard' }, () => executor.remove(ref)),
  );

const holdUntilEngineIsBack = (context: EngineContext, assignment: Assignment, reason: string): void => {
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

/**
 * Delays the next start after a counted failure. If the count has put the actor into ERROR, its workers are removed.
 */
const afterFailedStart = (context: EngineContext, { workers }: Assignment): void => {
  holdStartsFor(context, workers, context.settings.startRetryDelayMs);
  if (context.store.get('actors', workers.actorId)?.status === 'ERROR') removeWorkers(context, workers, () => true);
};

/** Handles a run that could not be created; the message is not claimed at this point. */
const handleCreateFailure = async (context: EngineContext, assignment: Assignment, error: unknown): Promise<void> => {
  const { workers, slot, message } = assignment;
  const kind = executorErrorKind(error);
  context.logger.warn({ error, executionId: message.executionId }, 'cannot create a run');
  if (kind === 'unavailable') {
    holdUntilEngineIsBack(context, assignment, messageOf(error));
  } else {
    const waits = await transactWithRetry(context, 'count failed start', (tx) => {
      if (kind === 'image') markUnprepared(tx, workers.actorId, slot.revision);
      return countStartFailure(tx, message, messageOf(error), context.settings.startRetryDelayMs);
    });
    if (waits) afterFailedStart(context, assignment);
  }
  returnToMailbox(context, assignment);
  if (kind === 'image') context.ensureReady(workers.actorId);
};

/**
 * The outcome of a start:
 * - `waits`: the message is back in its mailbox
 * - `over`: the execution was stopped before it started and is final
 * - `unknown`: the executor cannot tell whether the run has started
 */
type StartOutcome = Attached | 'waits' | 'over' | 'unknown';

/**
 * Undoes the claim of a run that certainly never started. If the execution is being stopped, it becomes final instead.
 */
const undoClaim = async (
  context: EngineContext,
  assignment: Assignment,
  run: Run,
  error: unknown,
): Promise<StartOutcome> => {
  const { message } = assignment;
  const back = await transactWithRetry(context, 'return message', (tx) =>
    returnMessage(tx, {
      message,
      reason: messageOf(error),
      retryDelayMs: context.settings.startRetryDelayMs,
      leaving: run.slot.leaving,
    }),
  );
  run.over.abort();
  if (!back) {
    run.stopping ??= 'halted';
    await finishRun(context, run, { kind: 'neverStarted', at: context.clock.now() });
  } else {
    context.runs.delete(run.executionId);
    discardRun(context, assignment, run.ref);
    afterFailedStart(context, assignment);
    returnToMailbox(context, assignment);
  }
  endTurn(run);
  return back ? 'waits' : 'over';
};

/** Claims the message. Returns undefined if there is nothing to start; then everything is undone. */
const claimMessage = async (
  context: EngineContext,
  assignment: Assignment,
  created: CreatedRun,
  turn: StartTurn,
): Promise<Run | undefined> => {
  const { workers, slot, message, executor } = assignment;
  const { executionId } = message;
  const { ref, token, limitMs } = created;
  const run: Run = {
    executionId,
    actorId: workers.actorId,
    ref,
    executor,
    limitMs,
    workers,
    slot,
    turn,
    started: createLatch(),
    over: new AbortController(),
    stopping: undefined,
    stopBegun: false,
  };
  // Registered before the claim is durable, because a halt may follow the claim at once.
  context.runs.set(executionId, run);
  try {
    const now = context.clock.now();
    const verdict = await context.store.transact((tx) =>
      claimExecution(tx, { executionId, slot, runRef: ref, token, now }),
    );
    if (verdict === 'claimed') {
      workers.mailbox.forget(executionId);
      return run;
    }
    if (verdict === 'gone') {
      workers.mailbox.forget(executionId);
      freeSlot(context, workers, slot);
    } else {
      holdStartsFor(context, workers, context.settings.retryMs);
      returnToMailbox(context, assignment);
    }
  } catch (error) {
    context.logger.warn({ error, executionId }, 'cannot claim a message');
    holdStartsFor(context, workers, context.settings.retryMs);
    returnToMailbox(context, assignment);
  }
  context.runs.delete(executionId);
  discardRun(context, assignment, ref);
  return undefined;
};

const startRun = async (context: EngineContext, assignment: Assignment, run: Run): Promise<StartOutcome> => {
  const { executionId } = run;
  if (run.stopping !== undefined) {
    await finishRun(context, run, { kind: 'neverStarted', at: context.clock.now() });
    run.over.abort();
    endTurn(run);
    return 'over';
  }
  const log = openLog(context, executionId);
  try {
    const running = await run.executor.start(run.ref, sinkOf(log));
    return { running, log };
  } catch (error) {
    await closeLog(context, executionId, log);
    return executorErrorKind(error) === 'start' ? await undoClaim(context, assignment, run, error) : 'unknown';
  }
};

/** Deletes the body file: the message will not be returned and its run will not be created again. */
const deleteBody = (context: EngineContext, { message: { bodyFile } }: Assignment): void => {
  if (bodyFile !== null) context.tasks.run('delete body', () => context.bodies.delete(bodyFile));
};

const resetFailures = (context: EngineContext, { workers: { actorId } }: Assignment): void => {
  if ((context.store.get('actors', actorId)?.startFailures ?? 0) === 0) return;
  context.tasks.run('note start', () =>
    transactWithRetry(context, 'note start', (tx) => resetStartFailures(tx, actorId)),
  );
};

/**
 * True if the run's state and configs are current. False also when they cannot be read; creating the run again reports
 * why.
 */
const isUpToDate = (created: CreatedRun): boolean => {
  try {
    return created.isUpToDate();
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};

/** Runs one message. The assignment's slot must be busy with it; the slot is idle again when this resolves. */
export const runMessage = async (context: EngineContext, assignment: Assignment, actor: ActorRecord): Promise<void> => {
  const { workers, message } = assignment;
  const turn = workers.queueStart();
  let run: Run | undefined;
  try {
    const create = () => createRun(context, assignment, actor).catch((error: unknown) => ({ error }));
    let created = await create();
    await orAborted(turn.reached, context.signal).catch((error: unknown) => {
      if ('ref' in created) discardRun(context, assignment, created.ref);
      throw error;
    });
    // A changed config or state applies to every execution that starts after the change, so this run is created again.
    while ('ref' in created && context.accepting && !isUpToDate(created)) {
      discardRun(context, assignment, created.ref);
      created = await create();
    }
    // If an earlier message was returned to the mailbox, it must run first to keep the order.
    if (!workers.mailbox.isFirst(message) || !context.accepting || workers.deleting) {
      if ('ref' in created) discardRun(context, assignment, created.ref);
      return returnToMailbox(context, assignment);
    }
    if ('error' in created) return await handleCreateFailure(context, assignment, created.error);
    run = await claimMessage(context, assignment, created, turn);
  } finally {
    if (run === undefined) turn.end();
  }
  if (run === undefined) return;
  const started = await startRun(context, assignment, run);
  if (started === 'waits') return;
  if (started === 'unknown') await superviseRun(context, run, undefined);
  deleteBody(context, assignment);
  if (typeof started === 'string') return;
  resetFailures(context, assignment);
  await superviseRun(context, run, started);
};
