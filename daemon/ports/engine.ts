// The port of the engine, as the routes see it: they write records, and tell it that there is work.

/** What an engine says of itself. */
export interface EngineReport {
  readonly name: 'docker' | 'process';
  readonly available: boolean;
  /** What it is, or why it is not available. */
  readonly detail: string;
  /** Where it answers: a URL. */
  readonly endpoint?: string;
}

export interface Engine {
  /** There is a new actor or a new revision: get it READY, replace its workers. Returns at once. */
  actorChanged(actorId: string): void;
  /**
   * Stops a running execution: SIGTERM, and SIGKILL `graceMs` later (ten seconds unless told; a crash in between falls back to that). Resolves once the wish is durable and the signal is under way.
   * @throws Failure NOT_RUNNING
   */
  halt(executionId: string, graceMs?: number): Promise<void>;
  /** Resolves when the execution is final (at once if it is already); rejects when the signal fires. */
  finished(executionId: string, signal: AbortSignal): Promise<void>;
  /** Stops the workers of an actor that is being deleted, halts what runs, waits until nothing of it runs. */
  retire(actorId: string): Promise<void>;
  /** The number of workers that is wanted of an actor has changed; with `exact`, those beyond it go when they run nothing. Returns at once. */
  scaled(actorId: string, exact: boolean): void;
  /** Lets a worker go as soon as it runs nothing. Returns at once. */
  dismissWorker(actorId: string, workerId: string): void;
  /** For `status`: the engines and what they say. */
  engines(): Promise<readonly EngineReport[]>;
}
