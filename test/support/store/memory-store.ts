// A store in memory with the contract of the real one, in the simplest form. It is the model of the real store, and
// makes tests fast.

import { Failure } from '../../../daemon/domain/failure.ts';
import { type CollectionName, type Collections, collections } from '../../../daemon/domain/records/collections.ts';
import type { IndexValue, ReadView, Store, Transaction, Walk } from '../../../daemon/ports/store.ts';

type Records = ReadonlyMap<string, unknown>;

/** All records at one moment. Immutable: a change creates another snapshot. */
interface Moment {
  readonly records: ReadonlyMap<CollectionName, Records>;
  readonly sequence: number;
}

export interface MemoryStore extends Store {
  /** Simulates a disk that refuses writes from now on (with a reason), or accepts them again (`undefined`). */
  refuse(reason: string | undefined): void;
}

interface Rule<R> {
  readonly key: (record: R) => string;
  readonly indexes: Readonly<Record<string, (record: R) => string | undefined>>;
  readonly sums?: { readonly by: string; readonly figures: Readonly<Record<string, (record: R) => number>> };
}

const rules: { readonly [N in CollectionName]: Rule<Collections[N]> } = collections;

const view = (moment: () => Moment): ReadView => {
  const all = <N extends CollectionName>(collection: N): Collections[N][] =>
    [...(moment().records.get(collection)?.values() ?? [])].map((record) => record as Collections[N]);
  const by = <N extends CollectionName>(collection: N, index: string, value: IndexValue): Collections[N][] => {
    const values = new Set<string | undefined>([value].flat());
    return all(collection).filter((record) => {
      const own = rules[collection].indexes[index]?.(record);
      return own !== undefined && values.has(own);
    });
  };
  const directed = <R>(records: R[], { skip = 0, newestFirst = false }: Walk = {}): R[] =>
    (newestFirst ? records.toReversed() : records).slice(skip);
  return {
    get: <N extends CollectionName>(collection: N, key: string) =>
      moment().records.get(collection)?.get(key) as Collections[N] | undefined,
    all: (collection, walk) => directed(all(collection), walk),
    by,
    each: (collection, index, value, walk) => directed(by(collection, index, value), walk),
    page: (collection, index, value, { skip = 0, limit, newestFirst = false }) =>
      directed(by(collection, index, value), { skip, newestFirst }).slice(0, limit),
    count: (collection) => moment().records.get(collection)?.size ?? 0,
    countBy: (collection, index, value) => by(collection, index, value).length,
    sumBy: (collection, figure, value) => {
      const { sums } = rules[collection];
      const records = sums === undefined ? [] : by(collection, sums.by, value);
      return records.reduce((sum, record) => sum + (sums?.figures[figure]?.(record) ?? 0), 0);
    },
  };
};

/** @param lastTime the latest time that a real store would have found in its data */
export const memoryStore = (lastTime = 0): MemoryStore => {
  let durable: Moment = { records: new Map(), sequence: 0 };
  let version = 0;
  let latest = durable;
  let made: Moment | undefined;
  let refusal: Failure | undefined;
  let closed = false;
  const listeners = new Map<CollectionName, Set<(record: Collections[CollectionName]) => void>>();
  let put: [CollectionName, Collections[CollectionName]][] = [];

  const now = (): Moment => {
    if (made === undefined) throw new Error('A transaction cannot be used after its function has returned.');
    return made;
  };
  const change = (collection: CollectionName, edit: (records: Map<string, unknown>) => void): void => {
    const { records, sequence } = now();
    const changed = new Map(records.get(collection));
    edit(changed);
    made = { records: new Map(records).set(collection, changed), sequence };
  };
  const transaction: Transaction = {
    ...view(now),
    put(collection, record) {
      change(collection, (records) => records.set(rules[collection].key(record), record));
      put.push([collection, record]);
    },
    delete(collection, key) {
      if (now().records.get(collection)?.has(key)) change(collection, (records) => records.delete(key));
    },
    nextSequence() {
      const { records, sequence } = now();
      made = { records, sequence: sequence + 1 };
      return sequence + 1;
    },
  };

  const transact = async <T>(decide: (tx: Transaction) => T): Promise<T> => {
    if (closed) throw new Failure('SHUTTING_DOWN', 'The daemon is stopping.');
    if (made !== undefined) throw new Error('A transaction cannot start another transaction.');
    made = latest;
    let after: Moment;
    let value: T;
    put = [];
    try {
      value = decide(transaction);
      if (value instanceof Promise) throw new Error('The function of a transaction must be synchronous.');
      after = made;
    } catch (error) {
      made = undefined;
      // The data that caused the error may not be durable yet.
      if (latest !== durable) await new Promise((resolve) => setImmediate(resolve));
      throw error;
    } finally {
      made = undefined;
    }
    if (after !== latest && refusal !== undefined) throw refusal;
    latest = after;
    const committed = put;
    await new Promise((resolve) => setImmediate(resolve));
    if (after !== durable) version += 1;
    durable = after;
    for (const [collection, record] of committed)
      for (const listener of listeners.get(collection) ?? []) listener(record);
    return value;
  };

  return {
    ...view(() => durable),
    transact,
    watch<N extends CollectionName>(collection: N, listener: (record: Collections[N]) => void) {
      const mine = (record: Collections[CollectionName]): void => listener(record as Collections[N]);
      const all = listeners.get(collection) ?? new Set();
      listeners.set(collection, all.add(mine));
      return () => void all.delete(mine);
    },
    lastTime,
    version: () => version,
    status: () => ({
      writable: refusal === undefined,
      ...(refusal === undefined ? {} : { reason: refusal.message }),
      schemaVersion: 5,
    }),
    refuse(reason) {
      refusal = reason === undefined ? undefined : new Failure('STORE_UNAVAILABLE', reason);
    },
    async close() {
      closed = true;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
};
