// One collection in two states: the durable records, and the changes of transactions that are not durable yet.
import { createPassingMap } from '../domain/records/passing-map.ts';
import { createTable, type Entry, type Rule, type StoredTable, type Table } from './record-table.ts';
import type { Orders } from './table/orders.ts';
import { createReader, type Reader } from './table/reader.ts';
import type { Place } from './table/record-files.ts';

interface Pending<R> {
  /** The record after the last change. Undefined if the key is removed. */
  readonly entry: Entry<R> | undefined;
  /** The durable entry of the key. It changes when an earlier change of the key becomes durable. */
  durable: Entry<R> | undefined;
}

interface Change<R> {
  readonly key: string;
  readonly made: Pending<R>;
  readonly before: Pending<R> | undefined;
}

export interface Layer<R> {
  readonly durable: Reader<R>;
  /** Reads durable records with all pending changes applied. */
  readonly latest: Reader<R>;
  /** True if `latest` has the key. May read the record of the key. @throws StoreDamaged */
  has(key: string): boolean;
  /**
   * Sets the record of a key; undefined removes the key. @throws StoreDamaged when the durable record is not readable;
   * then nothing is changed
   */
  change(key: string, record: R | undefined): Change<R>;
  /** Undoes the latest change that is not undone yet. */
  undo(change: Change<R>): void;
  /**
   * Makes a change durable. Must be called in the order in which the changes were made. Reads no record, so that it
   * cannot fail.
   */
  settle(change: Change<R>, place?: Place): void;
  drop(): void;
}

/** The order numbers that pending changes add to the durable ones, and the durable ones that they hide. */
interface Overlay {
  readonly added: Orders;
  readonly hidden: Orders;
  readonly isHidden: (order: number) => boolean;
}

const merged = (base: Orders, overlay: () => Overlay | undefined): Orders => {
  const shown = (from: number | undefined, newestFirst: boolean, { isHidden }: Overlay): number | undefined => {
    let order = from;
    while (order !== undefined && isHidden(order)) order = base.next(order, newestFirst);
    return order;
  };
  const nearest = (a: number | undefined, b: number | undefined, newestFirst: boolean): number | undefined => {
    if (a === undefined || b === undefined) return a ?? b;
    return newestFirst ? Math.max(a, b) : Math.min(a, b);
  };
  const next = (order: number, newestFirst: boolean): number | undefined => {
    const over = overlay();
    const below = base.next(order, newestFirst);
    if (over === undefined) return below;
    return nearest(shown(below, newestFirst, over), over.added.next(order, newestFirst), newestFirst);
  };
  const difference = (of: (orders: Orders) => number): number => {
    const over = overlay();
    return over === undefined ? 0 : of(over.added) - of(over.hidden);
  };
  return {
    count: () => base.count() + difference((orders) => orders.count()),
    rank: (order) => base.rank(order) + difference((orders) => orders.rank(order)),
    nth(position, newestFirst) {
      const over = overlay();
      if (over === undefined) return base.nth(position, newestFirst);
      const first = shown(base.nth(0, newestFirst), newestFirst, over);
      let order = nearest(first, over.added.nth(0, newestFirst), newestFirst);
      for (let left = position; left > 0 && order !== undefined; left -= 1) order = next(order, newestFirst);
      return order;
    },
    next,
  };
};

interface Tables<R> {
  /** The latest entries of the keys with pending changes. Removed keys are absent. */
  readonly latest: Table<R>;
  /**
   * The durable entries of the keys with pending changes. A count is the durable count of the collection, minus the
   * matches here, plus the matches in `latest`.
   */
  readonly durable: Table<R>;
}

const set = <R>(table: Table<R>, key: string, entry: Entry<R> | undefined): void => {
  if (entry === undefined) table.remove(key);
  else table.set(key, entry);
};

export const createLayer = <R>(rule: Rule<R>, base: StoredTable<R>): Layer<R> => {
  let pending = createPassingMap<string, Pending<R>>();
  /**
   * The index of pending changes, created when a transaction first reads through an index, because most collections are
   * only read by key.
   */
  let tables: Tables<R> | undefined;

  const show = (key: string, shown?: Pending<R>): void => {
    if (tables === undefined) return;
    set(tables.latest, key, shown?.entry);
    set(tables.durable, key, shown?.durable);
  };

  const pendingTables = (): Tables<R> | undefined => {
    if (tables === undefined && pending.size() > 0) {
      tables = { latest: createTable(rule), durable: createTable(rule) };
      for (const [key, shown] of pending) show(key, shown);
    }
    return tables;
  };

  const enter = (key: string, shown: Pending<R>): void => {
    pending.set(key, shown);
    show(key, shown);
  };

  const release = (key: string): void => {
    pending.delete(key);
    if (pending.size() === 0) tables = undefined;
    else show(key);
  };

  const overlayOf = (index?: string, value?: string) => (): Overlay | undefined => {
    const over = pendingTables();
    return (
      over && {
        added: over.latest.orders(index, value),
        hidden: over.durable.orders(index, value),
        isHidden: (order) => over.durable.record(order) !== undefined,
      }
    );
  };

  const latestEntry = (key: string): Entry<R> | undefined => {
    const changed = pending.get(key);
    return changed === undefined ? base.get(key) : changed.entry;
  };

  return {
    durable: createReader({ ...base, get: (key) => base.get(key)?.record }),
    latest: createReader({
      get: (key) => latestEntry(key)?.record,
      record: (order) => pendingTables()?.latest.record(order) ?? base.record(order),
      orders: (index, value) => merged(base.orders(index, value), overlayOf(index, value)),
      sum(figure, value) {
        const over = pendingTables();
        const difference = over === undefined ? 0 : over.latest.sum(figure, value) - over.durable.sum(figure, value);
        return base.sum(figure, value) + difference;
      },
    }),
    has(key) {
      const changed = pending.get(key);
      return changed === undefined ? base.has(key) : changed.entry !== undefined;
    },
    change(key, record) {
      const before = pending.get(key);
      const durable = before === undefined ? base.get(key) : before.durable;
      const present = before === undefined ? durable : before.entry;
      const entry = record && { order: present?.order ?? base.takeOrder(), record };
      const made: Pending<R> = { entry, durable };
      enter(key, made);
      return { key, made, before };
    },
    undo({ key, before }) {
      if (before === undefined) return release(key);
      before.durable = pending.get(key)?.durable;
      enter(key, before);
    },
    settle({ key, made }, place) {
      const last = pending.get(key);
      if (made.entry === undefined) base.remove(key, last?.durable);
      else base.set(key, made.entry, place, last?.durable);
      if (last === made) return release(key);
      if (last === undefined) return;
      last.durable = made.entry;
      show(key, last);
    },
    drop() {
      pending = createPassingMap();
      tables = undefined;
    },
  };
};
