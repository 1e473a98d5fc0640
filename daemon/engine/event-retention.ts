// Deletes expired events and deliveries, in slices.
import { expiredEvents } from '../domain/events/retention.ts';
import { slicesOf } from '../domain/records/slices.ts';
import type { EngineContext } from './engine-context.ts';

/** Deletes expired events and deliveries. Rejects when the disk refuses writes or the engine closes. */
export const deleteExpiredEvents = async ({ store, clock, settings, signal }: EngineContext): Promise<void> => {
  const expired = expiredEvents(
    [...store.all('events')],
    [...store.all('deliveries')],
    clock.now(),
    settings.eventRetention,
  );
  for (const keys of slicesOf(expired.retired)) {
    await store.transact((tx) => {
      for (const key of keys) {
        const event = tx.get('events', key);
        if (event !== undefined) tx.put('events', { ...event, retired: true });
      }
    });
    signal.throwIfAborted();
  }
  for (const collection of ['deliveries', 'events'] as const) {
    for (const keys of slicesOf(expired[collection])) {
      await store.transact((tx) => {
        for (const key of keys) tx.delete(collection, key);
      });
      signal.throwIfAborted();
    }
  }
};
