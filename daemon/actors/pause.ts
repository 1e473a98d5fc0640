// Lets other work run on the event loop during a long loop over records.
import { Failure } from '../domain/failure.ts';

/** Time (ms) that a loop works between two pauses. */
const SLICE_MS = 1;

export type Pause = ReturnType<typeof createPause>;

/** Loops that wait for their next turn, in the order in which they paused. */
const waiting: (() => void)[] = [];

const resumeNext = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
};

/**
 * Resolves in a later turn of the event loop. Each turn resumes only one loop, so many loops delay other work no more
 * than one does.
 */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });

export const createPause = (signal: AbortSignal) => {
  let since = performance.now();
  return {
    /** True if a pause is due. Cheap to call. */
    isDue: (): boolean => performance.now() - since > SLICE_MS,
    /** Lets other work run. @throws Failure SHUTTING_DOWN if the signal has fired */
    async take(): Promise<void> {
      await nextTurn();
      if (signal.aborted) {
        throw new Failure('SHUTTING_DOWN', 'The daemon is stopping. Try again after it has started.');
      }
      since = performance.now();
    },
  };
};
