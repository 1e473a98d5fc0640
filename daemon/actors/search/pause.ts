// Breath for the event loop in work that goes over many records.
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work between two breaths. */
const SLICE_MS = 5;

export interface Pause {
  /** Whether it is time to breathe. Cheap. */
  isDue(): boolean;
  /** Lets everything else have its turn. Rejects when the signal has fired. */
  take(): Promise<void>;
}

export const createPause = (signal: AbortSignal): Pause => {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > SLICE_MS,
    async take() {
      await setImmediate();
      signal.throwIfAborted();
      since = performance.now();
    },
  };
};
