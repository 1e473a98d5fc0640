// Checks whether a run exceeds its limits.

/** The exceeded limit and a message that says why the run was killed. */
export interface Breach {
  readonly what: 'memory' | 'pids';
  readonly words: string;
}

/** Returns the limit that the usage exceeds, if any. `tasks` counts processes and threads. */
export const breach = (
  allowed: { readonly memoryBytes: number; readonly pids: number },
  taken: { readonly memoryBytes: number; readonly tasks: number },
): Breach | undefined => {
  if (taken.tasks > allowed.pids) {
    return { what: 'pids', words: `killed: ${taken.tasks} processes and threads, ${allowed.pids} allowed` };
  }
  if (taken.memoryBytes > allowed.memoryBytes) {
    return { what: 'memory', words: `killed: ${taken.memoryBytes} bytes of memory, ${allowed.memoryBytes} allowed` };
  }
  return undefined;
};
