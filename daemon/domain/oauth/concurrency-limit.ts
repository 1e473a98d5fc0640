// At most so many at a time, and at most so many waiting.

/** Runs `work` when it is its turn. Rejects with what `full` makes when too many wait already. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** A gate that lets `width` pass at a time and `depth` wait, first come first served. */
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
      // The place is handed over, not given up: nobody who comes in between can take it.
      const next = waiting.shift();
      if (next === undefined) passing -= 1;
      else next();
    }
  };
};
