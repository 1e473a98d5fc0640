// Port of execution logs: one file of limited size per execution, readable while it grows.
import type { LogLine } from '../../src/contract/actors/executions.ts';

/**
 * What is known when a writer closes:
 * - `complete`: all output has arrived
 * - `continues`: the run continues, and a later writer receives all its output again
 * - `unknown`: the run is lost, perhaps with output that has not arrived
 */
export type LogEnd = 'complete' | 'continues' | 'unknown';

export interface LogWriter {
  /**
   * Writes output. Chunks may end inside a character. Output beyond the limit is replaced by a notice; its last part is
   * retained in memory and stored by `close`. Never throws.
   * @param leftOut bytes of output that are missing before this chunk
   */
  write(stream: 'stdout' | 'stderr', data: Uint8Array, leftOut?: number): void;
  /** Appends a line of the daemon, marked as `notice`. */
  notice(text: string): void;
  /**
   * Ends the log. Unless the run continues, a log that reached its limit gets a line that says how much is left out, and
   * the last part of the output. Resolves when everything is durable; readers that follow the log then end. Can be
   * called again after the disk refused writes. `complete` by default.
   */
  close(end?: LogEnd): Promise<void>;
}

export interface Logs {
  /** Starts the log of a run that starts now. What an earlier attempt to start it left is removed. */
  open(executionId: string): LogWriter;
  /**
   * Resumes the log of a run whose output is written again from its first byte. New output replaces the existing log. If
   * that log had reached its size limit, it stays, and only the output beyond it is used.
   */
  resume(executionId: string): Promise<LogWriter>;
  /** The log as text: stdout and stderr in order of arrival, notices on their own lines. Empty without a log. */
  read(executionId: string): Promise<string>;
  /** Yields the log from its start in pieces of limited size, with the bytes that were read for each. */
  pieces(executionId: string): AsyncIterable<{ readonly lines: readonly LogLine[]; readonly bytes: number }>;
  /**
   * Yields the lines after the cursor `after` (undefined: all lines), then new ones until the writer is closed or the
   * signal fires. Without an open writer, it ends at the end of the file, unless `waitForStart` returns true because
   * the execution may still start.
   */
  follow(
    executionId: string,
    options: { readonly after?: string; readonly waitForStart: () => boolean; readonly signal: AbortSignal },
  ): AsyncIterable<LogLine>;
  /**
   * Bytes of output that the log leaves out, a lower bound after `resume`. Null if that is not known, as before the end
   * of the run. Undefined if the log did not reach its limit.
   */
  leftOut(executionId: string): Promise<number | null | undefined>;
  /** Bytes of the log of an execution; 0 without a log. */
  size(executionId: string): Promise<number>;
  delete(executionIds: readonly string[]): Promise<void>;
}
