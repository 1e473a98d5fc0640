// The flags of Node that the daemon is started with.

/** Threads that Node gives V8 on every machine, for garbage and for optimized code. */
const USUAL_THREADS = 4;

/**
 * Flags of Node for a daemon on a machine with so many processors. With few, the threads of V8 take them from the thread
 * that answers requests, and the longest stalls get longer.
 * @param nodeOptions `NODE_OPTIONS`, whose choice wins
 * @see docs/adr/0027-v8-leaves-a-processor-to-requests.md
 */
export const daemonNodeFlags = (processors: number, nodeOptions = ''): readonly string[] =>
  processors > USUAL_THREADS || /--v8[-_]pool[-_]size/.test(nodeOptions)
    ? []
    : [`--v8-pool-size=${Math.max(1, processors - 1)}`];
