// Large changes are split into slices, one transaction each, because a transaction holds up every other request.

/**
 * Maximum number of records that one transaction changes. Deleting this many executions takes about two milliseconds.
 */
export const SLICE = 100;

/** Splits records into parts of at most `SLICE`, in order. Each part is read on demand. */
export const slicesOf = function* <T>(all: Iterable<T>): Generator<readonly T[], void> {
  let slice: T[] = [];
  for (const each of all) {
    slice.push(each);
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
};
