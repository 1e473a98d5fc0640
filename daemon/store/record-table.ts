// One collection in memory: records by key, in the order in which their keys were first put, with secondary indexes.
import { type CollectionName, type Collections, collections } from '../domain/records/collections.ts';

/** How a collection is keyed and indexed. */
export interface Rule<R> {
  readonly key: (record: R) => string;
  readonly indexes: Readonly<Record<string, (record: R) => string | undefined>>;
}

export const rules: { readonly [N in CollectionName]: Rule<Collections[N]> } = collections;

export const isCollectionName = (name: unknown): name is CollectionName =>
  typeof name === 'string' && Object.hasOwn(collections, name);

export const collectionNames: readonly CollectionName[] = Object.keys(collections).filter(isCollectionName);

/** A record and its position: `order` increases with every new key and stays when the record is replaced. */
export interface Entry<R> {
  readonly order: number;
  readonly record: R;
}

export interface Table<R> {
  get(key: string): Entry<R> | undefined;
  /** In order. Changes during the iteration have the same effect as in a Map. */
  entries(): Iterable<readonly [string, Entry<R>]>;
  size(): number;
  /** Moves the entry to the end when its order differs from that of the entry it replaces. */
  set(key: string, entry: Entry<R>): void;
  remove(key: string): void;
  /** In order. */
  by(index: string, value: string): readonly (readonly [string, Entry<R>])[];
  countBy(index: string, value: string): number;
}

interface Bucket {
  keys: Set<string>;
  /** Order of the latest key. */
  last: number;
  /** False after a key was added out of order; the bucket is then sorted at the next read. */
  sorted: boolean;
}

export const createTable = <R>(rule: Rule<R>): Table<R> => {
  const records = new Map<string, Entry<R>>();
  const indexes = Object.entries(rule.indexes).map(([name, valueIn]) => ({
    name,
    valueIn,
    buckets: new Map<string, Bucket>(),
  }));

  const bucketsOf = (index: string): Map<string, Bucket> => {
    const found = indexes.find(({ name }) => name === index);
    if (found === undefined) throw new Error(`There is no index "${index}".`);
    return found.buckets;
  };

  const enter = (buckets: Map<string, Bucket>, value: string, key: string, order: number): void => {
    const bucket = buckets.get(value);
    if (bucket === undefined) {
      buckets.set(value, { keys: new Set([key]), last: order, sorted: true });
      return;
    }
    bucket.keys.add(key);
    if (order < bucket.last) bucket.sorted = false;
    else bucket.last = order;
  };

  const leave = (buckets: Map<string, Bucket>, value: string, key: string): void => {
    const bucket = buckets.get(value);
    if (bucket === undefined) return;
    bucket.keys.delete(key);
    if (bucket.keys.size === 0) buckets.delete(value);
  };

  const orderOf = (key: string): number => records.get(key)?.order ?? 0;

  const remove = (key: string): void => {
    const entry = records.get(key);
    if (entry === undefined) return;
    records.delete(key);
    for (const { valueIn, buckets } of indexes) {
      const value = valueIn(entry.record);
      if (value !== undefined) leave(buckets, value, key);
    }
  };

  return {
    get: (key) => records.get(key),
    entries: () => records,
    size: () => records.size,
    set(key, entry) {
      const before = records.get(key);
      if (before !== undefined && before.order !== entry.order) remove(key);
      const same = before !== undefined && before.order === entry.order ? before : undefined;
      records.set(key, entry);
      for (const { valueIn, buckets } of indexes) {
        const value = valueIn(entry.record);
        const old = same === undefined ? undefined : valueIn(same.record);
        if (old === value) continue;
        if (old !== undefined) leave(buckets, old, key);
        if (value !== undefined) enter(buckets, value, key, entry.order);
      }
    },
    remove,
    by(index, value) {
      const bucket = bucketsOf(index).get(value);
      if (bucket === undefined) return [];
      if (!bucket.sorted) {
        bucket.keys = new Set([...bucket.keys].sort((a, b) => orderOf(a) - orderOf(b)));
        bucket.sorted = true;
      }
      const found: (readonly [string, Entry<R>])[] = [];
      for (const key of bucket.keys) {
        const entry = records.get(key);
        if (entry !== undefined) found.push([key, entry]);
      }
      return found;
    },
    countBy: (index, value) => bucketsOf(index).get(value)?.keys.size ?? 0,
  };
};
