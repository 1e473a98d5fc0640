// The port of execution logs: one capped file per execution, readable while it grows.
import type { LogLine } from '../../src/contract/actors/executions.ts';

export interface LogWriter {
  /** Appends output; decoding of multi-byte characters split over chunks is its own affair. Beyond the cap: one notice, then nothing. Never throws. */
  write(stream: 'stdout' | 'stderr', data: Uint8Array): void;
  /** Appends a line of ours, marked `notice`. */
  notice(text: string): void;
  /**
   * Resolves when everything written is durable; readers that follow then end. May be called again when the disk refused.
   * @throws Failure STORE_UNAVAILABLE
   */
  close(): Promise<void>;
}

export interface Logs {
  /** Begins (or begins anew: what was there is replaced as the new output comes) the log of an execution. */
  open(executionId: string): LogWriter;
  /** The log as text, stdout and stderr as they came, notices on lines of their own. Empty when there is none. */
  read(executionId: string): Promise<string>;
  /**
   * The log from behind `after` (a cursor; undefined: from the beginning), then what comes, until its writer is closed or the signal fires.
   * An execution without an open writer ends at the end of its file, unless `waitForStart` says that it may still begin.
   */
  follow(
    executionId: string,
    options: { readonly after?: string; readonly waitForStart: () => boolean; readonly signal: AbortSignal },
  ): AsyncIterable<LogLine>;
  delete(executionIds: readonly string[]): Promise<void>;
}
