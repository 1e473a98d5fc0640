// One collection in two states: the durable records, and the changes of transactions that are not durable yet.
import { createTable, type Entry, type Rule, type Table } from './record-table.ts';
import type { Orders } from './table/orders.ts';
import { createReader, type Reader } from './table/reader.ts';

/** The previous state of a key, for undoing a change. */
interface Before<R> {
  readonly key: string;
  readonly decision: number | undefined;
  readonly entry: Entry<R> | undefined;
}

export interface Layer<R> {
  /** Reads durable records only. */
  readonly durable: Reader<R>;
  /** Reads durable records with all pending changes applied. */
  readonly latest: Reader<R>;
  /** The entry of a key with all pending changes applied. */
  entry(key: string): Entry<R> | undefined;
  /**
   * Adds a pending change (undefined removes the key). Transaction numbers must increase. Returns the state before it,
   * for `undo`.
   */
  change(key: string, entry: Entry<R> | undefined, decision: number): Before<R>;
  /** Undoes the latest change that is not undone yet. */
  undo(before: Before<R>): void;
  /** Marks a change as durable. Changes become durable in the order in which they were made. */
  settle(key: string, entry: Entry<R> | undefined, decision: number): void;
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

export const createLayer = <R>(rule: Rule<R>, base: Table<R>): Layer<R> => {
  /** Key → number of the last transaction that changed it. */
  const pending = new Map<string, number>();
  /** The future entries of pending keys; removed keys are absent. */
  let coming = createTable(rule);
  /**
   * The durable entries of pending keys. With this table a count is a subtraction, however many changes are pending.
   */
  let covered = createTable(rule);

  const entryOf = (key: string): Entry<R> | undefined => (pending.has(key) ? coming.get(key) : base.get(key));

  const place = (table: Table<R>, key: string, entry: Entry<R> | undefined): void => {
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
      get: (key) => entryOf(key)?.record,
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
    entry: entryOf,
    change(key, entry, decision) {
      const before = { key, decision: pending.get(key), entry: coming.get(key) };
      if (before.decision === undefined) place(covered, key, base.get(key));
      pending.set(key, decision);
      place(coming, key, entry);
      return before;
    },
    undo(before) {
      if (before.decision === undefined) {
        release(before.key);
        return;
      }
      pending.set(before.key, before.decision);
      place(coming, before.key, before.entry);
    },
    settle(key, entry, decision) {
      place(base, key, entry);
      const last = pending.get(key);
      if (last === decision) release(key);
      else if (last !== undefined) place(covered, key, entry);
    },
    drop() {
      pending.clear();
      coming = createTable(rule);
      covered = createTable(rule);
    },
  };
};
