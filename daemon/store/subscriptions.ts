// Subscriptions to the records of a collection, notified after their transaction is durable.
import type { CollectionName, Collections } from '../domain/records/collections.ts';
import type { Logger } from '../ports/logger.ts';
import type { Watch } from '../ports/store.ts';

export interface Subscriptions {
  readonly watch: Watch;
  /** Returns the function to call once this put is durable; undefined without subscribers. */
  notificationOf<N extends CollectionName>(collection: N, record: Collections[N]): (() => void) | undefined;
}

/** Creates the subscriptions. An error of a listener is logged and affects neither other listeners nor the store. */
export const createSubscriptions = (logger: Pick<Logger, 'error'>): Subscriptions => {
  const listeners = new Map<CollectionName, Set<(record: Collections[CollectionName]) => void>>();
  return {
    watch<N extends CollectionName>(collection: N, listener: (record: Collections[N]) => void) {
      const mine = (record: Collections[CollectionName]): void => listener(record as Collections[N]);
      const all = listeners.get(collection) ?? new Set();
      listeners.set(collection, all.add(mine));
      return () => void all.delete(mine);
    },
    notificationOf(collection, record) {
      const told = listeners.get(collection);
      if (told === undefined || told.size === 0) return undefined;
      return () => {
        for (const listener of [...told]) {
          try {
            listener(record);
          } catch (error) {
            logger.error({ error, collection }, 'a listener of the store failed');
          }
        }
      };
    },
  };
};
