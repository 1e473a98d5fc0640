// Handles the stop signals of the daemon's process.

/** Time (ms) within which two signals count as one, because terminals and npm send signals twice. @see docs/operations.md#run-in-the-foreground */
const SAME_SIGNAL_MS = 1_000;

/** A later second signal ends the process at once. Confirmed data are not lost, because every start recovers. */
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
