// Supervises a run from its start to its final record: log, time limit, end.
import { START_FAILURE_LIMIT } from '../../domain/actors/actor-status.ts';
import type { Outcome } from '../../domain/executions/execution-status.ts';
import { NO_API } from '../../domain/executions/run-warnings.ts';
import { Failure } from '../../domain/failure.ts';
import { type LogSink, neverStarted, type Running } from '../../ports/executor.ts';
import type { LogEnd, LogWriter } from '../../ports/logs.ts';
import { elapse, orAborted, pause } from '../background-tasks.ts';
import {
  backoff,
  callWithRetry,
  executorErrorKind,
  messageOf,
  type Run,
  type SchedulerContext,
  transactWithRetry,
  waitForEngine,
} from '../scheduler-context.ts';
import { finishExecution, storeNode } from '../transactions.ts';
import { freeSlot } from '../worker-slots.ts';
import { maskedLog } from './masked-log.ts';
import { readReturned } from './returned-files.ts';
import { beginStop, stopRun } from './stop-run.ts';

export interface Attached {
  readonly running: Running;
  readonly log: LogWriter | undefined;
}

/** Logs why there is no log, for example because of a full disk. The execution runs without one. */
const withoutLog = (context: SchedulerContext, executionId: string, error: unknown): undefined => {
  context.logger.error({ error, executionId }, 'cannot open the log of an execution');
};

/** Begins the log of a run without the API with a line about it, from each source: a resumed log drops what it has. */
const begun = ({ store }: SchedulerContext, executionId: string, log: LogWriter): LogWriter => {
  if (store.get('executions', executionId)?.warnings?.includes(NO_API))
    log.write('stderr', Buffer.from(`actorctl: ${NO_API}\n`));
  return log;
};

export const openLog = (
  context: SchedulerContext,
  run: Pick<Run, 'executionId' | 'secrets' | 'stderr'>,
): LogWriter | undefined => {
  try {
    return begun(context, run.executionId, maskedLog(context.logs.open(run.executionId), run.secrets(), run.stderr));
  } catch (error) {
    return withoutLog(context, run.executionId, error);
  }
};

/** @throws Failure STORE_UNAVAILABLE if the secrets that the log hides are not known: nothing is written then */
const resumeLog = async (
  context: SchedulerContext,
  run: Pick<Run, 'executionId' | 'secrets'> & Partial<Pick<Run, 'stderr'>>,
): Promise<LogWriter | undefined> => {
  const hidden = run.secrets();
  try {
    return begun(context, run.executionId, maskedLog(await context.logs.resume(run.executionId), hidden, run.stderr));
  } catch (error) {
    return withoutLog(context, run.executionId, error);
  }
};

export const sinkOf =
  (log: LogWriter | undefined): LogSink =>
  (stream, data, leftOut) =>
    log?.write(stream, data, leftOut);

export const closeLog = async (
  context: SchedulerContext,
  executionId: string,
  log: LogWriter | undefined,
  end: LogEnd,
): Promise<void> => {
  const wait = backoff(context);
  for (;;) {
    try {
      return await log?.close(end);
    } catch (error) {
      context.logger.error({ error, executionId }, 'the log of an execution is incomplete');
      // A full disk may get free space again, and the final record waits for that too.
      const mayWork = error instanceof Failure && error.code === 'STORE_UNAVAILABLE';
      if (!mayWork || !(await elapse(wait(), context.signal))) return;
    }
  }
};

/** The clock that the engines and their runs use. */
const machineTime = ({ clock, machine = clock }: SchedulerContext): number => machine.now();

const enforceLimit = async (context: SchedulerContext, run: Run, since: number): Promise<void> => {
  if (run.limitMs === undefined) return;
  if (await elapse(since + run.limitMs - machineTime(context), run.over.signal))
    await stopRun(context, run, 'timed_out');
};

const UNKNOWN_END = 'The end of this execution is unknown: its engine no longer has its container.';

const lostOutcome = (context: SchedulerContext, message: string): Outcome => ({
  kind: 'lost',
  at: context.clock.now(),
  message,
});

/** Starts or reattaches the run, depending on its state. Returns an outcome if nothing is left to run. */
const attach = async (context: SchedulerContext, run: Run): Promise<Attached | Outcome> => {
  const { executor, ref, executionId } = run;
  const found = (await executor.list()).find((one) => one.ref === ref);
  if (found === undefined) return lostOutcome(context, UNKNOWN_END);
  const log = await resumeLog(context, run);
  // Checked in the turn of the start: a run that was asked to stop before does not start.
  if (found.state === 'created' && run.stopping !== undefined) {
    await closeLog(context, executionId, log, 'complete');
    return { kind: 'neverStarted', at: context.clock.now() };
  }
  try {
    const sink = sinkOf(log);
    const { signal } = run.halted;
    const attaching =
      found.state === 'created' ? executor.start(ref, sink, signal) : executor.reattach(ref, sink, signal);
    return { running: await orAborted(attaching, context.signal), log };
  } catch (error) {
    await closeLog(context, executionId, log, 'continues');
    if (run.stopping === undefined || !neverStarted(error)) throw error;
    return { kind: 'neverStarted', at: context.clock.now() };
  }
};

/** Waits for the end of an attached run. When this settles, its log is complete and its results are stored. */
const waitForEnd = async (
  context: SchedulerContext,
  run: Run,
  { running, log }: Attached,
  since: number,
): Promise<Outcome> => {
  run.started.open();
  run.trouble = undefined;
  context.tasks.run('time limit', () => enforceLimit(context, run, since));
  const { node } = running;
  let settled: Promise<void> | undefined;
  let end: LogEnd = 'continues';
  try {
    if (node !== undefined) {
      await transactWithRetry(context, 'store the node', (tx) => storeNode(tx, run.executionId, node));
    }
    const ended = await orAborted(running.ended, context.signal);
    settled = running.settled && orAborted(running.settled, context.signal);
    const faults = ended.interrupted === undefined ? await readReturned(context, run) : [];
    for (const fault of faults) log?.notice(`[${fault}]`);
    end = 'complete';
    return { kind: 'ended', ...ended, ...(faults.length > 0 && { complaint: faults.join(' ') }) };
  } catch (error) {
    if (executorErrorKind(error) === 'lost') end = 'unknown';
    throw error;
  } finally {
    const closed = closeLog(context, run.executionId, log, end);
    try {
      await settled;
    } finally {
      await closed;
    }
  }
};

/** Waits for the end of a run and reattaches after every failure. Rejects when the scheduler closes. */
const waitForOutcome = async (context: SchedulerContext, run: Run, first: Attached | undefined): Promise<Outcome> => {
  const wait = backoff(context);
  let attached = first;
  for (let failures = 0; ; ) {
    try {
      const now = machineTime(context);
      if (attached !== undefined) return await waitForEnd(context, run, attached, now);
      const found = await attach(context, run);
      if ('kind' in found) return found;
      return await waitForEnd(context, run, found, Math.min(now, found.running.startedAt ?? now));
    } catch (error) {
      context.signal.throwIfAborted();
      if (executorErrorKind(error) === 'lost')
        return lostOutcome(context, `The end of this execution is unknown: ${messageOf(error).replace(/\.$/, '')}.`);
      // The claim of an earlier daemon is final, so the message cannot wait for a change of the actor.
      if (executorErrorKind(error) === 'never' || executorErrorKind(error) === 'size')
        return { kind: 'refused', at: context.clock.now(), message: messageOf(error) };
      attached = undefined;
      run.trouble = messageOf(error);
      context.logger.warn(
        { error, executionId: run.executionId },
        'lost the connection to an execution; attaching again',
      );
      if (executorErrorKind(error) === 'unavailable') {
        await waitForEngine(context, run.executor, context.signal);
      } else if (executorErrorKind(error) === 'full') {
        await pause(wait(), context.signal);
      } else {
        failures += 1;
        if (failures >= START_FAILURE_LIMIT) return lostOutcome(context, messageOf(error));
        await pause(wait(), context.signal);
      }
    }
  }
};

const onClockOf = ({ clock, machine }: SchedulerContext, outcome: Outcome): Outcome =>
  machine === undefined || outcome.kind !== 'ended' ? outcome : { ...outcome, virtualEnd: clock.now() };

/** Notes in the log of a lost run that the rest of its output is not known, if the log had reached its limit. */
export const endLostLog = async (context: SchedulerContext, executionId: string): Promise<void> =>
  closeLog(context, executionId, await resumeLog(context, { executionId, secrets: () => [] }), 'unknown');

/** Stores the outcome, retrying for as long as the disk refuses, and only then removes the run from its engine. */
export const finishRun = async (context: SchedulerContext, run: Run, outcome: Outcome): Promise<void> => {
  const { executionId, slot, workers, executor, ref } = run;
  const final = await transactWithRetry(context, 'finish execution', (tx) =>
    finishExecution(tx, {
      executionId,
      outcome: onClockOf(context, outcome),
      lastStderr: run.stderr.text(),
      stopping: run.stopping,
      leaving: slot.leaving,
      returned: run.returned,
    }),
  );
  if (final?.status !== 'COMPLETE') await run.returned.result?.discard();
  context.runs.delete(executionId);
  if (!context.accepting && final !== undefined) {
    context.stopCount[final.reason === 'halted' ? 'halted' : 'finished'] += 1;
  }
  context.tasks.run('remove run', () =>
    callWithRetry(context, { executionId, action: 'remove' }, () => executor.remove(ref)),
  );
  freeSlot(context, workers, slot);
};

/** Without `first` the run is looked up in its engine. When the scheduler closes, the run is left for the next start. */
export const superviseRun = async (context: SchedulerContext, run: Run, first: Attached | undefined): Promise<void> => {
  try {
    // Only for a run that was being stopped when its daemon ended. Any other stop starts separately, with its own time.
    if (run.stopping !== undefined && run.killAt === Number.POSITIVE_INFINITY) beginStop(context, run, run.stopping);
    const outcome = await waitForOutcome(context, run, first);
    if (outcome.kind === 'lost') await endLostLog(context, run.executionId);
    await finishRun(context, run, outcome);
  } finally {
    run.over.abort();
    run.started.open();
  }
};
