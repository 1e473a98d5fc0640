// Lets other work run on the event loop during a long loop over records.
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../domain/failure.ts';

/** Time (ms) of work between two pauses. Several loops can take their slices one after another. */
const SLICE_MS = 3;

export interface Pause {
  /** True if a pause is due. Cheap to call. */
  isDue(): boolean;
  /** Lets other work run. @throws Failure SHUTTING_DOWN if the signal has fired */
  take(): Promise<void>;
}

export const createPause = (signal: AbortSignal): Pause => {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > SLICE_MS,
    async take() {
      await setImmediate();
      if (signal.aborted) {
        throw new Failure('SHUTTING_DOWN', 'The daemon is stopping. Ask again after it has started.');
      }
      since = performance.now();
    },
  };
};
