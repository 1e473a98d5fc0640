// Deletes expired events and deliveries: oldest first, in slices, until a slice contains a record that stays.
import { isOver } from '../domain/events/delivery-status.ts';
import { eventRetention } from '../domain/events/retention.ts';
import { eventKey } from '../domain/records/event-records.ts';
import { SLICE } from '../domain/records/slices.ts';
import type { Transaction } from '../ports/store.ts';
import { readInSlices } from './read-in-slices.ts';
import type { SchedulerContext } from './scheduler-context.ts';

type Context = Pick<SchedulerContext, 'store' | 'clock' | 'signal'> & {
  readonly settings: Pick<SchedulerContext['settings'], 'eventRetention'>;
};

/** Deletes the expired deliveries of a tenant. Pending ones neither count nor expire. */
const deleteDeliveries = async ({ store, clock, settings, signal }: Context, tenant: string): Promise<void> => {
  const over = store.countBy('deliveries', 'tenant', tenant) - store.countBy('deliveries', 'pendingOfTenant', tenant);
  const isExpired = eventRetention(clock.now(), settings.eventRetention, over);
  for await (const slice of readInSlices(store.each('deliveries', 'tenant', tenant), signal)) {
    const final = slice.filter(({ status }) => isOver(status));
    const expired = final.filter(({ createdAt }) => isExpired(createdAt));
    await store.transact((tx) => {
      for (const { id } of expired) tx.delete('deliveries', id);
    });
    if (expired.length < final.length) return;
  }
};

/** Deletes up to `SLICE` records, each event with its deliveries. Returns the keys of the events that are left. */
const deleteSome = (tx: Transaction, keys: readonly string[]): readonly string[] => {
  let room = SLICE;
  for (const [at, key] of keys.entries()) {
    const event = tx.get('events', key);
    if (event === undefined) continue;
    if (room === 0) return keys.slice(at);
    if (tx.countBy('deliveries', 'pendingOfEvent', key) > 0) {
      if (event.retired) continue;
      tx.put('events', { ...event, retired: true });
    } else {
      const deliveries = tx.page('deliveries', 'event', key, { limit: room });
      for (const { id } of deliveries) tx.delete('deliveries', id);
      room -= deliveries.length;
      if (room === 0) return keys.slice(at);
      tx.delete('events', key);
    }
    room -= 1;
  }
  return [];
};

const deleteEvents = async ({ store, clock, settings, signal }: Context, tenant: string): Promise<void> => {
  const isExpired = eventRetention(clock.now(), settings.eventRetention, store.countBy('events', 'tenant', tenant));
  for await (const slice of readInSlices(store.each('events', 'tenant', tenant), signal)) {
    const expired = slice.filter(({ at, retired }) => isExpired(at) || retired);
    let keys: readonly string[] = expired.map(({ number }) => eventKey(number));
    while (keys.length > 0) {
      const left = keys;
      keys = await store.transact((tx) => deleteSome(tx, left));
      signal.throwIfAborted();
    }
    if (expired.length < slice.length) return;
  }
};

/**
 * An expired event with a pending delivery is marked as retired and not deleted. Rejects when the disk refuses writes.
 */
export const deleteExpiredEvents = async (context: Context): Promise<void> => {
  for (const { tenant } of context.store.all('serials')) {
    // Deliveries are deleted first, because those of an expired event count as well.
    await deleteDeliveries(context, tenant);
    await deleteEvents(context, tenant);
  }
};
