/** Maps values lazily, each when the iteration reaches it. */
export const mapped = function* <V, R>(values: Iterable<V>, resultOf: (value: V) => R): Generator<R> {
  for (const value of values) yield resultOf(value);
};
