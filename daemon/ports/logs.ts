// Port of execution logs: one file of limited size per execution, readable while it grows.
import type { LogLine } from '../../src/contract/actors/executions.ts';

export interface LogWriter {
  /**
   * Writes output. Chunks may end inside a character. Output beyond the limit is replaced by one notice. Never throws.
   */
  write(stream: 'stdout' | 'stderr', data: Uint8Array): void;
  /** Appends a line of the daemon, marked as `notice`. */
  notice(text: string): void;
  /**
   * Ends the log. Resolves when everything is durable; readers that follow the log then end. Can be called again after
   * the disk refused writes.
   */
  close(): Promise<void>;
}

export interface Logs {
  /**
   * Starts the log of an execution. New output replaces an existing log, unless that log had reached its size limit;
   * then the existing one stays.
   * @param options.isFirst true if the run starts now: what an earlier attempt to start it left is not looked at
   */
  open(executionId: string, options?: { readonly isFirst: boolean }): LogWriter;
  /** The log as text: stdout and stderr in order of arrival, notices on their own lines. Empty without a log. */
  read(executionId: string): Promise<string>;
  /**
   * Yields the lines after the cursor `after` (undefined: all lines), then new ones until the writer is closed or the
   * signal fires. Without an open writer, it ends at the end of the file, unless `waitForStart` returns true because
   * the execution may still start.
   */
  follow(
    executionId: string,
    options: { readonly after?: string; readonly waitForStart: () => boolean; readonly signal: AbortSignal },
  ): AsyncIterable<LogLine>;
  /** Bytes of the log of an execution; 0 without a log. */
  size(executionId: string): Promise<number>;
  delete(executionIds: readonly string[]): Promise<void>;
}
