// Recovery at start: resumes the runs that the previous daemon left in the store and the engines, and removes leftover
// runs.
import { versionOf } from '../domain/actors/actor-description.ts';
import { runTimeLimitOf } from '../domain/actors/actor-limits.ts';
import { createLastLine } from '../domain/executions/last-line.ts';
import { stepWorker } from '../domain/executions/worker-status.ts';
import type { ExecutionRecord, WorkerRecord } from '../domain/records/actor-records.ts';
import type { Executor, Found } from '../ports/executor.ts';
import type { Transaction } from '../ports/store.ts';
import { createSlot } from './actor-workers.ts';
import { createLatch } from './background-tasks.ts';
import { endLostLog, superviseRun } from './runs/supervise-run.ts';
import {
  callWithRetry,
  changeActor,
  executorErrorKind,
  executorFor,
  type Run,
  type SchedulerContext,
  transactWithRetry,
  waitForEngine,
} from './scheduler-context.ts';
import { finishExecution } from './transactions.ts';
import { addIdleWorker, markBusy, removeWorkers } from './worker-slots.ts';

const isUsable = ({ store }: SchedulerContext, worker: WorkerRecord): boolean => {
  const actor = store.get('actors', worker.actorId);
  return actor?.status === 'READY' && actor.revision === worker.revision && ['READY', 'BUSY'].includes(worker.status);
};

const planRepair = (context: SchedulerContext, running: readonly ExecutionRecord[]) => {
  const busy = new Set(running.map(({ workerId }) => workerId));
  const alive = new Set(running.map(({ id }) => id));
  const idle = [...context.store.all('workers')].filter(({ id }) => !busy.has(id));
  const usable = idle.filter((worker) => isUsable(context, worker));
  const useless = idle.filter((worker) => !usable.includes(worker));
  const dead = [...context.store.all('tokens')].filter(
    ({ flow, executionId }) => flow === 'execution' && !(executionId !== undefined && alive.has(executionId)),
  );
  // A ready actor's status message says why it waited for its engine. If it has to wait again, the message is stored
  // again; otherwise no later step would clear it.
  const outdated = [...context.store.all('actors')].filter(
    ({ status, startFailures, statusMessage }) => status === 'READY' && startFailures === 0 && statusMessage !== '',
  );
  return {
    decide(tx: Transaction): void {
      for (const { id } of outdated) changeActor(tx, id, (actor) => ({ ...actor, statusMessage: '' }));
      for (const { hash } of dead) tx.delete('tokens', hash);
      for (const { id } of useless) tx.delete('workers', id);
      for (const worker of usable)
        if (worker.status === 'BUSY') tx.put('workers', stepWorker(worker, 'free') ?? worker);
    },
    join(): void {
      for (const worker of usable) addIdleWorker(context, context.workersOf(worker.actorId), createSlot(worker));
    },
  };
};

const recoveredRun = (context: SchedulerContext, execution: ExecutionRecord): Run | undefined => {
  const actor = context.store.get('actors', execution.actorId);
  const worker = context.store.get('workers', execution.workerId ?? '');
  const image = worker?.image ?? actor?.image ?? '';
  const executor = executorFor(context, image);
  if (executor === undefined || execution.runRef === undefined) return undefined;
  const workers = context.workersOf(execution.actorId);
  const slot = createSlot({ id: execution.workerId ?? context.ids.id(), image, revision: worker?.revision ?? 0 });
  slot.leaving = actor === undefined;
  workers.slots.set(slot.workerId, slot);
  markBusy(context, slot, execution.id);
  return {
    executionId: execution.id,
    actorId: execution.actorId,
    ref: execution.runRef,
    executor,
    secrets: () => {
      // Read when it is needed, because a change of the key encrypts it anew.
      const sealed = context.store.get('executions', execution.id)?.secrets;
      return sealed === undefined ? [] : context.configs.open(execution, sealed);
    },
    limitMs: actor === undefined ? undefined : runTimeLimitOf(actor, context.settings.defaultMaxRunTimeMs),
    workers,
    slot,
    failuresBefore: actor?.startFailures ?? 0,
    actorVersion: actor && versionOf(actor),
    started: createLatch(),
    over: new AbortController(),
    stopping: execution.stopping,
    halted: new AbortController(),
    trouble: undefined,
    stderr: createLastLine(),
    returned: {},
    killAt: Number.POSITIVE_INFINITY,
  };
};

const NO_EXECUTOR = 'The end of this execution is unknown: its engine is not set up any more.';
const COPIED = 'The end of this execution is unknown: the data folder is a copy, and the original runs it.';

/** Supervises every running execution again. An execution without an engine or a ref is recorded as lost. */
const resumeRuns = (context: SchedulerContext, running: readonly ExecutionRecord[]): void => {
  for (const execution of running) {
    const run = recoveredRun(context, execution);
    if (run === undefined) {
      const message = execution.runRef === undefined ? COPIED : NO_EXECUTOR;
      const outcome = { kind: 'lost', at: context.clock.now(), message } as const;
      context.tasks.run('give up execution', async () => {
        await endLostLog(context, execution.id);
        await transactWithRetry(context, 'give up execution', (tx) =>
          finishExecution(tx, { executionId: execution.id, outcome, stopping: undefined, leaving: true }),
        );
      });
    } else {
      context.runs.set(run.executionId, run);
      context.tasks.run('supervise recovered run', () => superviseRun(context, run, undefined));
    }
  }
};

const isOrphan = (context: SchedulerContext, found: Found, refs: ReadonlySet<string>): boolean => {
  if (found.kind === 'run') return !refs.has(found.ref);
  for (const workers of context.workersByActor.values()) if (workers.slots.has(found.workerId)) return false;
  return true;
};

/** Removes the runs of one engine that no record names, and allows new runs there. @throws ExecutorError unavailable */
const removeOrphans = async (
  context: SchedulerContext,
  executor: Executor,
  refs: ReadonlySet<string>,
): Promise<void> => {
  const orphans = (await executor.list()).filter((found) => isOrphan(context, found, refs));
  for (const { ref, executionId } of orphans) {
    context.tasks.run('remove orphan', () =>
      callWithRetry(context, { executionId, ref, action: 'remove orphan' }, () => executor.remove(ref)),
    );
  }
  const latch = context.recovered.get(executor);
  if (latch === undefined) return;
  latch.isOpen = true;
  latch.open();
  for (const actorId of [...context.workersByActor.keys()]) context.startWaiting(actorId);
};

const removeOrphansWhenAvailable = async (
  context: SchedulerContext,
  executor: Executor,
  refs: ReadonlySet<string>,
): Promise<void> => {
  for (;;) {
    await waitForEngine(context, executor, context.signal);
    try {
      return await removeOrphans(context, executor, refs);
    } catch (error) {
      context.signal.throwIfAborted();
      if (executorErrorKind(error) !== 'unavailable')
        context.logger.error({ error }, 'cannot look for leftover runs in an engine');
    }
  }
};

/**
 * Deletes body files that no message and no result names. A crash between writing a body file and its record leaves
 * such a file.
 */
const deleteUnusedBodies = async ({ store, bodies, logger }: SchedulerContext): Promise<void> => {
  const used = new Set<string>();
  for (const { bodyFile } of store.all('messages')) if (bodyFile !== null) used.add(bodyFile);
  for (const { bodyFile } of store.all('results')) if (bodyFile !== null) used.add(bodyFile);
  try {
    await bodies.sweep(used);
  } catch (error) {
    logger.warn({ error }, 'cannot delete unused body files; the next start tries again');
  }
};

const recoverEngines = async (context: SchedulerContext, refs: ReadonlySet<string>): Promise<void> => {
  const looks = [...context.recovered.keys()].map(async (executor) => {
    try {
      await removeOrphans(context, executor, refs);
    } catch (error) {
      context.logger.warn({ error }, 'an engine is unavailable at start; its runs are recovered when it is back');
      context.tasks.run('recover engine', () => removeOrphansWhenAvailable(context, executor, refs));
    }
  });
  await Promise.all(looks);
};

const startWork = async (context: SchedulerContext, refs: ReadonlySet<string>): Promise<void> => {
  context.accepting = true;
  for (const { actorId } of context.store.all('messages')) context.workersOf(actorId);
  await recoverEngines(context, refs);
  for (const { id, revision } of [...context.store.all('actors')]) {
    const workers = context.workersByActor.get(id);
    if (workers !== undefined) removeWorkers(context, workers, (slot) => slot.revision !== revision);
    context.ensureReady(id);
  }
};

/**
 * Repairs the records and resolves; the check of the engines and the work follow in the background. While the disk
 * refuses writes, everything follows in the background. Must be called before the first message is accepted: it deletes
 * body files whose message is not on disk yet.
 * @param work false: supervise the running executions only, and begin nothing new
 */
export const recover = async (context: SchedulerContext, work: boolean): Promise<void> => {
  await deleteUnusedBodies(context);
  const running = [...context.store.by('executions', 'running', 'yes')];
  const refs = new Set(running.flatMap(({ runRef }) => (runRef === undefined ? [] : [runRef])));
  resumeRuns(context, running);
  const { decide, join: joinIdle } = planRepair(context, running);
  try {
    await context.store.transact(decide);
  } catch (error) {
    context.logger.warn({ error }, 'the store refuses writes; work begins when it accepts them again');
    context.tasks.run('begin when the store is writable', async () => {
      await transactWithRetry(context, 'repair records', decide);
      joinIdle();
      if (work) await startWork(context, refs);
    });
    return;
  }
  joinIdle();
  if (work) context.tasks.run('begin', () => startWork(context, refs));
};
