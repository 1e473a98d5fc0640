// One collection in memory: records by key, in the order in which their keys were first put, with secondary indexes.
import { type CollectionName, type Collections, collections } from '../domain/records/collections.ts';
import { createOrderIndex } from './table/order-index.ts';
import { createOrderList, type Orders } from './table/orders.ts';
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

export interface Table<R> {
  get(key: string): Entry<R> | undefined;
  /** The record with this order. */
  record(order: number): R | undefined;
  /** The orders of all entries, or with an index those of one of its values. Shows later changes as well. */
  orders(index?: string, value?: string): Orders;
  /** The sum of a figure over the records of a value of the summed index. */
  sum(figure: string, value: string): number;
  /** Moves the entry when its order differs from that of the entry it replaces. */
  set(key: string, entry: Entry<R>): void;
  remove(key: string): void;
}

export const createTable = <R>(rule: Rule<R>): Table<R> => {
  const keys = new Map<string, number>();
  const records = new Map<number, R>();
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

  const remove = (key: string): void => {
    const entry = entryOf(key);
    if (entry === undefined) return;
    keys.delete(key);
    records.delete(entry.order);
    all.remove(entry.order);
    sumUp(entry.record, -1);
    for (const { valueIn, of } of indexes) {
      const value = valueIn(entry.record);
      if (value !== undefined) of.remove(value, entry.order);
    }
  };

  return {
    get: entryOf,
    record: (order) => records.get(order),
    orders(index, value = '') {
      if (index === undefined) return all;
      const found = indexes.find(({ name }) => name === index);
      if (found === undefined) throw new Error(`There is no index "${index}".`);
      return found.of.orders(value);
    },
    sum: (figure, value) => summed?.sums.of(figure, value) ?? 0,
    set(key, { order, record }) {
      const before = entryOf(key);
      const same = before?.order === order ? before.record : undefined;
      if (before !== undefined && same === undefined) remove(key);
      keys.set(key, order);
      records.set(order, record);
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
