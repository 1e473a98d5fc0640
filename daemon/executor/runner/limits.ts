// Checks whether a run exceeds its limits.

export interface ExceededLimit {
  readonly what: 'memory' | 'pids';
  readonly message: string;
}

/** Returns the limit that the usage exceeds, if any. `tasks` counts processes and threads. */
export const exceededLimit = (
  allowed: { readonly memoryBytes: number; readonly pids: number },
  taken: { readonly memoryBytes: number; readonly tasks: number },
): ExceededLimit | undefined => {
  if (taken.tasks > allowed.pids) {
    return { what: 'pids', message: `killed: ${taken.tasks} processes and threads, ${allowed.pids} allowed` };
  }
  if (taken.memoryBytes > allowed.memoryBytes) {
    return { what: 'memory', message: `killed: ${taken.memoryBytes} bytes of memory, ${allowed.memoryBytes} allowed` };
  }
  return undefined;
};
