// What can be set about the engine, and what it is when nobody sets it.
import { availableParallelism } from 'node:os';
import type { EventRetention, ExecutionRetention } from '../domain/events/retention.ts';

export interface EngineSettings {
  /** Executions of one actor side by side. */
  readonly maxParallel: number;
  /** Executions of all actors side by side. Above twice the cores more of them buy latency only. @see perf.md */
  readonly maxInFlight: number;
  /** Bytes of memory for one execution, where the actor has no limit of its own. */
  readonly memoryBytes: number;
  /** Processes and threads of one execution. */
  readonly pids: number;
  /** How long an execution may run where its actor has no limit of its own; absent: for ever. */
  readonly defaultMaxRunTimeMs?: number;
  /** From SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  readonly startRetryDelayMs: number;
  /** First wait after something outside refused (the disk, the engine); it doubles up to `retryCapMs`. */
  readonly retryMs: number;
  readonly retryCapMs: number;
  /** Idle time after which a worker beyond the first goes. */
  readonly workerIdleMs: number;
  /** Idle time after which the last worker goes as well: each holds a container in the engine, and a bridge has room for about a thousand. */
  readonly lastWorkerIdleMs: number;
  /** Shortest time between two progress texts in an actor's `statusMessage`. */
  readonly progressMs: number;
  readonly executionRetention: ExecutionRetention;
  readonly eventRetention: EventRetention;
  readonly logRetention: { readonly defaultMs: number; readonly capMs: number };
  readonly sweepEveryMs: number;
  /** How often it is looked whose cron time has come. */
  readonly tickEveryMs: number;
  /** Waiting messages of an actor above which its cron plan adds none. */
  readonly cronQueueLimit: number;
}

const HOUR = 60 * 60 * 1000;
const MEBIBYTE = 1024 * 1024;

/** The settings with what was left out. */
export const engineSettings = (given: Partial<EngineSettings> = {}): EngineSettings => {
  const cores = availableParallelism();
  return {
    maxParallel: cores,
    // A bound for one actor above the usual bound for all raises that too, or it would mean nothing.
    maxInFlight: Math.max(2 * cores, given.maxParallel ?? 0),
    memoryBytes: 1024 * MEBIBYTE,
    pids: 512,
    stopGraceMs: 10_000,
    startRetryDelayMs: 5_000,
    retryMs: 200,
    retryCapMs: 10_000,
    workerIdleMs: 60_000,
    lastWorkerIdleMs: HOUR / 2,
    progressMs: 1_000,
    executionRetention: { perActor: 10_000, total: 100_000, ageMs: 30 * 24 * HOUR },
    eventRetention: { total: 10_000, ageMs: 30 * 24 * HOUR },
    logRetention: { defaultMs: 12 * HOUR, capMs: 24 * HOUR },
    sweepEveryMs: HOUR / 6,
    tickEveryMs: 1_000,
    cronQueueLimit: 10_000,
    ...given,
  };
};
