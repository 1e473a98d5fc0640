// Port of the scheduler, as the services need it: they write records and notify it.
import type { EngineNode } from './executor.ts';

/** The state of a container engine, of a swarm or of the process executor. */
export interface EngineReport {
  readonly name: 'docker' | 'swarm' | 'process';
  readonly available: boolean;
  /** Description of the engine, or why it is not available. */
  readonly detail: string;
  readonly endpoint?: string;
  /** What actors on this engine have to do without; absent if there is nothing. */
  readonly limitations?: readonly string[];
}

export interface Scheduler {
  /** Notifies of a new actor or a new revision: the scheduler prepares it and replaces its workers. Returns at once. */
  actorChanged(actorId: string): void;
  /**
   * Stops a running execution: SIGTERM, and SIGKILL after `graceMs` (default ten seconds, also after a crash in
   * between). An execution that is being halted gets another SIGTERM or SIGKILL if that kills it sooner. Resolves once
   * the request is durable and the signal is being sent.
   * @throws Failure NOT_RUNNING
   */
  halt(executionId: string, graceMs?: number): Promise<void>;
  /** Resolves when the execution is final; rejects when the signal fires. */
  finished(executionId: string, signal: AbortSignal): Promise<void>;
  /** Stops the workers of an actor that is being deleted, halts its executions, and waits until none is running. */
  retire(actorId: string): Promise<void>;
  /** With `exact`, surplus workers end as soon as they run nothing. Returns at once. */
  scaled(actorId: string, exact: boolean): void;
  /** Ends a worker as soon as it runs nothing. Returns at once. */
  dismissWorker(actorId: string, workerId: string): void;
  /** Smallest memory limit with which runs of this image can start, in bytes. 0: any. */
  leastMemoryBytes(image: string): number;
  /** The nodes of the cluster that runs actors; empty on a single machine, and while the cluster does not answer. */
  nodes(): Promise<readonly EngineNode[]>;
  engines(): Promise<readonly EngineReport[]>;
}

/** What a request to stop the daemon asks for. */
export interface StopOptions {
  /** Time (ms) that running executions have to finish. */
  readonly deadlineMs: number;
  readonly haltExecutions: boolean;
  /** An ephemeral daemon deletes its data otherwise. */
  readonly keepData: boolean;
}
