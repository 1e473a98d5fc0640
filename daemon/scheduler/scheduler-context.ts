// The state and the helpers that the parts of the scheduler share: ports, settings, current runs and workers, and
// retries.

import type { LastLine } from '../domain/executions/last-line.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord, ExecutionRecord, MessageRecord } from '../domain/records/actor-records.ts';
import type { Bodies } from '../ports/bodies.ts';
import type { Clock } from '../ports/clock.ts';
import type { Configs } from '../ports/configs.ts';
import { type Executor, ExecutorError } from '../ports/executor.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { Logs } from '../ports/logs.ts';
import type { Results, StagedResult } from '../ports/results.ts';
import type { Store, Transaction } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import type { ActorWorkers, WorkerSlot } from './actor-workers.ts';
import { type BackgroundTasks, elapse, type Latch, pause } from './background-tasks.ts';
import type { ExecutionWaiters } from './execution-waiters.ts';
import type { SchedulerSettings } from './scheduler-settings.ts';

export type ExecutorName = 'docker' | 'swarm' | 'process';

export interface EngineDependencies {
  readonly store: Store;
  readonly executors: Readonly<Partial<Record<ExecutorName, Executor>>>;
  readonly logs: Logs;
  readonly bodies: Bodies;
  readonly configs: Configs;
  readonly results: Pick<Results, 'stage'>;
  readonly clock: Clock;
  /**
   * The machine's clock, if the instance's clock is virtual, because runs happen in real time. If absent, use `clock`.
   */
  readonly machine?: Clock;
  readonly ids: Ids;
  readonly vault: Pick<Vault, 'digest'>;
  readonly logger: Logger;
}

/** What a run returned in its files, ready for the transaction that ends its execution. */
export interface Returned {
  readonly result?: StagedResult;
  /** JSON text of the next state. */
  readonly state?: string;
}

export interface Run {
  readonly executionId: string;
  readonly actorId: string;
  readonly ref: string;
  readonly executor: Executor;
  readonly limitMs: number | undefined;
  /** JSON texts of the secrets that the log hides. @throws Failure STORE_UNAVAILABLE if they cannot be decrypted */
  readonly secrets: () => readonly string[];
  readonly workers: ActorWorkers;
  readonly slot: WorkerSlot;
  /** The number of consecutive failed starts of the actor when the message was claimed. */
  readonly failuresBefore: number;
  /** The version of the actor when the message was claimed. Undefined if the actor was deleted. */
  readonly actorVersion: number | undefined;
  /** Opens when the run has started or will never start. */
  readonly started: Latch;
  /** Aborted when the run is over. Ends its time limit and all attempts to stop it. */
  readonly over: AbortController;
  /** Why the run is being stopped. The stored record has the same reason, unless the disk refused the write. */
  stopping: ExecutionRecord['stopping'];
  /** Aborted when a stop begins. Ends a start that is waiting for a node. */
  readonly halted: AbortController;
  /** The last error if the connection to the run is lost. Undefined while the run is supervised. */
  trouble: string | undefined;
  /** The last line of stderr, as the log stores it. */
  readonly stderr: LastLine;
  /** Set when the run has ended. */
  returned: Returned;
  /** When the stop in progress kills the run, by `performance.now()`. Infinity if the run is not being stopped. */
  killAt: number;
}

export interface SchedulerContext extends EngineDependencies {
  readonly settings: SchedulerSettings;
  readonly tasks: BackgroundTasks;
  readonly waiters: ExecutionWaiters;
  /** Fires at the end of `stop` and ends every wait. */
  readonly signal: AbortSignal;
  readonly runs: Map<string, Run>;
  readonly workersByActor: Map<string, ActorWorkers>;
  /** Per executor: opens once the runs of the previous daemon are recovered. Until then no new run is created there. */
  readonly recovered: Map<Executor, Latch & { isOpen: boolean }>;
  /** False once the scheduler stops: no new execution begins. */
  accepting: boolean;
  busySlots: number;
  /** Executions that became final since the stop began. */
  readonly stopCount: { finished: number; halted: number };
  workersOf(actorId: string): ActorWorkers;
  startWaiting(actorId: string): void;
  /** Removes workers of earlier revisions and starts missing workers of the actor. */
  ensureReady(actorId: string): void;
}

export const executorFor = (context: SchedulerContext, image: string): Executor | undefined =>
  Object.values(context.executors).find((executor) => executor.takes(image));

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const executorErrorKind = (error: unknown): ExecutorError['kind'] | undefined =>
  error instanceof ExecutorError ? error.kind : undefined;

export type RetrySettings = { readonly settings: Pick<SchedulerSettings, 'retryMs' | 'retryCapMs'> };

/** Returns a function that returns the next wait in ms, which doubles at each call, up to a maximum. */
export const backoff = ({ settings }: RetrySettings): (() => number) => {
  let next = settings.retryMs;
  return () => {
    const now = next;
    next = Math.min(settings.retryCapMs, next * 2);
    return now;
  };
};

/** Retries for as long as the disk refuses writes. Rejects when the scheduler closes, or with any other Failure. */
export const transactWithRetry = async <T>(
  context: Pick<SchedulerContext, 'store' | 'logger' | 'signal'> & RetrySettings,
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

/**
 * Maximum attempts of a call that the engine refuses. Giving up only leaves an object in the engine, which the next
 * start of the daemon removes.
 */
const ATTEMPTS = 10;

/**
 * Retries a repeatable executor call: without limit while its engine is unavailable, otherwise at most `attempts`
 * times. Never rejects. It tries at least once, and stops retrying when the signal fires.
 */
export const callWithRetry = async (
  context: SchedulerContext,
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
      if (executorErrorKind(error) !== 'unavailable') failed += 1;
      context.logger.warn({ ...what, error }, 'an executor call failed');
    }
  } while (failed < attempts && (await elapse(wait(), signal)));
};

/**
 * Waits until the engine is available, but at most the maximum retry interval, in case its report was missed. Rejects
 * when the signal fires.
 */
export const waitForEngine = async (
  context: SchedulerContext,
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

/** Changes an actor. Does nothing if the actor does not exist or `change` returns null. */
export const changeActor = (
  tx: Transaction,
  actorId: string,
  change: (actor: ActorRecord) => ActorRecord | null,
): void => {
  const actor = tx.get('actors', actorId);
  const changed = actor === undefined ? null : change(actor);
  if (changed !== null && changed !== actor) tx.put('actors', changed);
};

export interface Assignment {
  readonly workers: ActorWorkers;
  readonly slot: WorkerSlot;
  readonly message: MessageRecord;
  readonly executor: Executor;
}
