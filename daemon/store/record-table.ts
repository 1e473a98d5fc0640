// One collection: records by key, in the order in which their keys were first put, with secondary indexes.
import { type CollectionName, type Collections, collections } from '../domain/records/collections.ts';
import { createKeyMap } from './table/key-map.ts';
import { createOrderIndex } from './table/order-index.ts';
import { createOrderList, type Orders } from './table/orders.ts';
import type { Places } from './table/places.ts';
import type { Place, RecordFiles } from './table/record-files.ts';
import { heldRecords, type Records, storedRecords } from './table/records.ts';
import { createSums, type SumsRule } from './table/sums.ts';

/** How a collection is keyed and indexed. */
export interface Rule<R> {
  readonly key: (record: R) => string;
  readonly indexes: Readonly<Record<string, (record: R) => string | undefined>>;
  readonly sums?: SumsRule<R>;
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

/** A collection. Records are read when they are asked for. @throws StoreDamaged from each read of a durable record */
export interface Table<R> {
  has(key: string): boolean;
  get(key: string): Entry<R> | undefined;
  /** The record with this order. */
  record(order: number): R | undefined;
  /** The orders of all entries, or with an index those of one of its values. Shows later changes as well. */
  orders(index?: string, value?: string): Orders;
  /** The sum of a figure over the records of a value of the summed index. */
  sum(figure: string, value: string): number;
  /**
   * Moves the entry when its order differs from that of the entry it replaces.
   * @param place where the text of a durable record is
   * @param before the entry of the key, which is read when it is not given
   */
  set(key: string, entry: Entry<R>, place?: Place, before?: Entry<R>): void;
  /** @param before as for `set` */
  remove(key: string, before?: Entry<R>): void;
}

/** @param records where the records are; by default in memory, for records that are not durable */
export const createTable = <R>(rule: Rule<R>, records: Records<R> = heldRecords()): Table<R> => {
  const keys = createKeyMap<number>();
  const all = createOrderList();
  const indexes = Object.entries(rule.indexes).map(([name, valueIn]) => ({ name, valueIn, of: createOrderIndex() }));

  const summed = rule.sums && { sums: createSums(rule.sums), valueIn: rule.indexes[rule.sums.by] };
  const sumUp = (record: R, sign: 1 | -1): void => {
    const value = summed?.valueIn?.(record);
    if (value !== undefined) summed?.sums.change(value, record, sign);
  };

  const entryOf = (key: string): Entry<R> | undefined => {
    const order = keys.get(key);
    const record = order === undefined ? undefined : records.get(order);
    return order === undefined || record === undefined ? undefined : { order, record };
  };

  const remove = (key: string, before = entryOf(key)): void => {
    if (before === undefined) return;
    const { order, record } = before;
    keys.delete(key);
    records.remove(order);
    all.remove(order);
    sumUp(record, -1);
    for (const { valueIn, of } of indexes) {
      const value = valueIn(record);
      if (value !== undefined) of.remove(value, order);
    }
  };

  return {
    has: (key) => keys.has(key),
    get: entryOf,
    record: (order) => records.get(order),
    orders(index, value = '') {
      if (index === undefined) return all;
      const found = indexes.find(({ name }) => name === index);
      if (found === undefined) throw new Error(`There is no index "${index}".`);
      return found.of.orders(value);
    },
    sum: (figure, value) => summed?.sums.of(figure, value) ?? 0,
    set(key, { order, record }, place, before = entryOf(key)) {
      const same = before?.order === order ? before.record : undefined;
      if (before !== undefined && same === undefined) remove(key, before);
      keys.set(key, order);
      records.set(order, record, place);
      if (same === undefined) all.add(order);
      else sumUp(same, -1);
      sumUp(record, 1);
      for (const { valueIn, of } of indexes) {
        const value = valueIn(record);
        const old = same === undefined ? undefined : valueIn(same);
        if (old === value) continue;
        if (old !== undefined) of.remove(old, order);
        if (value !== undefined) of.add(value, order);
      }
    },
    remove,
  };
};

/** The durable records of a collection. */
export interface StoredTable<R> extends Table<R> {
  readonly places: Places;
  /** Number of records that are objects in memory. */
  held(): number;
  /** The order of the next new key. */
  nextOrder(): number;
  /** Takes the order of a new key. */
  takeOrder(): number;
}

/** @param budget see `storedRecords` */
export const createStoredTable = <R>(rule: Rule<R>, files: RecordFiles, budget: number): StoredTable<R> => {
  const records = storedRecords<R>(files, budget);
  let next = 1;
  return {
    ...createTable(rule, records),
    places: records.places,
    held: records.held,
    nextOrder: () => next,
    takeOrder: () => next++,
  };
};
