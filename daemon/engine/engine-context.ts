// What the parts of the engine share: the ports, the settings, and what is in its hands at this moment.
import { Failure } from '../domain/failure.ts';
import type { ActorRecord, ExecutionRecord, MessageRecord } from '../domain/records/actor-records.ts';
import type { Bodies } from '../ports/bodies.ts';
import type { Clock } from '../ports/clock.ts';
import type { Configs } from '../ports/configs.ts';
import { type Executor, ExecutorError } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Logs } from '../ports/logs.ts';
import type { Store, Transaction } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import type { ActorWorkers, StartTurn, WorkerSlot } from './actor-workers.ts';
import { type BackgroundTasks, elapse, type Latch, pause } from './background-tasks.ts';
import type { EngineSettings } from './engine-settings.ts';
import type { ExecutionWaiters } from './execution-waiters.ts';

export type EngineName = 'docker' | 'process';

export interface EngineDependencies {
  readonly store: Store;
  readonly executors: Readonly<Partial<Record<EngineName, Executor>>>;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly configs: Configs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly vault: Pick<Vault, 'digest'>;
  readonly logger: Logger;
}

/** An execution between its claim and its final record. */
export interface Run {
  readonly executionId: string;
  readonly actorId: string;
  readonly ref: string;
  readonly executor: Executor;
  readonly limitMs: number | undefined;
  readonly crew: ActorWorkers;
  readonly slot: WorkerSlot;
  /** Its place in the order of starts; left when the run has started, or when it is known that it never will. */
  readonly turn: StartTurn;
  readonly started: Latch;
  /** Fires when the run is over: its time limit and the attempts to stop it end with it. */
  readonly over: AbortController;
  /** Why it is being stopped; the record says the same unless the disk refused. */
  stopping: ExecutionRecord['stopping'];
  /** Somebody is at it already. */
  beingStopped: boolean;
}

export interface EngineContext extends EngineDependencies {
  readonly settings: EngineSettings;
  readonly tasks: BackgroundTasks;
  readonly waiters: ExecutionWaiters;
  /** Fires at the end of `stop`: every wait ends. */
  readonly signal: AbortSignal;
  readonly runs: Map<string, Run>;
  readonly crews: Map<string, ActorWorkers>;
  /** Opens when what an executor had of an earlier daemon is taken up; before that nothing new is created there. */
  readonly recovered: Map<Executor, Latch & { isOpen: boolean }>;
  /** False once the engine stops: nothing new begins. */
  accepting: boolean;
  /** Busy slots of all crews. */
  inFlight: number;
  /** Finals since the stop began. */
  readonly stopCount: { finished: number; halted: number };
  crewOf(actorId: string): ActorWorkers;
  /** This actor may be able to begin something. */
  offer(actorId: string): void;
  /** Looks after an actor's workers: makes one where one is missing, lets those of earlier revisions go. */
  ensure(actorId: string): void;
}

export const executorFor = (context: EngineContext, image: string): Executor | undefined =>
  Object.values(context.executors).find((executor) => executor.takes(image));

/** The words of an error, for a person. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The kind of an executor's error; undefined for any other error. */
export const kindOf = (error: unknown): ExecutorError['kind'] | undefined =>
  error instanceof ExecutorError ? error.kind : undefined;

/** What insisting needs to know. */
export type Patience = { readonly settings: Pick<EngineSettings, 'retryMs' | 'retryCapMs'> };

/** Waits that double, up to a cap. */
export const backoff = ({ settings }: Patience): (() => number) => {
  let next = settings.retryMs;
  return () => {
    const now = next;
    next = Math.min(settings.retryCapMs, next * 2);
    return now;
  };
};

/**
 * A transaction that must come about: tried again for as long as the disk refuses.
 * Rejects when the engine closes, and with any other Failure that `decide` throws.
 */
export const durably = async <T>(
  context: Pick<EngineContext, 'store' | 'logger' | 'signal'> & Patience,
  what: string,
  decide: (tx: Transaction) => T,
): Promise<T> => {
  const wait = backoff(context);
  for (;;) {
    try {
      return await context.store.transact(decide);
    } catch (error) {
      if (error instanceof Failure && error.code !== 'STORE_UNAVAILABLE') throw error;
      const retryInMs = wait();
      context.logger.warn({ error, what, retryInMs }, 'the store refuses a change');
      await pause(retryInMs, context.signal);
    }
  }
};

/** Attempts that an executor gets for what leaves things lying about at worst; the next start of the daemon cleans up then. */
const ATTEMPTS = 10;

/**
 * Has an executor do something that may be repeated: without end while its engine is away, else `attempts` times.
 * Never rejects. Tries once at least, and no more when the signal has fired.
 */
export const insist = async (
  context: EngineContext,
  what: Readonly<Record<string, unknown>>,
  action: () => Promise<void>,
  { signal = context.signal, attempts = ATTEMPTS }: { readonly signal?: AbortSignal; readonly attempts?: number } = {},
): Promise<void> => {
  const wait = backoff(context);
  let failed = 0;
  do {
    try {
      return await action();
    } catch (error) {
      if (kindOf(error) !== 'unavailable') failed += 1;
      context.logger.warn({ ...what, error }, 'the executor did not do as told');
    }
  } while (failed < attempts && (await elapse(wait(), signal)));
};

/** Resolves when the executor says that its engine is there, or after a while, in case that was said unheard. Rejects when the signal fires. */
export const engineMayBeBack = async (
  context: EngineContext,
  executor: Executor,
  signal: AbortSignal,
): Promise<void> => {
  const heard = new AbortController();
  const unsubscribe = executor.onAvailability((available) => {
    if (available) heard.abort();
  });
  try {
    await elapse(context.settings.retryCapMs, AbortSignal.any([signal, heard.signal]));
    signal.throwIfAborted();
  } finally {
    unsubscribe();
  }
};

/** A change of an actor's record inside a transaction; no actor, or null from `change`: nothing happens. */
export const changeActor = (
  tx: Transaction,
  actorId: string,
  change: (actor: ActorRecord) => ActorRecord | null,
): void => {
  const actor = tx.get('actors', actorId);
  const changed = actor === undefined ? null : change(actor);
  if (changed !== null && changed !== actor) tx.put('actors', changed);
};

/** A message that a worker has in its hands. */
export interface Assignment {
  readonly crew: ActorWorkers;
  readonly slot: WorkerSlot;
  readonly message: MessageRecord;
  readonly executor: Executor;
}
