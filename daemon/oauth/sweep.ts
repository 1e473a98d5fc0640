// Removes access tokens that have expired, so that the store does not grow with every login. @see auth.md R146
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

/** An expired token is kept this long (ms), so that its holder is told "expired" and not "unknown". */
const KEPT_MS = 60 * 60 * 1_000;
/** Removed in one transaction at most: a larger one would hold up the writes behind it. */
const BATCH = 1_000;

/** Removes what has expired and resolves with how many that were. Meant to be called every few minutes. */
export const sweepTokens = async ({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}): Promise<number> => {
  const before = clock.now() - KEPT_MS;
  const expired: string[] = [];
  for (const token of store.all('tokens')) {
    if (token.expiresAt !== undefined && token.expiresAt <= before) expired.push(token.hash);
  }
  for (let start = 0; start < expired.length; start += BATCH) {
    await store.transact((tx) => {
      for (const hash of expired.slice(start, start + BATCH)) tx.delete('tokens', hash);
    });
  }
  return expired.length;
};
