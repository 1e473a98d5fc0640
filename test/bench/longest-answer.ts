// The longest time for which one client waits for an answer while something else works.
import { load } from './load.ts';

/** Time (ms) of one portion of requests. The load is given by time, so that its end is noticed soon after the work's. */
const PORTION_MS = 50;

/** The longest answer time (ms) of one client that asks for the health of the daemon until `work` ends. */
export const longestAnswer = async (baseUrl: string, work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let done = false;
  const ask = async (): Promise<void> => {
    while (!done) {
      longest = Math.max(longest, (await load(baseUrl, { method: 'GET', path: '/healthz' }, 1, PORTION_MS)).longestMs);
    }
  };
  const asking = ask();
  try {
    await work();
  } finally {
    done = true;
    await asking;
  }
  return longest;
};
