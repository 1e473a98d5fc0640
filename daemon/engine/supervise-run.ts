// From a started (or found) run to its final record: log, time limit, stop, end.
import { START_FAILURE_LIMIT } from '../domain/actors/actor-status.ts';
import type { Outcome } from '../domain/executions/execution-status.ts';
import { Failure } from '../domain/failure.ts';
import type { LogSink, Running } from '../ports/executor.ts';
import type { LogWriter } from '../ports/logs.ts';
import { elapse, orAborted, pause } from './background-tasks.ts';
import {
  backoff,
  durably,
  type EngineContext,
  engineMayBeBack,
  insist,
  kindOf,
  type Run,
  wordsOf,
} from './engine-context.ts';
import { finish, requestStop } from './transactions.ts';
import { release } from './worker-slots.ts';

/** A run whose output comes in. */
export interface Attached {
  readonly running: Running;
  readonly log: LogWriter | undefined;
}

/** The log of a run; without it (a full disk, say) the execution goes on all the same. */
export const openLog = (context: EngineContext, executionId: string): LogWriter | undefined => {
  try {
    return context.logs.open(executionId);
  } catch (error) {
    context.logger.error({ error, executionId }, 'the log of an execution cannot be opened');
    return undefined;
  }
};

export const sinkOf =
  (log: LogWriter | undefined): LogSink =>
  (stream, data) =>
    log?.write(stream, data);

export const closeLog = async (
  context: EngineContext,
  executionId: string,
  log: LogWriter | undefined,
): Promise<void> => {
  const wait = backoff(context);
  for (;;) {
    try {
      return await log?.close();
    } catch (error) {
      context.logger.error({ error, executionId }, 'the log of an execution is not complete');
      // A full disk has room again some time, and the record of the end waits for that too.
      const mayWork = error instanceof Failure && error.code === 'STORE_UNAVAILABLE';
      if (!mayWork || !(await elapse(wait(), context.signal))) return;
    }
  }
};

/** The run has started, or it is known that it never will: the next one may. */
export const passTurn = (run: Run): void => {
  run.started.open();
  run.turn.leave();
};

/** Has a run stopped, as soon as it has started, until it is over. Returns at once; a second wish changes nothing. */
const beginStop = (
  context: EngineContext,
  run: Run,
  reason: 'halted' | 'timed_out',
  graceMs = context.settings.stopGraceMs,
): void => {
  run.stopping ??= reason;
  if (run.beingStopped) return;
  run.beingStopped = true;
  const what = { executionId: run.executionId, action: 'stop' };
  const options = { signal: run.over.signal, attempts: Number.POSITIVE_INFINITY };
  context.tasks.run('stop run', async () => {
    await orAborted(run.started.opened, context.signal);
    await insist(context, what, () => run.executor.stop(run.ref, graceMs), options);
  });
};

/** Halts an execution: the wish is durable first. `graceMs` from SIGTERM to SIGKILL; that of the settings unless told. @throws Failure NOT_RUNNING, STORE_UNAVAILABLE */
export const halt = async (context: EngineContext, executionId: string, graceMs?: number): Promise<void> => {
  await context.store.transact((tx) => requestStop(tx, executionId, 'halted'));
  const run = context.runs.get(executionId);
  if (run !== undefined) beginStop(context, run, 'halted', graceMs);
};

/** Halts what of an actor (or of all) runs, also while the disk refuses to note why. */
export const haltAll = async (context: EngineContext, which: (run: Run) => boolean): Promise<void> => {
  const halting = [...context.runs.values()].filter(which).map(async (run) => {
    try {
      await halt(context, run.executionId);
    } catch (error) {
      if (error instanceof Failure && error.code === 'NOT_RUNNING') return;
      context.logger.warn({ error, executionId: run.executionId }, 'halting without a durable note');
      beginStop(context, run, 'halted');
    }
  });
  await Promise.all(halting);
};

const enforceLimit = async (context: EngineContext, run: Run, since: number): Promise<void> => {
  if (run.limitMs === undefined) return;
  if (!(await elapse(since + run.limitMs - context.clock.now(), run.over.signal))) return;
  try {
    await context.store.transact((tx) => requestStop(tx, run.executionId, 'timed_out'));
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_RUNNING') return;
    // A run that fills the disk must not escape its time limit by that.
    context.logger.warn({ error, executionId: run.executionId }, 'a time limit is enforced without a durable note');
  }
  beginStop(context, run, 'timed_out');
};

const LOST = 'The engine no longer knows the container of this execution; nobody can tell how it ended.';

const lost = (context: EngineContext, message: string): Outcome => ({ kind: 'lost', at: context.clock.now(), message });

/** Looks the run up in its engine and takes it up in the state in which it is; an outcome when there is nothing to take up. @throws ExecutorError */
const takeUp = async (context: EngineContext, run: Run): Promise<Attached | Outcome> => {
  const { executor, ref, executionId } = run;
  const found = (await executor.list()).find((one) => one.ref === ref);
  if (found === undefined) return lost(context, LOST);
  if (found.state === 'created' && run.stopping !== undefined) return { kind: 'neverStarted', at: context.clock.now() };
  const log = openLog(context, executionId);
  try {
    const sink = sinkOf(log);
    const running = await (found.state === 'created' ? executor.start(ref, sink) : executor.reattach(ref, sink));
    return { running, log };
  } catch (error) {
    await closeLog(context, executionId, log);
    throw error;
  }
};

/** Waits for the end of a run whose output comes in; its log is whole when this settles. */
const endOf = async (context: EngineContext, run: Run, { running, log }: Attached, since: number): Promise<Outcome> => {
  passTurn(run);
  context.tasks.run('time limit', () => enforceLimit(context, run, since));
  try {
    return { kind: 'ended', ...(await orAborted(running.ended, context.signal)) };
  } finally {
    await closeLog(context, run.executionId, log);
  }
};

/** Waits for the end, taking the run up again as often as it slips away. Rejects when the engine closes. */
const outcomeOf = async (context: EngineContext, run: Run, first: Attached | undefined): Promise<Outcome> => {
  const wait = backoff(context);
  let fresh = first;
  for (let failures = 0; ; ) {
    try {
      const now = context.clock.now();
      if (fresh !== undefined) return await endOf(context, run, fresh, now);
      const found = await takeUp(context, run);
      if ('kind' in found) return found;
      return await endOf(context, run, found, Math.min(now, found.running.startedAt));
    } catch (error) {
      context.signal.throwIfAborted();
      if (kindOf(error) === 'lost') return lost(context, LOST);
      fresh = undefined;
      context.logger.warn({ error, executionId: run.executionId }, 'an execution must be taken up again');
      if (kindOf(error) === 'unavailable') {
        await engineMayBeBack(context, run.executor, context.signal);
      } else {
        failures += 1;
        if (failures >= START_FAILURE_LIMIT) return lost(context, wordsOf(error));
        await pause(wait(), context.signal);
      }
    }
  }
};

/** Writes the end down, for as long as it takes; only then the run may leave the engine. */
export const conclude = async (context: EngineContext, run: Run, outcome: Outcome): Promise<void> => {
  const { executionId, slot, crew, executor, ref } = run;
  const final = await durably(context, 'finish execution', (tx) =>
    finish(tx, { executionId, outcome, stopping: run.stopping, leaving: slot.leaving }),
  );
  context.runs.delete(executionId);
  context.waiters.settle(executionId);
  if (!context.accepting && final !== undefined) {
    context.stopCount[final.reason === 'halted' ? 'halted' : 'finished'] += 1;
  }
  context.tasks.run('remove run', () => insist(context, { executionId, action: 'remove' }, () => executor.remove(ref)));
  release(context, crew, slot);
};

/**
 * Stays with a run until its end is durable. Without `first` the run is looked up in its engine: nobody knows how far it came.
 * When the engine closes it leaves everything as it is, for the next start.
 */
export const superviseRun = async (context: EngineContext, run: Run, first: Attached | undefined): Promise<void> => {
  try {
    if (run.stopping !== undefined) beginStop(context, run, run.stopping);
    const outcome = await outcomeOf(context, run, first);
    await conclude(context, run, outcome);
  } finally {
    run.over.abort();
    passTurn(run);
  }
};
