// Deletes many records in small transactions, so that other writes need not wait for all of them.
import type { Store } from '../../ports/store.ts';

const BATCH = 1_000;

/** Resolves with the number of deleted records once the deletions are durable. */
export const deleteInBatches = async (
  store: Pick<Store, 'transact'>,
  collection: 'tokens' | 'codes' | 'nonces' | 'sessions',
  keys: readonly string[],
): Promise<number> => {
  for (let start = 0; start < keys.length; start += BATCH) {
    await store.transact((tx) => {
      for (const key of keys.slice(start, start + BATCH)) tx.delete(collection, key);
    });
  }
  return keys.length;
};
