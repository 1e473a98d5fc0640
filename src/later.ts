// Parts of a run whose code is loaded with their first use.

/** Methods that return promises, so that the code behind them can be loaded when one is called. */
type Methods<T> = { readonly [K in keyof T]: (...args: never[]) => Promise<unknown> };

/**
 * A part with the same methods. The first call of a method loads and creates the part.
 * @param own members that exist from the beginning
 */
export const later = <T extends Methods<T>, Own extends object = object>(
  create: () => Promise<T>,
  own: Own = {} as Own,
): T & Own => {
  let part: Promise<T> | undefined;
  const method =
    (name: keyof T) =>
    async (...args: never[]): Promise<unknown> => {
      part ??= create();
      return (await part)[name](...args);
    };
  // A promise resolves with this object, and must not take it for a promise.
  return new Proxy(own as T & Own, {
    get: (_, name) => {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      return name === 'then' ? undefined : method(name as keyof T);
    },
  });
};
