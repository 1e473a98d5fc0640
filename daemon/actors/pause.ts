// Lets other work run on the event loop during a long loop over records.
import { setImmediate } from 'node:timers/promises';

/** Time (ms) of work between two pauses. */
const SLICE_MS = 5;

export interface Pause {
  /** True if a pause is due. Cheap to call. */
  isDue(): boolean;
  /** Lets other work run. Rejects if the signal has fired. */
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
