// Limits how many calls run at the same time and how many wait.

/** Runs `work` as soon as there is room. Rejects with the error of `full` when too many calls are waiting. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs `width` calls at a time; up to `depth` calls wait in order of arrival. */
export const createConcurrencyLimit = (width: number, depth: number, full: () => Error): ConcurrencyLimit => {
  const waiting: (() => void)[] = [];
  let passing = 0;
  return async (work) => {
    if (passing >= width) {
      if (waiting.length >= depth) throw full();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else passing += 1;
    try {
      return await work();
    } finally {
      // A free place passes directly to the next waiting call, so that a new call cannot take it.
      const next = waiting.shift();
      if (next === undefined) passing -= 1;
      else next();
    }
  };
};
