// The settings of the scheduler and their defaults.
import { availableParallelism } from 'node:os';
import { STATE_LIMIT } from '../../src/contract/actors/state.ts';
import type { EventRetention, ExecutionRetention } from '../domain/events/retention.ts';
import { MAILBOX_LIMITS, type MailboxLimits } from '../domain/executions/mailbox.ts';

export interface SchedulerSettings {
  /** Maximum parallel executions of one actor. If absent, the number of processors. */
  readonly maxParallel?: number;
  /**
   * Executions of all actors that may run at the same time. Absent: twice the number of processors, because more of them
   * only increase latency, or `maxParallel` if that is larger. @see docs/architecture.md#running-actors
   */
  readonly maxInFlight?: number;
  /** Number of processors that run executions: those of this machine, or of a cluster, which can grow. */
  readonly processors: () => number;
  /** Memory limit in bytes of one execution, if the actor sets none. */
  readonly memoryBytes: number;
  readonly pids: number;
  /** Maximum bytes that the container of one execution may write to its own files. */
  readonly diskBytes: number;
  /** Maximum bytes of a state. */
  readonly stateBytes: number;
  readonly defaultMaxRunTimeMs?: number;
  /** Time (ms) between SIGTERM and SIGKILL. */
  readonly stopGraceMs: number;
  /** Wait (ms) after a failed start. @see `START_FAILURE_LIMIT` for how often a start is tried */
  readonly startRetryDelayMs: number;
  /** First wait (ms) before a retry when the disk or an engine refuses. It doubles up to `retryCapMs`. */
  readonly retryMs: number;
  readonly retryCapMs: number;
  /** Idle time (ms) after which a worker is removed if the actor has others. */
  readonly workerIdleMs: number;
  /**
   * Idle time (ms) after which even the last worker of an actor is removed. Each worker holds a container, and a bridge
   * network has room for about a thousand.
   */
  readonly lastWorkerIdleMs: number;
  /** Minimum time (ms) between two progress texts in an actor's `statusMessage`. */
  readonly progressMs: number;
  readonly executionRetention: ExecutionRetention;
  readonly eventRetention: EventRetention;
  readonly logRetention: { readonly defaultMs: number; readonly capMs: number };
  readonly sweepEveryMs: number;
  readonly tickEveryMs: number;
  /** Limits of an actor's mailbox. The schedule of an actor adds no message beyond these limits. */
  readonly mailbox: MailboxLimits;
}

const HOUR = 60 * 60 * 1000;
const MEBIBYTE = 1024 * 1024;

export const schedulerSettings = (given: Partial<SchedulerSettings> = {}): SchedulerSettings => {
  const cores = availableParallelism();
  return {
    processors: () => cores,
    memoryBytes: 1024 * MEBIBYTE,
    pids: 512,
    diskBytes: 2048 * MEBIBYTE,
    stateBytes: STATE_LIMIT,
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
    mailbox: MAILBOX_LIMITS,
    ...given,
  };
};

export const maxParallelOf = ({ maxParallel, processors }: SchedulerSettings): number => maxParallel ?? processors();

/** A limit per actor above the limit of the instance raises the latter. Otherwise it would have no effect. */
export const maxInFlightOf = ({ maxInFlight, maxParallel, processors }: SchedulerSettings): number =>
  maxInFlight ?? Math.max(2 * processors(), maxParallel ?? 0);
