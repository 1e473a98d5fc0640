// One collection in two states: the durable records, and the changes of transactions that are not durable yet.
import { createTable, type Entry, type Rule, type Table } from './record-table.ts';

/** The previous state of a key, for undoing a change. */
interface Before<R> {
  readonly key: string;
  readonly decision: number | undefined;
  readonly entry: Entry<R> | undefined;
}

/** Read access to a collection. */
export interface Reader<R> {
  get(key: string): R | undefined;
  all(): Iterable<R>;
  by(index: string, value: string): readonly R[];
  count(): number;
  countBy(index: string, value: string): number;
}

export interface Layer<R> {
  /** Reads durable records only. */
  readonly durable: Reader<R>;
  /** Reads durable records with all pending changes applied. */
  readonly latest: Reader<R>;
  readonly base: Table<R>;
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

const readBase = function* <R>(base: Table<R>): Generator<R> {
  for (const [, entry] of base.entries()) yield entry.record;
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

  /** Pending entries of new keys, and of keys removed and added again: they follow all durable entries. */
  const added = (): Entry<R>[] => {
    const found: Entry<R>[] = [];
    for (const [key, entry] of coming.entries()) {
      if (base.get(key)?.order !== entry.order) found.push(entry);
    }
    return found.sort((a, b) => a.order - b.order);
  };

  const readLatest = function* (): Generator<R> {
    const behind = added();
    for (const [key, entry] of base.entries()) {
      if (!pending.has(key)) yield entry.record;
      else {
        const replaced = coming.get(key);
        if (replaced?.order === entry.order) yield replaced.record;
      }
    }
    for (const entry of behind) yield entry.record;
  };

  return {
    base,
    durable: {
      get: (key) => base.get(key)?.record,
      all: () => readBase(base),
      by: (index, value) => base.by(index, value).map(([, entry]) => entry.record),
      count: () => base.size(),
      countBy: (index, value) => base.countBy(index, value),
    },
    latest: {
      get: (key) => entryOf(key)?.record,
      all: () => (pending.size === 0 ? readBase(base) : readLatest()),
      by(index, value) {
        const settled = base.by(index, value);
        if (pending.size === 0) return settled.map(([, entry]) => entry.record);
        const entries = settled.filter(([key]) => !pending.has(key)).map(([, entry]) => entry);
        const more = coming.by(index, value);
        if (more.length > 0) {
          for (const [, entry] of more) entries.push(entry);
          entries.sort((a, b) => a.order - b.order);
        }
        return entries.map((entry) => entry.record);
      },
      count: () => base.size() - covered.size() + coming.size(),
      countBy: (index, value) =>
        base.countBy(index, value) - covered.countBy(index, value) + coming.countBy(index, value),
    },
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
