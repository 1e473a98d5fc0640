// The part of a writable stream that output needs, so that tests can replace stdout and stderr.

export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly write: (chunk: string | Uint8Array, done?: (error?: Error | null) => void) => boolean;
}
