// The engine: takes messages out of mailboxes and sees each through to one final execution. Knows no HTTP.
import { setMaxListeners } from 'node:events';
import { Failure } from '../domain/failure.ts';
import type { Engine } from '../ports/engine.ts';
import type { EngineStatus, Executor } from '../ports/executor.ts';
import { createActorRotation } from './actor-rotation.ts';
import { type ActorWorkers, createActorWorkers } from './actor-workers.ts';
import { createBackgroundTasks, createLatch, elapse, orAborted } from './background-tasks.ts';
import { createTicker } from './cron-ticker.ts';
import type { EngineContext, EngineDependencies, EngineName } from './engine-context.ts';
import { type EngineSettings, engineSettings } from './engine-settings.ts';
import { createExecutionWaiters } from './execution-waiters.ts';
import { ensureReady } from './prepare-actor.ts';
import { recover } from './recover.ts';
import { createSweeper } from './retention-sweep.ts';
import { halt, haltAll } from './supervise-run.ts';
import { dismissWorker, reduceTo } from './wanted-workers.ts';
import { letGo, stopIdleTimers } from './worker-slots.ts';

/** From SIGKILL to the record of the end, at worst. */
const KILL_MS = 10_000;

/** What became of the executions that ran when the stop began. */
export interface Stopped {
  readonly finished: number;
  readonly halted: number;
  /** They run on in their engine; the next start takes them up. */
  readonly left: number;
}

/** The engine with what only main may do to it. */
export interface RunningEngine extends Engine {
  /**
   * Brings the records in order and resolves; then looks at the engines and begins to work. Call it once, before any request is taken.
   * An engine that does not answer is no error, nor is a full disk: work begins when they are back.
   */
  start(): Promise<void>;
  /**
   * Begins nothing new, waits for what runs up to `deadlineMs`, then lets go of everything. With `killActors` what runs is halted, and
   * gets the time that takes, whatever the deadline: nobody might come back for what went on.
   * Nothing is marked final that is not.
   */
  stop(options: { readonly deadlineMs: number; readonly killActors: boolean }): Promise<Stopped>;
  /** Applies retention now; it also happens by itself now and then. */
  sweep(): Promise<void>;
  /** Runs the actors whose cron time has come; it also happens by itself every second. */
  tick(): Promise<void>;
}

const createContext = (
  deps: EngineDependencies & { readonly settings?: Partial<EngineSettings> },
  signal: AbortSignal,
): EngineContext => {
  const crews = new Map<string, ActorWorkers>();
  const crewOf = (actorId: string): ActorWorkers => {
    const crew = crews.get(actorId) ?? createActorWorkers(deps.store, actorId);
    crews.set(actorId, crew);
    return crew;
  };
  const recovered = new Map<Executor, ReturnType<typeof createLatch> & { isOpen: boolean }>();
  for (const executor of Object.values(deps.executors)) recovered.set(executor, { ...createLatch(), isOpen: false });
  const context: EngineContext = {
    ...deps,
    settings: engineSettings(deps.settings),
    tasks: createBackgroundTasks({ logger: deps.logger, signal }),
    waiters: createExecutionWaiters(deps.store),
    signal,
    runs: new Map(),
    crews,
    recovered,
    accepting: false,
    inFlight: 0,
    stopCount: { finished: 0, halted: 0 },
    crewOf,
    offer: createActorRotation(() => context),
    ensure: (actorId) => ensureReady(context, actorId),
  };
  return context;
};

/** How long a report waits for an engine, ms: `status` must answer although the machine is drowned in work. */
const REPORT_MS = 2_000;

const promptly = async (probe: Promise<EngineStatus> | undefined): Promise<EngineStatus | undefined> => {
  const over = new AbortController();
  const late = elapse(REPORT_MS, over.signal).then(
    (): EngineStatus => ({ available: false, reason: `it did not answer within ${REPORT_MS / 1_000} s` }),
  );
  try {
    return await Promise.race([probe, late]);
  } finally {
    over.abort();
  }
};

const shuttingDown = (): Failure => new Failure('SHUTTING_DOWN', 'The daemon is stopping; ask again when it is back.');

const retire = async (context: EngineContext, actorId: string): Promise<void> => {
  const crew = context.crewOf(actorId);
  crew.retired = true;
  crew.preparing?.abort.abort();
  await haltAll(context, (run) => run.actorId === actorId);
  await orAborted(crew.quiet(), context.signal);
  letGo(context, crew, () => true);
  context.waiters.recheck(actorId);
  context.crews.delete(actorId);
};

const isQuiet = async (context: EngineContext): Promise<void> => {
  await Promise.all([...context.crews.values()].map((crew) => crew.quiet()));
};

/** Builds the engine over its ports. Executors are asked in the order of the record which of them takes an image. */
export const createEngine = (
  deps: EngineDependencies & { readonly settings?: Partial<EngineSettings> },
): RunningEngine => {
  const closing = new AbortController();
  // Every run and every wait listens.
  setMaxListeners(0, closing.signal);
  const context = createContext(deps, closing.signal);
  const sweeper = createSweeper(context);
  let unwatch = (): void => undefined;
  const ticker = createTicker(context);

  return {
    async start() {
      // Messages also come of events, in decisions that know nothing of the engine.
      unwatch = deps.store.watch('messages', ({ actorId }) => context.offer(actorId));
      await recover(context);
      context.tasks.run('sweep', sweeper.keepSweeping);
      context.tasks.run('cron', ticker.keepTicking);
    },

    async stop({ deadlineMs, killActors }) {
      context.accepting = false;
      unwatch();
      context.stopCount.finished = 0;
      context.stopCount.halted = 0;
      for (const crew of context.crews.values()) crew.preparing?.abort.abort();
      if (killActors) await haltAll(context, () => true);
      const deadline = new AbortController();
      const patienceMs = killActors ? Math.max(deadlineMs, context.settings.stopGraceMs + KILL_MS) : deadlineMs;
      await Promise.race([isQuiet(context), elapse(patienceMs, deadline.signal)]);
      deadline.abort();
      stopIdleTimers(context);
      const left = context.runs.size;
      closing.abort(shuttingDown());
      await context.tasks.settled();
      return { ...context.stopCount, left };
    },

    sweep: sweeper.sweep,
    tick: ticker.tick,
    actorChanged: context.ensure,

    wake(actorId) {
      context.waiters.recheck(actorId);
      context.offer(actorId);
    },

    halt: (executionId, graceMs) => halt(context, executionId, graceMs),
    finished: (executionId, signal) => context.waiters.wait(executionId, signal),
    retire: (actorId) => retire(context, actorId),

    scaled(actorId, exact) {
      const wanted = context.store.get('actors', actorId)?.wantedWorkers ?? 0;
      // Nobody wants any: one stays for the next message, as ever.
      if (exact) reduceTo(context, context.crewOf(actorId), Math.max(1, wanted));
      context.ensure(actorId);
    },

    dismissWorker: (actorId, workerId) => dismissWorker(context, context.crewOf(actorId), workerId),

    engines: () => {
      const names = Object.keys(context.executors) as EngineName[];
      return Promise.all(
        names.map(async (name) => {
          const status = await promptly(context.executors[name]?.probe(closing.signal));
          return status?.available
            ? {
                name,
                available: true,
                detail: status.description,
                ...(status.endpoint !== undefined && { endpoint: status.endpoint }),
              }
            : { name, available: false, detail: status?.reason ?? 'not set up' };
        }),
      );
    },
  };
};
