// Many requests, a few at the same time.

const LANES = 6;

/** Maps the items with at most `LANES` calls at the same time. The results are in the order of the items. */
export const mapConcurrently = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results = new Map<number, R>();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const at = next;
      next += 1;
      const item = items[at];
      if (item !== undefined) results.set(at, await work(item));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return items.flatMap((_, at) => (results.has(at) ? [results.get(at) as R] : []));
};
