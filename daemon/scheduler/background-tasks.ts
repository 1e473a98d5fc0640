// Background tasks of the scheduler, with error logging and a wait for their end. Also timers, latches and waits that a
// signal can abort.
import type { Logger } from '../ports/logger.ts';

export type BackgroundTasks = ReturnType<typeof createBackgroundTasks>;

export const createBackgroundTasks = ({
  logger,
  signal,
}: {
  readonly logger: Logger;
  readonly signal: AbortSignal;
}) => {
  const running = new Set<Promise<void>>();
  const guarded = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) logger.error({ error, task: name }, 'a background task failed');
    }
  };
  return {
    /** Runs a task in the background. A failure is logged, unless the scheduler is closing. */
    run(name: string, work: () => Promise<void>): void {
      const task = guarded(name, work).finally(() => running.delete(task));
      running.add(task);
    },
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
};

/** Settles as `promise` does, or rejects with the signal's reason as soon as the signal fires. */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });

/** The maximum delay of a Node.js timer, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits `ms`, even longer than one timer can. Returns false if the signal fired first. */
export const elapse = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  let left = Math.max(0, ms);
  do {
    if (signal.aborted) return false;
    const step = Math.min(left, LONGEST_TIMER_MS);
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, step);
      signal.addEventListener('abort', done, { once: true });
    });
    left -= step;
  } while (left > 0);
  return !signal.aborted;
};

export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  if (!(await elapse(ms, signal))) throw signal.reason;
};

export interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

export const createLatch = (): Latch => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};
