// The signals of the daemon's process; nobody else listens to them.

/** Terminals and npm send a signal twice; two within this time are one. @see cli.md R26 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Calls `stop` at the first SIGTERM, SIGINT or SIGHUP. Another one, later than an accident, ends the process at once:
 * starting is recovering, so nothing acknowledged is lost by that.
 */
export const onStopSignal = (stop: () => void): void => {
  let first: number | undefined;
  const heard = (): void => {
    const now = performance.now();
    if (first === undefined) {
      first = now;
      stop();
    } else if (now - first > SAME_SIGNAL_MS) process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, heard);
};
