// One collection in two states: the durable records, and the changes of transactions that are not durable yet.
import { createTable, type Entry, type Rule, type StoredTable, type Table } from './record-table.ts';
import type { Orders } from './table/orders.ts';
import { createReader, type Reader } from './table/reader.ts';
import type { Place } from './table/record-files.ts';

/** A change of a key that is not durable yet. */
interface Change<R> {
  readonly key: string;
  readonly decision: number;
  /** Undefined: the key is removed. */
  readonly entry: Entry<R> | undefined;
  /** The pending change before this one, if there was one. */
  readonly before: { readonly decision: number; readonly entry: Entry<R> | undefined } | undefined;
}

export interface Layer<R> {
  /** Reads durable records only. */
  readonly durable: Reader<R>;
  /** Reads durable records with all pending changes applied. */
  readonly latest: Reader<R>;
  /** True if `latest` has the key. Reads no record. */
  has(key: string): boolean;
  /**
   * Adds a pending change (undefined removes the key). Transaction numbers must increase.
   * @throws StoreDamaged when the durable record of the key cannot be read; nothing was changed then
   */
  change(key: string, record: R | undefined, decision: number): Change<R>;
  /** Undoes the latest change that is not undone yet. */
  undo(change: Change<R>): void;
  /**
   * Marks a change as durable. Changes become durable in the order in which they were made. Reads no record, so that it
   * cannot fail.
   * @param place where the text of the record is
   */
  settle(change: Change<R>, place?: Place): void;
  /** Discards all pending changes. */
  drop(): void;
}

interface Merge {
  readonly base: Orders;
  /** The orders in `base` that are left out. */
  readonly hidden: Orders;
  readonly isHidden: (order: number) => boolean;
  readonly added: Orders;
  /** True while nothing is hidden and nothing is added. */
  readonly isUnchanged: () => boolean;
}

const merged = ({ base, hidden, isHidden, added, isUnchanged }: Merge): Orders => {
  const shown = (from: number | undefined, newestFirst: boolean): number | undefined => {
    let order = from;
    while (order !== undefined && isHidden(order)) order = base.next(order, newestFirst);
    return order;
  };
  const nearest = (a: number | undefined, b: number | undefined, newestFirst: boolean): number | undefined => {
    if (a === undefined || b === undefined) return a ?? b;
    return newestFirst ? Math.max(a, b) : Math.min(a, b);
  };
  const next = (order: number, newestFirst: boolean): number | undefined =>
    nearest(shown(base.next(order, newestFirst), newestFirst), added.next(order, newestFirst), newestFirst);
  return {
    count: () => base.count() - hidden.count() + added.count(),
    rank: (order) => base.rank(order) - hidden.rank(order) + added.rank(order),
    nth(position, newestFirst) {
      if (isUnchanged()) return base.nth(position, newestFirst);
      let order = nearest(shown(base.nth(0, newestFirst), newestFirst), added.nth(0, newestFirst), newestFirst);
      for (let left = position; left > 0 && order !== undefined; left -= 1) order = next(order, newestFirst);
      return order;
    },
    next,
  };
};

export const createLayer = <R>(rule: Rule<R>, base: StoredTable<R>): Layer<R> => {
  /** Key → number of the last transaction that changed it. */
  const pending = new Map<string, number>();
  /** The future entries of pending keys; removed keys are absent. */
  let coming = createTable(rule);
  /**
   * The durable entries of pending keys. With this table a count is a subtraction, however many changes are pending.
   */
  let covered = createTable(rule);

  const set = (table: Table<R>, key: string, entry: Entry<R> | undefined): void => {
    if (entry === undefined) table.remove(key);
    else table.set(key, entry);
  };

  const release = (key: string): void => {
    pending.delete(key);
    coming.remove(key);
    covered.remove(key);
  };

  return {
    durable: createReader({ ...base, get: (key) => base.get(key)?.record }),
    latest: createReader({
      get: (key) => (pending.has(key) ? coming.get(key) : base.get(key))?.record,
      record: (order) => coming.record(order) ?? base.record(order),
      orders: (index, value) =>
        merged({
          base: base.orders(index, value),
          hidden: covered.orders(index, value),
          isHidden: (order) => covered.record(order) !== undefined,
          added: coming.orders(index, value),
          isUnchanged: () => pending.size === 0,
        }),
      sum: (figure, value) => base.sum(figure, value) - covered.sum(figure, value) + coming.sum(figure, value),
    }),
    has: (key) => (pending.has(key) ? coming.has(key) : base.has(key)),
    change(key, record, decision) {
      const last = pending.get(key);
      const present = last === undefined ? base.get(key) : coming.get(key);
      if (last === undefined) set(covered, key, present);
      const entry = record && { order: present?.order ?? base.takeOrder(), record };
      pending.set(key, decision);
      set(coming, key, entry);
      return { key, decision, entry, before: last === undefined ? undefined : { decision: last, entry: present } };
    },
    undo({ key, before }) {
      if (before === undefined) return release(key);
      pending.set(key, before.decision);
      set(coming, key, before.entry);
    },
    settle({ key, decision, entry }, place) {
      const before = covered.get(key);
      if (entry === undefined) base.remove(key, before);
      else base.set(key, entry, place, before);
      const last = pending.get(key);
      if (last === decision) release(key);
      else if (last !== undefined) set(covered, key, entry);
    },
    drop() {
      pending.clear();
      coming = createTable(rule);
      covered = createTable(rule);
    },
  };
};
