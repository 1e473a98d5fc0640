// The part of a writable stream that output uses. Tests replace stdout and stderr with it.

export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  readonly write: (chunk: string | Uint8Array, done?: (error?: Error | null) => void) => boolean;
}
