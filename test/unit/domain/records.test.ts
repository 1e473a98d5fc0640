// The keys and indexes of the collections, the numbers that callers see, and deletions in batches.
import { describe, expect, it, vi } from 'vitest';
import { collections } from '../../../daemon/domain/records/collections.ts';
import { deleteInBatches } from '../../../daemon/domain/records/delete-in-batches.ts';
import { lastSerial, nextSerial } from '../../../daemon/domain/records/next-serial.ts';
import { joinKey } from '../../../daemon/domain/records/record-key.ts';
import { SLICE, slicesOf } from '../../../daemon/domain/records/slices.ts';
import { tokenRecord } from '../../support/service/records.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

type AnyRecord = Readonly<Record<string, unknown>>;
interface AnyRule {
  readonly key: (record: AnyRecord) => string;
  readonly indexes: Readonly<Record<string, (record: AnyRecord) => string | undefined>>;
}
const rules = collections as unknown as Readonly<Record<string, AnyRule>>;

/** A record with every field that a key or an index reads, each with another value. */
const full: AnyRecord = {
  key: 'K',
  id: 'I',
  tenant: 'T',
  username: 'U',
  owner: 'O',
  name: 'N',
  alias: 'L',
  hash: 'H',
  grantId: 'G',
  clientId: 'C',
  executionId: 'E',
  actorId: 'A',
  redirectUri: 'R',
  scope: 'S',
  number: 1,
  serial: 2,
  eventNumber: 3,
  version: 4,
  sequence: 5,
  cron: { on: true },
  idempotency: { key: 'D' },
  status: 'X',
};

describe('a collection', () => {
  const k = joinKey;
  it.each<[string, string, Readonly<Record<string, string | undefined>>]>([
    ['meta', 'K', {}],
    ['tenants', 'I', {}],
    ['users', k('T', 'U'), { tenant: 'T' }],
    ['clients', 'I', { owner: k('T', 'O'), name: k('T', 'O', 'N') }],
    ['tokens', 'H', { grant: 'G', client: 'C', user: k('T', 'U'), execution: 'E' }],
    ['codes', 'H', { client: 'C', user: k('T', 'U') }],
    ['approvals', k('T', 'U', 'C', 'R', 'S'), { client: 'C', user: k('T', 'U') }],
    ['sessions', 'H', { user: k('T', 'U') }],
    ['actors', 'I', { tenant: 'T', owner: k('T', 'O'), cron: 'on' }],
    ['messages', 'E', { actor: 'A' }],
    ['executions', 'I', { actor: 'A', actorStatus: k('A', 'X'), running: undefined, idempotency: 'D' }],
    ['workers', 'I', { actor: 'A' }],
    ['aliases', k('T', 'L'), { tenant: 'T', actor: 'A', owner: k('T', 'O') }],
    ['nonces', 'I', { hash: 'H', actor: 'A', alias: k('T', 'L'), owner: k('T', 'O') }],
    ['events', '1', { tenant: 'T', actor: 'A', serial: k('T', '2') }],
    [
      'deliveries',
      'I',
      {
        tenant: 'T',
        actor: 'A',
        event: '3',
        waiting: undefined,
        sending: undefined,
        pendingOfEvent: undefined,
        pendingOfTenant: undefined,
      },
    ],
    ['configs', k('T', 'N'), { tenant: 'T', owner: k('T', 'O') }],
    ['states', k('A', '4'), { actor: 'A' }],
    ['results', k('E', '5'), { execution: 'E', actor: 'A' }],
    ['totals', k('T', 'A'), {}],
    ['serials', 'T', {}],
  ])('%s has the key %j and the indexes %j', (name, key, indexes) => {
    const rule = rules[name];
    expect(rule?.key(full)).toBe(key);
    const found = Object.entries(rule?.indexes ?? {}).map(([index, read]) => [index, read(full)]);
    expect(Object.fromEntries(found)).toEqual(indexes);
  });

  it.each([
    ['actors', 'cron', { cron: undefined }, undefined],
    ['actors', 'cron', { cron: { on: false } }, undefined],
    ['executions', 'running', { status: 'RUNNING' }, 'yes'],
    ['executions', 'running', { status: 'SUBMITTED' }, undefined],
    ['executions', 'idempotency', { idempotency: undefined }, undefined],
    ['nonces', 'alias', { alias: undefined }, undefined],
    ['deliveries', 'waiting', { status: 'WAITING' }, 'A'],
    ['deliveries', 'waiting', { status: 'SENDING' }, undefined],
    ['deliveries', 'sending', { status: 'SENDING' }, 'yes'],
    ['deliveries', 'sending', { status: 'WAITING' }, undefined],
    ['deliveries', 'pendingOfEvent', { status: 'WAITING' }, '3'],
    ['deliveries', 'pendingOfEvent', { status: 'SENDING' }, '3'],
    ['deliveries', 'pendingOfTenant', { status: 'WAITING' }, 'T'],
    ['deliveries', 'pendingOfTenant', { status: 'FAILED' }, undefined],
  ])('%s has in the index %s for %j the value %j', (name, index, fields, value) => {
    expect(rules[name]?.indexes[index]?.({ ...full, ...fields })).toBe(value);
  });

  it('is listed in the table of this test', () => {
    expect(Object.keys(collections)).toHaveLength(21);
  });
});

it('R125 the parts of a key cannot be confused', () => {
  expect(joinKey('a', 'bc')).not.toBe(joinKey('ab', 'c'));
});

it('R123 serial numbers are separate for each kind and tenant', async () => {
  const store = memoryStore();
  const given = await store.transact((tx) => [
    nextSerial(tx, 'DEV', 'events'),
    nextSerial(tx, 'DEV', 'events'),
    nextSerial(tx, 'DEV', 'users'),
    nextSerial(tx, 'LAB', 'deliveries'),
  ]);
  expect(given).toEqual([1, 2, 1, 1]);
  expect(lastSerial(store, 'DEV', 'events')).toBe(2);
  expect(lastSerial(store, 'LAB', 'events')).toBe(0);
  expect([...store.all('serials')]).toEqual([
    { tenant: 'DEV', events: 2, deliveries: 0, users: 1 },
    { tenant: 'LAB', events: 0, deliveries: 1, users: 0 },
  ]);
});

it.each([
  [0, 0],
  [1_000, 1],
  [1_001, 2],
])('%i records are deleted in %i transactions, each once, and no others', async (count, transactions) => {
  const store = memoryStore();
  const keys = Array.from({ length: count }, (_, index) => `t${index}`);
  await store.transact((tx) => {
    for (const hash of [...keys, 'other']) tx.put('tokens', tokenRecord(hash));
  });
  const transact = vi.spyOn(store, 'transact');
  expect(await deleteInBatches(store, 'tokens', keys)).toBe(count);
  expect(transact).toHaveBeenCalledTimes(transactions);
  expect([...store.all('tokens')].map(({ hash }) => hash)).toEqual(['other']);
});

it('a list is split into slices that hold every entry once, in order', () => {
  const all = Array.from({ length: 2 * SLICE + 1 }, (_, index) => index);
  const slices = [...slicesOf(all)];
  expect(slices.map(({ length }) => length)).toEqual([SLICE, SLICE, 1]);
  expect(slices.flat()).toEqual(all);
  expect([...slicesOf([])]).toEqual([]);
});
