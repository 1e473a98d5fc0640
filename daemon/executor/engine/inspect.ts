// Inspects objects that may change at the same moment.
import { setTimeout as pause } from 'node:timers/promises';
import { engineMessage, statusOf } from './engine-error.ts';
import { CHANGING } from './products.ts';

/** Number of attempts to inspect an object that is changing, and the pause between them. */
const MOST_TIMES = 30;
const PAUSE_MS = 100;

/** Inspects again while the engine fails because the object is changing. */
export const whileChanging = async <T>(inspect: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  for (let times = 1; ; times += 1) {
    try {
      return await inspect();
    } catch (error) {
      const isChanging = statusOf(error) === 500 && CHANGING.test(engineMessage(error));
      if (!isChanging || times === MOST_TIMES) throw error;
      await pause(PAUSE_MS, undefined, signal && { signal });
    }
  }
};
