// Work on a value that may be a promise.

/** Calls `work` with the value: at once, or when the promise resolves. */
export const mapMaybe = <T, R>(value: T | Promise<T>, work: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(work) : work(value);
