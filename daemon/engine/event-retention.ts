// Deletes expired events and deliveries, in slices.
import { setImmediate } from 'node:timers/promises';
import { expiredEvents } from '../domain/events/retention.ts';
import type { EngineContext } from './engine-context.ts';

/** Records deleted before the event loop gets a turn. */
const SLICE = 500;

/** Deletes expired events and deliveries. Rejects when the disk refuses writes or the engine closes. */
export const deleteExpiredEvents = async ({ store, clock, settings, signal }: EngineContext): Promise<void> => {
  const expired = expiredEvents(
    [...store.all('events')],
    [...store.all('deliveries')],
    clock.now(),
    settings.eventRetention,
  );
  await store.transact((tx) => {
    for (const key of expired.retired) {
      const event = tx.get('events', key);
      if (event !== undefined) tx.put('events', { ...event, retired: true });
    }
  });
  for (const collection of ['deliveries', 'events'] as const) {
    const keys = expired[collection];
    for (let from = 0; from < keys.length; from += SLICE) {
      await store.transact((tx) => {
        for (const key of keys.slice(from, from + SLICE)) tx.delete(collection, key);
      });
      await setImmediate();
      signal.throwIfAborted();
    }
  }
};
