// Answers that are being made: the same form sent once more meanwhile gets the same answer.

/** Makes the answer of `key`, or waits for the one that is being made; forgotten as soon as it is there. */
export type SingleFlight<T> = (key: string, make: () => Promise<T>) => Promise<T>;

/**
 * On a second click the browser gives up the first request and waits for the second, so that one gets the answer of the first:
 * refused, its visitor would be lost; made anew, it would count twice.
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
