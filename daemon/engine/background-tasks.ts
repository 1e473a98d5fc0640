// Work that nobody awaits at once: collected, logged when it fails, waited for at the end; and waits that can be cut short.
import type { Logger } from '../ports/logger.ts';

/** Background work of the engine. */
export interface BackgroundTasks {
  /** Runs it in the background. A failure is logged, unless the engine is closing. */
  run(name: string, work: () => Promise<void>): void;
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
}

/** `signal` fires when the engine closes: what fails then fails because of that. */
export const createBackgroundTasks = ({
  logger,
  signal,
}: {
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): BackgroundTasks => {
  const running = new Set<Promise<void>>();
  const guarded = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) logger.error({ error, task: name }, 'background work failed');
    }
  };
  return {
    run(name, work) {
      const task = guarded(name, work).finally(() => running.delete(task));
      running.add(task);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
};

/** Settles as `promise` does, or rejects as soon as the signal fires. What the promise does later is of no interest then. */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });

/** The longest a timer of Node can wait. */
const LONGEST = 2 ** 31 - 1;

/** Waits `ms`, however many. False when the signal fired before. */
export const elapse = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  let left = Math.max(0, ms);
  do {
    if (signal.aborted) return false;
    const step = Math.min(left, LONGEST);
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

/** Resolves after `ms`; rejects when the signal fires. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  if (!(await elapse(ms, signal))) throw signal.reason;
};

/** A promise and the way to fulfil it. */
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
