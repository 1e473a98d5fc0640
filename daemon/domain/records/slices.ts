// Large deletions are split into slices, one transaction each, because a transaction holds up every other request.

/** Most messages, executions or events that one transaction deletes. That takes about two milliseconds. */
export const SLICE = 100;

/** Splits a list into parts of at most `SLICE` entries, in order. */
export const slicesOf = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / SLICE) }, (_, index) => all.slice(index * SLICE, (index + 1) * SLICE));
