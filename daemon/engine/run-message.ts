// Turns one message into one execution: creates the run, claims the message, starts the run; each step is undone if the
// next fails.
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { ActorWorkers, StartTurn } from './actor-workers.ts';
import { createLatch, elapse, orAborted } from './background-tasks.ts';
import { type Created, createRun } from './create-run.ts';
import {
  type Assignment,
  durably,
  type EngineContext,
  engineMayBeBack,
  insist,
  kindOf,
  type Run,
  wordsOf,
} from './engine-context.ts';
import { type Attached, closeLog, conclude, openLog, passTurn, sinkOf, superviseRun } from './supervise-run.ts';
import { claim, countFailure, giveBack, noteImageGone, noteStarted, setStatusMessage } from './transactions.ts';
import { letGo, release } from './worker-slots.ts';

/** Holds back all starts of the actor until the promise of `until` resolves. */
const holdBack = (context: EngineContext, crew: ActorWorkers, until: () => Promise<unknown>): void => {
  const hold = Symbol('hold');
  crew.hold = hold;
  context.tasks.run('hold', async () => {
    await until();
    if (crew.hold !== hold) return;
    crew.hold = undefined;
    context.offer(crew.actorId);
  });
};

const holdFor = (context: EngineContext, crew: ActorWorkers, ms: number): void =>
  holdBack(context, crew, () => elapse(ms, context.signal));

/** Returns the message to its mailbox and frees the slot. Messages taken after it notice that when their turn comes. */
const undo = (context: EngineContext, { crew, slot, message }: Assignment): void => {
  crew.mailbox.putBack(message);
  release(context, crew, slot);
};

const discard = (context: EngineContext, { executor, message }: Assignment, ref: string): void =>
  context.tasks.run('discard run', () =>
    insist(context, { executionId: message.executionId, action: 'discard' }, () => executor.remove(ref)),
  );

const awaitEngine = (context: EngineContext, assignment: Assignment, words: string): void => {
  const { crew, slot, executor } = assignment;
  holdBack(context, crew, async () => {
    await durably(context, 'store why an actor waits', (tx) =>
      setStatusMessage(tx, crew.actorId, slot.revision, words),
    );
    let back = false;
    while (!back) {
      await engineMayBeBack(context, executor, context.signal);
      back = (await executor.probe(context.signal)).available;
    }
    await durably(context, 'clear why an actor waited', (tx) => setStatusMessage(tx, crew.actorId, slot.revision, ''));
  });
};

/**
 * Delays the next start after a counted failure. If the count has put the actor into ERROR, its workers are removed.
 */
const afterFailedStart = (context: EngineContext, { crew }: Assignment): void => {
  holdFor(context, crew, context.settings.startRetryDelayMs);
  if (context.store.get('actors', crew.actorId)?.status === 'ERROR') letGo(context, crew, () => true);
};

/** Handles a run that could not be created; the message is not claimed at this point. */
const refused = async (context: EngineContext, assignment: Assignment, error: unknown): Promise<void> => {
  const { crew, slot, message } = assignment;
  const kind = kindOf(error);
  context.logger.warn({ error, executionId: message.executionId }, 'cannot create a run');
  if (kind === 'unavailable') {
    awaitEngine(context, assignment, wordsOf(error));
  } else {
    const waits = await durably(context, 'count failed start', (tx) => {
      if (kind === 'image') noteImageGone(tx, crew.actorId, slot.revision);
      return countFailure(tx, message, wordsOf(error), context.settings.startRetryDelayMs);
    });
    if (waits) afterFailedStart(context, assignment);
  }
  undo(context, assignment);
  if (kind === 'image') context.ensure(crew.actorId);
};

/**
 * The outcome of a start:
 * - `waits`: the message is back in its mailbox
 * - `over`: the execution was stopped before it started and is final
 * - `unknown`: the executor cannot tell whether the run has started
 */
type Started = Attached | 'waits' | 'over' | 'unknown';

/**
 * Undoes the claim of a run that certainly never started. If the execution is being stopped, it becomes final instead.
 */
const revert = async (context: EngineContext, assignment: Assignment, run: Run, error: unknown): Promise<Started> => {
  const { message } = assignment;
  const back = await durably(context, 'return message', (tx) =>
    giveBack(tx, {
      message,
      words: wordsOf(error),
      retryDelayMs: context.settings.startRetryDelayMs,
      leaving: run.slot.leaving,
    }),
  );
  run.over.abort();
  if (!back) {
    run.stopping ??= 'halted';
    await conclude(context, run, { kind: 'neverStarted', at: context.clock.now() });
  } else {
    context.runs.delete(run.executionId);
    discard(context, assignment, run.ref);
    afterFailedStart(context, assignment);
    undo(context, assignment);
  }
  passTurn(run);
  return back ? 'waits' : 'over';
};

/** Claims the message. Returns undefined if there is nothing to start; then everything is undone. */
const takeOver = async (
  context: EngineContext,
  assignment: Assignment,
  created: Created,
  turn: StartTurn,
): Promise<Run | undefined> => {
  const { crew, slot, message, executor } = assignment;
  const { executionId } = message;
  const { ref, token, limitMs } = created;
  const run: Run = {
    executionId,
    actorId: crew.actorId,
    ref,
    executor,
    limitMs,
    crew,
    slot,
    turn,
    started: createLatch(),
    over: new AbortController(),
    stopping: undefined,
    beingStopped: false,
  };
  // Registered before the claim is durable, because a halt may follow the claim at once.
  context.runs.set(executionId, run);
  try {
    const now = context.clock.now();
    const verdict = await context.store.transact((tx) => claim(tx, { executionId, slot, runRef: ref, token, now }));
    if (verdict === 'claimed') {
      crew.mailbox.forget(executionId);
      return run;
    }
    if (verdict === 'gone') {
      crew.mailbox.forget(executionId);
      release(context, crew, slot);
    } else {
      holdFor(context, crew, context.settings.retryMs);
      undo(context, assignment);
    }
  } catch (error) {
    context.logger.warn({ error, executionId }, 'cannot claim a message');
    holdFor(context, crew, context.settings.retryMs);
    undo(context, assignment);
  }
  context.runs.delete(executionId);
  discard(context, assignment, ref);
  return undefined;
};

const start = async (context: EngineContext, assignment: Assignment, run: Run): Promise<Started> => {
  const { executionId } = run;
  if (run.stopping !== undefined) {
    await conclude(context, run, { kind: 'neverStarted', at: context.clock.now() });
    run.over.abort();
    passTurn(run);
    return 'over';
  }
  const log = openLog(context, executionId);
  try {
    const running = await run.executor.start(run.ref, sinkOf(log));
    return { running, log };
  } catch (error) {
    await closeLog(context, executionId, log);
    return kindOf(error) === 'start' ? await revert(context, assignment, run, error) : 'unknown';
  }
};

/** Deletes the body file: the message will not be returned and its run will not be created again. */
const dropBody = (context: EngineContext, { message: { bodyFile } }: Assignment): void => {
  if (bodyFile !== null) context.tasks.run('delete body', () => context.bodies.delete(bodyFile));
};

const forgetFailures = (context: EngineContext, { crew: { actorId } }: Assignment): void => {
  if ((context.store.get('actors', actorId)?.startFailures ?? 0) === 0) return;
  context.tasks.run('note start', () => durably(context, 'note start', (tx) => noteStarted(tx, actorId)));
};

/**
 * True if the run's state and configs are current. False also when they cannot be read; creating the run again reports
 * why.
 */
const isUpToDate = (made: Created): boolean => {
  try {
    return made.isUpToDate();
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};

/** Runs one message. The assignment's slot must be busy with it; the slot is idle again when this resolves. */
export const runMessage = async (context: EngineContext, assignment: Assignment, actor: ActorRecord): Promise<void> => {
  const { crew, message } = assignment;
  const turn = crew.enterTurn();
  let run: Run | undefined;
  try {
    const attempt = () => createRun(context, assignment, actor).catch((error: unknown) => ({ error }));
    let made = await attempt();
    await orAborted(turn.come, context.signal).catch((error: unknown) => {
      if ('ref' in made) discard(context, assignment, made.ref);
      throw error;
    });
    // A changed config or state applies to every execution that starts after the change, so this run is created again.
    while ('ref' in made && context.accepting && !isUpToDate(made)) {
      discard(context, assignment, made.ref);
      made = await attempt();
    }
    // If an earlier message was returned to the mailbox, it must run first to keep the order.
    if (!crew.mailbox.isFirst(message) || !context.accepting || crew.retired) {
      if ('ref' in made) discard(context, assignment, made.ref);
      return undo(context, assignment);
    }
    if ('error' in made) return await refused(context, assignment, made.error);
    run = await takeOver(context, assignment, made, turn);
  } finally {
    if (run === undefined) turn.leave();
  }
  if (run === undefined) return;
  const started = await start(context, assignment, run);
  if (started === 'waits') return;
  if (started === 'unknown') await superviseRun(context, run, undefined);
  dropBody(context, assignment);
  if (typeof started === 'string') return;
  forgetFailures(context, assignment);
  await superviseRun(context, run, started);
};
