// The scheduler: takes messages out of mailboxes and turns each into exactly one final execution. It has no knowledge
// of HTTP.

import { setMaxListeners } from 'node:events';
import { isFinal } from '../domain/executions/execution-status.ts';
import { Failure } from '../domain/failure.ts';
import type { EngineNode, EngineStatus, Executor } from '../ports/executor.ts';
import type { Pruning } from '../ports/pruning.ts';
import type { Shells } from '../ports/runs/shell.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import { createActorRotation, standingOf } from './actor-rotation.ts';
import { type ActorWorkers, createActorWorkers } from './actor-workers.ts';
import { createBackgroundTasks, createLatch, elapse, orAborted } from './background-tasks.ts';
import { createTicker } from './cron/cron-ticker.ts';
import { createExecutionWaiters } from './execution-waiters.ts';
import { ensureReady } from './prepare-actor.ts';
import { createPruning } from './prune.ts';
import { recover } from './recover.ts';
import { createSweeper } from './retention-sweep.ts';
import { createShells } from './runs/shells.ts';
import { halt, haltAll } from './runs/stop-run.ts';
import type { EngineDependencies, ExecutorName, SchedulerContext } from './scheduler-context.ts';
import { executorFor } from './scheduler-context.ts';
import { type SchedulerSettings, schedulerSettings } from './scheduler-settings.ts';
import { dismissWorker, reduceWorkers } from './wanted-workers.ts';
import { removeWorkers, stopIdleTimers } from './worker-slots.ts';

/** Maximum time between SIGKILL and the stored end of an execution, in ms. */
const KILL_MS = 10_000;

export interface Stopped {
  readonly finished: number;
  readonly halted: number;
  /** Executions that still run in their engine. The next start recovers them. */
  readonly left: number;
}

export interface RunningScheduler extends Scheduler {
  /**
   * Repairs the records and resolves, then checks the engines and begins to work. Call it once, before the first
   * request. An unavailable engine or a full disk is no error: work begins when they are back.
   * @param options `work: false` supervises the executions that an earlier daemon left, and begins nothing new
   */
  start(options?: { readonly work?: boolean }): Promise<void>;
  haltAll(): Promise<void>;
  /**
   * Begins no new execution, waits up to `deadlineMs` for running ones, then closes. With `haltExecutions`, it halts
   * running executions and waits without a deadline, because there may be no later daemon to recover them. Executions
   * that still run are not marked final.
   */
  stop(options: { readonly deadlineMs: number; readonly haltExecutions: boolean }): Promise<Stopped>;
  sweep(): Promise<void>;
  tick(): Promise<void>;
  readonly pruning: Pruning;
  readonly shells: Shells;
}

const createContext = (
  deps: EngineDependencies & { readonly settings?: Partial<SchedulerSettings> },
  signal: AbortSignal,
): SchedulerContext => {
  const workersByActor = new Map<string, ActorWorkers>();
  const workersOf = (actorId: string): ActorWorkers => {
    const workers = workersByActor.get(actorId) ?? createActorWorkers(deps.store, actorId);
    workersByActor.set(actorId, workers);
    return workers;
  };
  const recovered = new Map<Executor, ReturnType<typeof createLatch> & { isOpen: boolean }>();
  for (const executor of Object.values(deps.executors)) recovered.set(executor, { ...createLatch(), isOpen: false });
  const context: SchedulerContext = {
    ...deps,
    settings: schedulerSettings(deps.settings),
    tasks: createBackgroundTasks({ logger: deps.logger, signal }),
    waiters: createExecutionWaiters(deps.store),
    signal,
    runs: new Map(),
    workersByActor,
    recovered,
    accepting: false,
    busySlots: 0,
    stopCount: { finished: 0, halted: 0 },
    workersOf,
    startWaiting: createActorRotation(() => context),
    ensureReady: (actorId) => ensureReady(context, actorId),
  };
  return context;
};

/** Maximum time in ms that a report waits for one engine, so that `status` responds even on an overloaded machine. */
const REPORT_MS = 2_000;

const withinReportTime = async <T>(asked: Promise<T>, late: T): Promise<T> => {
  const over = new AbortController();
  try {
    return await Promise.race([asked, elapse(REPORT_MS, over.signal).then(() => late)]);
  } finally {
    over.abort();
  }
};

const SILENT: EngineStatus = { available: false, reason: `it did not answer within ${REPORT_MS / 1_000} s` };

const nodesOf = async (context: SchedulerContext): Promise<readonly EngineNode[]> => {
  const clusters = Object.values(context.executors).flatMap(({ nodes }) => nodes?.() ?? []);
  const answers = clusters.map((nodes) =>
    withinReportTime(nodes, []).catch((error: unknown) => {
      context.logger.warn({ error }, 'cannot list the nodes of the cluster');
      return [];
    }),
  );
  return (await Promise.all(answers)).flat();
};

const shuttingDown = (): Failure =>
  new Failure('SHUTTING_DOWN', 'The daemon is stopping. Try again when it is running.');

const retire = async (context: SchedulerContext, actorId: string): Promise<void> => {
  const workers = context.workersOf(actorId);
  workers.deleting = true;
  workers.preparing?.abort.abort();
  await haltAll(context, (run) => run.actorId === actorId);
  await orAborted(workers.whenIdle(), context.signal);
  removeWorkers(context, workers, () => true);
  context.workersByActor.delete(actorId);
};

const whenAllIdle = async (context: SchedulerContext): Promise<void> => {
  await Promise.all([...context.workersByActor.values()].map((workers) => workers.whenIdle()));
};

/** Creates the scheduler. An image runs on the first executor, in the order of the record, that accepts it. */
export const createScheduler = (
  deps: EngineDependencies & { readonly settings?: Partial<SchedulerSettings> },
): RunningScheduler => {
  const closing = new AbortController();
  // Every run and every wait adds a listener to the signal.
  setMaxListeners(0, closing.signal);
  const context = createContext(deps, closing.signal);
  const sweeper = createSweeper(context);
  let unwatch: readonly (() => void)[] = [];
  const ticker = createTicker(context);

  return {
    async start({ work = true } = {}) {
      unwatch = [
        deps.store.watch('messages', ({ actorId }) => context.startWaiting(actorId)),
        deps.store.watch('executions', ({ id, status }) => {
          if (isFinal(status)) context.waiters.settle(id);
        }),
      ];
      await recover(context, work);
      if (!work) return;
      context.tasks.run('sweep', sweeper.keepSweeping);
      context.tasks.run('cron', ticker.keepTicking);
    },

    async stop({ deadlineMs, haltExecutions }) {
      context.accepting = false;
      context.stopCount.finished = 0;
      context.stopCount.halted = 0;
      for (const workers of context.workersByActor.values()) workers.preparing?.abort.abort();
      if (haltExecutions) await haltAll(context, () => true);
      const deadline = new AbortController();
      const waitMs = haltExecutions ? Math.max(deadlineMs, context.settings.stopGraceMs + KILL_MS) : deadlineMs;
      await Promise.race([whenAllIdle(context), elapse(waitMs, deadline.signal)]);
      deadline.abort();
      stopIdleTimers(context);
      const left = context.runs.size;
      closing.abort(shuttingDown());
      await context.tasks.settled();
      for (const each of unwatch) each();
      return { ...context.stopCount, left };
    },

    haltAll: () => haltAll(context, () => true),
    sweep: sweeper.sweep,
    tick: ticker.tick,
    pruning: createPruning(context),
    shells: createShells(context),
    actorChanged: context.ensureReady,
    leastMemoryBytes: (image) => executorFor(context, image)?.leastMemoryBytes ?? 0,
    means: async (image) => withinReportTime(Promise.resolve(executorFor(context, image)?.means?.()), undefined),
    imageFault: async (image) => executorFor(context, image)?.imageFault?.(image),

    standingOf: (execution) => standingOf(context, execution),
    halt: (executionId, graceMs) => halt(context, executionId, graceMs),
    finished: (executionId, signal) => context.waiters.wait(executionId, signal),
    retire: (actorId) => retire(context, actorId),

    scaled(actorId, exact) {
      const wanted = context.store.get('actors', actorId)?.wantedWorkers ?? 0;
      // Unless an admin requested a number, one worker stays for the next message.
      if (exact) reduceWorkers(context, context.workersOf(actorId), Math.max(1, wanted));
      context.ensureReady(actorId);
    },

    dismissWorker: (actorId, workerId) => dismissWorker(context, context.workersOf(actorId), workerId),

    nodes: () => nodesOf(context),

    engines: () => {
      const executors = Object.entries(context.executors) as [ExecutorName, Executor][];
      return Promise.all(
        executors.map(async ([name, executor]) => {
          const status = await withinReportTime(executor.probe(closing.signal), SILENT);
          return status.available
            ? {
                name,
                available: true,
                detail: status.description,
                endpoint: status.endpoint,
                ...(status.limitations !== undefined &&
                  status.limitations.length > 0 && { limitations: status.limitations }),
              }
            : { name, available: false, detail: status.reason };
        }),
      );
    },
  };
};
