// Stops runs: by a halt, by their time limit, or with their actor.
import { Failure } from '../../domain/failure.ts';
import { orAborted } from '../background-tasks.ts';
import { callWithRetry, type Run, type SchedulerContext } from '../scheduler-context.ts';
import { requestStop } from '../transactions.ts';

/**
 * Stops a run and retries until the run is over. Returns at once. A further call has an effect only if it kills the run
 * sooner.
 */
export const beginStop = (
  context: SchedulerContext,
  run: Run,
  reason: 'halted' | 'timed_out',
  graceMs = context.settings.stopGraceMs,
): void => {
  run.stopping ??= reason;
  // The machine's clock is not used, because a change of it must not delay a kill.
  const killAt = performance.now() + graceMs;
  if (killAt >= run.killAt) return;
  run.killAt = killAt;
  run.halted.abort();
  const what = { executionId: run.executionId, action: 'stop' };
  const options = { signal: run.over.signal, attempts: Number.POSITIVE_INFINITY };
  context.tasks.run('stop run', async () => {
    await orAborted(run.started.opened, context.signal);
    // The stop request is on disk. A daemon that stops does not wait for a long grace period; the next one repeats the
    // stop.
    const stop = () => orAborted(run.executor.stop(run.ref, graceMs), context.signal);
    await callWithRetry(context, what, stop, options);
  });
};

/** Resolves when the request is on disk. `graceMs` (SIGTERM to SIGKILL) defaults to `stopGraceMs`. */
export const halt = async (context: SchedulerContext, executionId: string, graceMs?: number): Promise<void> => {
  await context.store.transact((tx) => requestStop(tx, executionId, 'halted'));
  const run = context.runs.get(executionId);
  if (run !== undefined) beginStop(context, run, 'halted', graceMs);
};

/**
 * If the disk refuses the write, the run is stopped without a stored reason: an actor must not escape its time limit by
 * filling the disk.
 */
export const stopRun = async (context: SchedulerContext, run: Run, reason: 'halted' | 'timed_out'): Promise<void> => {
  try {
    await context.store.transact((tx) => requestStop(tx, run.executionId, reason));
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_RUNNING') return;
    const { executionId } = run;
    context.logger.warn({ error, executionId, reason }, 'an execution is stopped although the reason cannot be stored');
  }
  beginStop(context, run, reason);
};

/** Halts the chosen runs, even while the disk refuses writes. */
export const haltAll = async (context: SchedulerContext, which: (run: Run) => boolean): Promise<void> => {
  await Promise.all([...context.runs.values()].filter(which).map((run) => stopRun(context, run, 'halted')));
};
