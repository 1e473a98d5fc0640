// Rows of a listing that is read in blocks: the service counts from the oldest record, but the page shows the newest
// first.

export const BLOCK = 100;

/** The position of row `at` in the order of the service. New records change no position, so blocks stay valid. */
export const positionOf = (at: number, total: number): number => total - 1 - at;

export const blocksOf = (first: number, last: number, total: number): readonly number[] => {
  const ends = [first, Math.min(last, total - 1)].map((at) => Math.floor(positionOf(at, total) / BLOCK));
  const low = Math.max(0, Math.min(...ends));
  const high = Math.max(...ends);
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, index) => low + index);
};

/** The rows to draw: those that are visible, and some beyond both ends. */
export const windowOf = (
  scrolled: number,
  height: number,
  row: number,
  total: number,
): { readonly first: number; readonly last: number } => ({
  first: Math.max(0, Math.floor(scrolled / row) - 8),
  last: Math.min(total - 1, Math.ceil((scrolled + height) / row) + 8),
});

const REACH = 1_000;

/**
 * The number of rows by which a record moved down because others arrived above it. 0 if it is not found near its last
 * place.
 */
export const movedBy = (
  { key, at }: { readonly key: string; readonly at: number },
  keyOf: (at: number) => string,
  total: number,
): number => {
  for (let by = 0; by <= REACH; by += 1) {
    if (at + by < total && keyOf(at + by) === key) return by;
    if (at - by >= 0 && at - by < total && keyOf(at - by) === key) return -by;
  }
  return 0;
};

/** Makes keys unique. Deletions during reading can make a record appear twice; its second key gets a suffix. */
export const uniqueKeys = (keys: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return keys.map((key, index) => {
    const unique = seen.has(key) ? `${key} ${index}` : key;
    seen.add(key);
    return unique;
  });
};
