// One collection: records by key, in the order in which their keys were first put, with secondary indexes.
import { type CollectionName, type Collections, collections } from '../domain/records/collections.ts';
import { createHashedKeys, type Keys } from './table/hashed-keys.ts';
import { createKeyMap } from './table/key-map.ts';
import { createOrderIndex } from './table/order-index.ts';
import { createOrderList, type Orders } from './table/orders.ts';
import type { Places } from './table/places.ts';
import type { Place, RecordFiles } from './table/record-files.ts';
import { heldRecords, type Records, storedRecords } from './table/records.ts';
import { createSums, type SumsRule } from './table/sums.ts';
import { createUniqueIndex } from './table/unique-index.ts';

export interface Rule<R> {
  readonly key: (record: R) => string;
  readonly indexes: Readonly<Record<string, (record: R) => string | undefined>>;
  /** Indexes in which each value belongs to one record. For records on disk they take less memory. */
  readonly unique?: readonly string[];
  readonly sums?: SumsRule<R>;
}

export const rules: { readonly [N in CollectionName]: Rule<Collections[N]> } = collections;

export const isCollectionName = (name: unknown): name is CollectionName =>
  typeof name === 'string' && Object.hasOwn(collections, name);

export const collectionNames: readonly CollectionName[] = Object.keys(collections).filter(isCollectionName);

/** A record and its order number, which increases with every new key and stays the same when the record is replaced. */
export interface Entry<R> {
  readonly order: number;
  readonly record: R;
}

/** A collection. Records are read when they are asked for. @throws StoreDamaged from each read of a durable record */
export interface Table<R> {
  has(key: string): boolean;
  get(key: string): Entry<R> | undefined;
  record(order: number): R | undefined;
  /**
   * The order numbers of all entries or, with `index`, of the entries that have `value` in it. The result reflects
   * later changes.
   */
  orders(index?: string, value?: string): Orders;
  sum(figure: string, value: string): number;
  set(key: string, entry: Entry<R>): void;
  remove(key: string): void;
}

/** The reads of a table, and writes for which the caller passes the previous entry, so that they need not read it. */
interface Core<R> extends Omit<Table<R>, 'set' | 'remove'> {
  /** Adds the entry of a key that the table does not have yet. Its record must be stored already. */
  add(key: string, entry: Entry<R>): void;
  set(key: string, before: Entry<R> | undefined, entry: Entry<R>, place?: Place): void;
  remove(key: string, before: Entry<R> | undefined): void;
}

const createCore = <R>(rule: Rule<R>, records: Records<R>, keys: Keys, onDisk: boolean): Core<R> => {
  const all = createOrderList();
  const indexes = Object.entries(rule.indexes).map(([name, valueIn]) => {
    const valueAt = (order: number): string | undefined => {
      const record = records.get(order);
      return record && valueIn(record);
    };
    const isUnique = onDisk && rule.unique?.includes(name);
    return { name, valueIn, of: isUnique ? createUniqueIndex(valueAt) : createOrderIndex() };
  });

  const summed = rule.sums && { sums: createSums(rule.sums), valueIn: rule.indexes[rule.sums.by] };
  const sumUp = (record: R, sign: 1 | -1): void => {
    const value = summed?.valueIn?.(record);
    if (value !== undefined) summed?.sums.change(value, record, sign);
  };

  const entryOf = (key: string): Entry<R> | undefined => {
    let record: R | undefined;
    const order = keys.find(key, (each) => {
      record = records.get(each);
      return record !== undefined && rule.key(record) === key;
    });
    if (order === undefined) return undefined;
    record ??= records.get(order);
    return record === undefined ? undefined : { order, record };
  };

  const add = (key: string, { order, record }: Entry<R>): void => {
    keys.add(key, order);
    all.add(order);
    sumUp(record, 1);
    for (const { valueIn, of } of indexes) {
      const value = valueIn(record);
      if (value !== undefined) of.add(value, order);
    }
  };

  const replace = (order: number, before: R, after: R): void => {
    sumUp(before, -1);
    sumUp(after, 1);
    for (const { valueIn, of } of indexes) {
      const [old, value] = [valueIn(before), valueIn(after)];
      if (old === value) continue;
      if (old !== undefined) of.remove(old, order);
      if (value !== undefined) of.add(value, order);
    }
  };

  const remove = (key: string, before: Entry<R> | undefined): void => {
    if (before === undefined) return;
    const { order, record } = before;
    keys.remove(key, order);
    records.remove(order);
    all.remove(order);
    sumUp(record, -1);
    for (const { valueIn, of } of indexes) {
      const value = valueIn(record);
      if (value !== undefined) of.remove(value, order);
    }
  };

  return {
    has: (key) => entryOf(key) !== undefined,
    get: entryOf,
    record: (order) => records.get(order),
    orders(index, value = '') {
      if (index === undefined) return all;
      const found = indexes.find(({ name }) => name === index);
      if (found === undefined) throw new Error(`There is no index "${index}".`);
      return found.of.orders(value);
    },
    sum: (figure, value) => summed?.sums.of(figure, value) ?? 0,
    add,
    set(key, before, { order, record }, place) {
      if (before !== undefined && before.order !== order) remove(key, before);
      records.set(order, record, place);
      if (before?.order === order) replace(order, before.record, record);
      else add(key, { order, record });
    },
    remove,
  };
};

const heldKeys = (): Keys => {
  const orders = createKeyMap<number>();
  return { find: (key) => orders.get(key), add: orders.set, remove: orders.delete };
};

export const createTable = <R>(rule: Rule<R>): Table<R> => {
  const core = createCore(rule, heldRecords<R>(), heldKeys(), false);
  return {
    ...core,
    set: (key, entry) => core.set(key, core.get(key), entry),
    remove: (key) => core.remove(key, core.get(key)),
  };
};

export interface StoredTable<R> extends Omit<Table<R>, 'set' | 'remove'> {
  /** Replaces `before`, the current entry of the key. If the order numbers differ, the entry moves. Reads no record. */
  set(key: string, entry: Entry<R>, place: Place | undefined, before: Entry<R> | undefined): void;
  remove(key: string, before: Entry<R> | undefined): void;
  readonly places: Places;
  held(): number;
  nextOrder(): number;
  takeOrder(): number;
  /**
   * Adds a record that was read from disk at startup and whose key is not in the table yet. The object stays in memory
   * only if the table keeps all its records in memory.
   */
  load(record: R, place: Place): void;
}

export const createStoredTable = <R>(rule: Rule<R>, files: RecordFiles, budget: number): StoredTable<R> => {
  const records = storedRecords<R>(files, budget);
  const onDisk = budget !== Number.POSITIVE_INFINITY;
  const core = createCore(rule, records, onDisk ? createHashedKeys() : heldKeys(), onDisk);
  let next = 1;
  return {
    ...core,
    set: (key, entry, place, before) => core.set(key, before, entry, place),
    places: records.places,
    held: records.held,
    nextOrder: () => next,
    takeOrder: () => next++,
    load(record, place) {
      const order = next++;
      records.load(order, record, place);
      core.add(rule.key(record), { order, record });
    },
  };
};
