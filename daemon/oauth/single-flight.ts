// Shares one response among identical requests that arrive while the first one is being handled.

/** Calls `make`, or waits for the pending call with the same key. The key is free again once the call settles. */
export type SingleFlight<T> = (key: string, make: () => Promise<T>) => Promise<T>;

/**
 * On a second click, a browser drops the first request and waits for the second one. The second request must therefore
 * get the response to the first: a refusal would leave the user without a way forward, and a second run would count
 * twice.
 */
export const createSingleFlight = <T>(): SingleFlight<T> => {
  const underway = new Map<string, Promise<T>>();
  return (key, make) => {
    const begun = underway.get(key);
    if (begun !== undefined) return begun;
    const answer = make().finally(() => underway.delete(key));
    underway.set(key, answer);
    return answer;
  };
};
