// Rows of a listing that is read in blocks: the service counts from the oldest record, a person looks at the newest.

/** Records of one request. */
export const BLOCK = 100;

/** The position of row `at` in the order of the service. New records change no position, so blocks stay valid. */
export const positionOf = (at: number, total: number, newestFirst: boolean): number =>
  newestFirst ? total - 1 - at : at;

/** The blocks that contain the rows from `first` to `last`. */
export const blocksOf = (first: number, last: number, total: number, newestFirst: boolean): readonly number[] => {
  const ends = [first, Math.min(last, total - 1)].map((at) => Math.floor(positionOf(at, total, newestFirst) / BLOCK));
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
