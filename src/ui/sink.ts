// The part of a writable stream that output uses. Tests replace stdout and stderr with it.

export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /**
   * Notices from now on when the reader closes the pipe, even if nothing is written. Absent if the sink has no reader
   * that could close it.
   */
  readonly watchReader?: () => void;
  /** Ends a line that was begun and that the next line of this stream would continue. */
  readonly startLine?: () => void;
  readonly write: (chunk: string | Uint8Array, done?: (error?: Error | null) => void) => boolean;
}
