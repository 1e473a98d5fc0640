// The work for each delivery to a webhook: how many records are read, how many decisions are written, and how often its
// URL is checked.
import { expect, it } from 'vitest';
import { addressRule, checkedLookup } from '../../../daemon/delivery/address.ts';
import { targetFinder } from '../../../daemon/delivery/webhook-poster.ts';
import type { Attempt } from '../../../daemon/domain/events/delivery-status.ts';
import { emit } from '../../../daemon/domain/events/emission.ts';
import type { Store, Transaction } from '../../../daemon/ports/store.ts';
import { createDispatcher } from '../../../daemon/scheduler/webhook-dispatcher.ts';
import { actorRecord } from '../../support/service/records.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

const EVENTS = 200;

/** Calls `onRead` with the number of records that each read of a transaction returns. */
const countingReads = (tx: Transaction, onRead: (records: number) => void): Transaction => {
  const counted = <T>(records: readonly T[]): readonly T[] => {
    onRead(records.length);
    return records;
  };
  return {
    ...tx,
    get: (collection, key) => counted([tx.get(collection, key)])[0],
    by: (collection, index, value) => counted(tx.by(collection, index, value)),
    page: (collection, index, value, page) => counted(tx.page(collection, index, value, page)),
    *all(collection, walk) {
      for (const record of tx.all(collection, walk)) yield* counted([record]);
    },
    *each(collection, index, value, walk) {
      for (const record of tx.each(collection, index, value, walk)) yield* counted([record]);
    },
  };
};

it('a delivery costs one decision and two reads, however many deliveries wait', async () => {
  const store = memoryStore();
  const actor = actorRecord('a', { webhook: 'http://127.0.0.1/hook' });
  let ids = 0;
  await store.transact((tx) => {
    tx.put('actors', actor);
    for (let at = 0; at < EVENTS; at += 1) emit(tx, actor, { type: 'NOTICE' }, { now: at, id: () => `id${++ids}` });
  });
  let [read, decisions, posts] = [0, 0, 0];
  const counted: Store = {
    ...store,
    transact: (decide) => {
      decisions += 1;
      return store.transact((tx) => decide(countingReads(tx, (records) => (read += records))));
    },
  };
  const post = async (): Promise<Attempt> => {
    posts += 1;
    return { kind: 'answered', status: 200 };
  };
  const dispatcher = createDispatcher({
    store: counted,
    poster: { post, cut: () => undefined, close: () => undefined },
    clock: { now: () => 0 },
    configs: { receivedBy: () => ({ text: '{}', secrets: [], all: [] }) },
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  dispatcher.start();
  await expect.poll(() => posts).toBe(EVENTS);
  await dispatcher.stop({ deadlineMs: 10_000 });
  // One decision ends a delivery and starts the next. One more starts the first, and one searches for interrupted
  // deliveries.
  expect(decisions).toBe(EVENTS + 2);
  // The delivery that ends, and the next one.
  expect(read).toBe(2 * EVENTS);
});

it('the URL of a webhook is checked once for all its deliveries', () => {
  let checks = 0;
  const find = targetFinder((address) => {
    checks += 1;
    return address === '10.0.0.1' ? 'private' : undefined;
  }, true);
  for (let post = 0; post < 100; post += 1) {
    expect(find('https://127.0.0.1:9/hook?a=1')).toEqual({
      isSecure: true,
      hostname: '127.0.0.1',
      port: '9',
      path: '/hook?a=1',
    });
    expect(find('http://10.0.0.1/')).toEqual({ fault: 'private' });
  }
  expect(checks).toBe(2);
});

it('R245 addresses of this machine are read at the time of use, in a URL and behind a name', async () => {
  let own = ['8.8.4.4'];
  const rule = addressRule(false, () => own);
  const find = targetFinder(rule, false);
  const look = checkedLookup(async () => ['8.8.8.8'], rule);
  const connects = () => new Promise((resolve) => look('name.example', { all: true }, (error) => resolve(!error)));
  expect(find('http://[::ffff:8.8.8.8]/')).toMatchObject({ hostname: '::ffff:808:808' });
  expect(await connects()).toBe(true);
  own = ['8.8.8.8'];
  for (const host of ['8.8.8.8', '134744072', '[::ffff:8.8.8.8]']) {
    expect(find(`http://${host}/`)).toEqual({ fault: expect.stringContaining('an address of this machine') });
  }
  expect(await connects()).toBe(false);
  // Where private addresses are allowed, so is every address of this machine.
  expect(addressRule(true, () => own)('8.8.8.8')).toBeUndefined();
});
