// The deletion of expired events and deliveries: what is retained, and how little it reads and writes at once.
import { expect, it, onTestFinished } from 'vitest';
import type { EventRetention } from '../../../daemon/domain/events/retention.ts';
import type { DeliveryRecord, DeliveryStatus, EventRecord } from '../../../daemon/domain/records/event-records.ts';
import { SLICE } from '../../../daemon/domain/records/slices.ts';
import type { Store, Transaction } from '../../../daemon/ports/store.ts';
import { deleteExpiredEvents } from '../../../daemon/scheduler/event-retention.ts';
import { openStore } from '../../../daemon/store/store.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const event = (number: number, at = number, tenant = 'DEV'): EventRecord => ({
  ...{ tenant, number, serial: number, at },
  ...{ actorId: 'a', owner: 'ana', type: 'NOTICE' },
});

const delivery = (
  sequence: number,
  eventNumber: number,
  status: DeliveryStatus = 'DELIVERED',
  createdAt = 0,
): DeliveryRecord => ({
  ...{ id: `d${sequence}`, tenant: 'DEV', sequence, serial: sequence, eventNumber, eventSerial: eventNumber },
  ...{ actorId: 'a', owner: 'ana', url: 'https://example.org/', status, createdAt },
});

interface Filled {
  readonly events?: readonly EventRecord[];
  readonly deliveries?: readonly DeliveryRecord[];
}

const filledStore = async ({ events = [], deliveries = [] }: Filled): Promise<Store> => {
  const store = await openStore({ folder: temporaryFolder(), clock: handClock(), logger: rememberingLogger() });
  onTestFinished(() => store.close());
  await store.transact((tx) => {
    for (const tenant of ['DEV', 'OTHER']) tx.put('serials', { tenant, events: 0, deliveries: 0, users: 0 });
    for (const record of events) tx.put('events', record);
    for (const record of deliveries) tx.put('deliveries', record);
  });
  return store;
};

const rule = { total: 2, ageMs: 100 };

/** Deletes what has expired at a time. Returns the number of records read, and those that each transaction changed. */
const sweep = async (store: Store, now: number, eventRetention: EventRetention = rule) => {
  let read = 0;
  const changes: number[] = [];
  const each: Store['each'] = function* (...query) {
    for (const record of store.each(...query)) {
      read += 1;
      yield record;
    }
  };
  const transact: Store['transact'] = (decide) =>
    store.transact((tx) => {
      let changed = 0;
      const counting: Transaction = {
        ...tx,
        put(collection, record) {
          changed += 1;
          tx.put(collection, record);
        },
        delete(collection, key) {
          changed += 1;
          tx.delete(collection, key);
        },
      };
      const value = decide(counting);
      if (changed > 0) changes.push(changed);
      return value;
    });
  await deleteExpiredEvents({
    store: { ...store, each, transact },
    clock: { now: () => now },
    settings: { eventRetention },
    signal: new AbortController().signal,
  });
  return { read, changes };
};

const kept = (store: Store) => ({
  events: [...store.all('events')].filter(({ retired }) => !retired).map(({ number }) => number),
  retired: [...store.all('events')].filter(({ retired }) => retired).map(({ number }) => number),
  deliveries: [...store.all('deliveries')].map(({ id }) => id),
});

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

it('event retention keeps the newest events, and deletes a delivery together with its event', async () => {
  const store = await filledStore({
    events: [event(1), event(4), event(5), event(9)],
    deliveries: [delivery(2, 1), delivery(6, 5), delivery(10, 9)],
  });
  await sweep(store, 10);
  expect(kept(store)).toEqual({ events: [5, 9], retired: [], deliveries: ['d6', 'd10'] });
});

it('event retention counts events and deliveries per tenant', async () => {
  const store = await filledStore({
    events: [event(1, 1, 'OTHER'), event(2), event(3), event(4)],
    deliveries: [{ ...delivery(5, 1), tenant: 'OTHER' }, delivery(6, 3), delivery(7, 4)],
  });
  await sweep(store, 10);
  expect(kept(store)).toEqual({ events: [1, 3, 4], retired: [], deliveries: ['d5', 'd6', 'd7'] });
});

it('event retention deletes events and deliveries that are too old', async () => {
  const store = await filledStore({
    events: [event(1, 0), event(2, 1)],
    deliveries: [delivery(3, 1), delivery(4, 2, 'FAILED', 1)],
  });
  await sweep(store, 101);
  expect(kept(store)).toEqual({ events: [2], retired: [], deliveries: ['d4'] });
});

it('event retention only marks events as retired while a delivery is pending, however old', async () => {
  const store = await filledStore({
    events: [{ ...event(1), retired: true }, event(3), event(5), event(7)],
    deliveries: [delivery(2, 1, 'WAITING'), delivery(4, 3, 'SENDING'), delivery(6, 3, 'FAILED')],
  });
  await sweep(store, 1_000);
  expect(kept(store)).toEqual({ events: [], retired: [1, 3], deliveries: ['d2', 'd4'] });
  expect((await sweep(store, 1_000)).changes).toEqual([]);
  await store.transact((tx) => tx.put('deliveries', delivery(2, 1, 'DELIVERED', 999)));
  await sweep(store, 1_000);
  expect(kept(store)).toEqual({ events: [], retired: [3], deliveries: ['d4'] });
});

it('event retention keeps the newest repeated deliveries of one event, and does not count pending ones', async () => {
  const store = await filledStore({
    events: [event(1)],
    deliveries: [delivery(2, 1), delivery(3, 1, 'WAITING'), delivery(4, 1), delivery(5, 1), delivery(6, 1, 'SENDING')],
  });
  await sweep(store, 10);
  expect(kept(store)).toEqual({ events: [1], retired: [], deliveries: ['d3', 'd4', 'd5', 'd6'] });
});

it('event retention also counts deliveries whose event has expired', async () => {
  const store = await filledStore({
    events: [event(1), event(2), event(3)],
    deliveries: [delivery(4, 2), delivery(5, 3), delivery(6, 1)],
  });
  await sweep(store, 10);
  expect(kept(store)).toEqual({ events: [2, 3], retired: [], deliveries: ['d5'] });
});

it('event retention reads only a slice of the oldest records if nothing has expired', async () => {
  const all = numbers(5 * SLICE);
  const store = await filledStore({ events: all.map((n) => event(n)), deliveries: all.map((n) => delivery(n, n)) });
  const { read, changes } = await sweep(store, 10, { total: all.length, ageMs: 100 });
  expect(read).toBeLessThanOrEqual(2 * SLICE);
  expect(changes).toEqual([]);
});

it('event retention reads and changes few records in each transaction', async () => {
  const all = numbers(6 * SLICE);
  const last = all.length + 1;
  const repeated = numbers(2 * SLICE + 5).map((n) => delivery(last + n, last));
  const store = await filledStore({
    events: [...all, last].map((n) => event(n)),
    deliveries: [...all.map((n) => delivery(n, n)), ...repeated],
  });
  const { read, changes } = await sweep(store, 10, { total: 3 * SLICE, ageMs: 10_000 });
  const counted = store.count('events') + store.count('deliveries');
  expect(counted).toBe(6 * SLICE);
  expect(Math.max(...changes)).toBe(SLICE);
  expect(read).toBeLessThanOrEqual(changes.reduce((sum, changed) => sum + changed, 0) + 2 * SLICE);

  // All deliveries of the last event do not fit into one transaction.
  const rest = await sweep(store, 20_000, { total: 0, ageMs: 10_000 });
  expect(kept(store)).toEqual({ events: [], retired: [], deliveries: [] });
  expect(Math.max(...rest.changes)).toBe(SLICE);
});

it('event retention deletes the many deliveries of one event before the event', async () => {
  const deliveries = numbers(2 * SLICE + 5).map((n) => delivery(n, 1, 'FAILED', 999));
  const store = await filledStore({ events: [event(1)], deliveries });
  const { changes } = await sweep(store, 1_000, { total: 1_000, ageMs: 100 });
  expect(kept(store)).toEqual({ events: [], retired: [], deliveries: [] });
  expect(changes).toEqual([SLICE, SLICE, 6]);
});

it('event retention stops when its abort signal fires', async () => {
  const store = await filledStore({ events: [event(1)] });
  const closing = { store, clock: { now: () => 1_000 }, settings: { eventRetention: rule } };
  await expect(deleteExpiredEvents({ ...closing, signal: AbortSignal.abort(new Error('closed')) })).rejects.toThrow(
    'closed',
  );
  expect(kept(store).events).toEqual([1]);
});
