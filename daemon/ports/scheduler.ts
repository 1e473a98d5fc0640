// Port of the scheduler for the services, which write records and then notify it.
import type { Standing } from '../domain/executions/wait-reason.ts';
import type { EngineMeans, EngineNode } from './executor.ts';

/** The state of a container engine, of a swarm or of the process executor. */
export interface EngineReport {
  readonly name: 'docker' | 'swarm' | 'process';
  readonly available: boolean;
  /** Description of the engine, or why it is not available. */
  readonly detail: string;
  readonly endpoint?: string;
  /** Features that are not available to actors on this engine. Absent if there are none. */
  readonly limitations?: readonly string[];
}

export interface Scheduler {
  /** Reports a new actor or a new revision: the scheduler prepares it and replaces its workers. Returns at once. */
  actorChanged(actorId: string): void;
  /**
   * Stops a running execution: SIGTERM, and SIGKILL after `graceMs` (default ten seconds, even after a crash in
   * between). An execution that is already being halted gets another SIGTERM or SIGKILL only if that kills it sooner.
   * Resolves once the request is durable and the signal is being sent.
   * @throws Failure NOT_RUNNING
   */
  halt(executionId: string, graceMs?: number): Promise<void>;
  /** Resolves when the execution is final; rejects when the signal fires. */
  finished(executionId: string, signal: AbortSignal): Promise<void>;
  /** Where an execution stands that has not ended. Waits for nothing. */
  standingOf(execution: { readonly id: string; readonly actorId: string }): Standing;
  /** Stops the workers of an actor that is being deleted, halts its executions, and waits until none is running. */
  retire(actorId: string): Promise<void>;
  /** Requests workers. With `exact`, surplus workers end as soon as they run nothing. Returns at once. */
  scaled(actorId: string, exact: boolean): void;
  /** Ends a worker as soon as it runs nothing. Returns at once. */
  dismissWorker(actorId: string, workerId: string): void;
  /** Minimum memory limit with which runs of this image can start, in bytes. 0 if any is accepted. */
  leastMemoryBytes(image: string): number;
  /** Why runs of this image cannot start, as a sentence, if that is known at once. */
  imageFault(image: string): Promise<string | undefined>;
  /** What executions of this image can use. Undefined if that is not known soon, or if they have everything. */
  means(image: string): Promise<EngineMeans | undefined>;
  /** The nodes of the cluster that runs actors. Empty on a single machine, and while the cluster does not respond. */
  nodes(): Promise<readonly EngineNode[]>;
  engines(): Promise<readonly EngineReport[]>;
}

/** Options of a request to stop the daemon. */
export interface StopOptions {
  /** Time (ms) that running executions have to finish. */
  readonly deadlineMs: number;
  readonly haltExecutions: boolean;
  /** Keeps the data of an ephemeral daemon, which are deleted otherwise. */
  readonly keepData: boolean;
}
