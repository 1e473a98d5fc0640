// Passes the response of an authorization to the tab that started it, if a client under test has this page as its
// redirect URI. The channel name contains the request's state, so that no other tab receives it.
// @see docs/conformance/security.md R192
const channelOf = (state: string): BroadcastChannel => new BroadcastChannel(`actorctl.answer.${state}`);

/** Time for a confirmation. A waiting tab confirms at once. */
const WAIT_MS = 1_000;
const TAKEN = 'taken';

/** Returns true if a tab took the address. */
export const handOver = (address: string, state: string): Promise<boolean> =>
  new Promise((resolve) => {
    const channel = channelOf(state);
    const done = (taken: boolean): void => {
      clearTimeout(timer);
      channel.close();
      resolve(taken);
    };
    const timer = setTimeout(() => done(false), WAIT_MS);
    channel.onmessage = ({ data }) => {
      if (data === TAKEN) done(true);
    };
    channel.postMessage(address);
  });

/** Waits for the response with this state. Returns a function that ends the wait. */
export const awaitAnswer = (state: string, take: (address: string) => void): (() => void) => {
  const channel = channelOf(state);
  channel.onmessage = ({ data }) => {
    if (typeof data !== 'string' || data === TAKEN) return;
    channel.postMessage(TAKEN);
    take(data);
  };
  return () => channel.close();
};
