// One collection in two states: what is durable, and what decisions have made of it that still wait for the disk.
import { createTable, type Entry, type Rule, type Table } from './record-table.ts';

/** What a key was before a change, to take the change back. */
interface Before<R> {
  readonly key: string;
  readonly decision: number | undefined;
  readonly entry: Entry<R> | undefined;
}

/** What reads of a collection need; records only. */
export interface Reader<R> {
  get(key: string): R | undefined;
  all(): Iterable<R>;
  by(index: string, value: string): readonly R[];
  count(): number;
  countBy(index: string, value: string): number;
}

export interface Layer<R> {
  /** Durable records only. */
  readonly durable: Reader<R>;
  /** Durable records with all pending changes over them. */
  readonly latest: Reader<R>;
  readonly base: Table<R>;
  /** The entry of a key with all pending changes. */
  entry(key: string): Entry<R> | undefined;
  /** Makes a pending change (`undefined` removes). Changes come with growing numbers of their decisions. */
  change(key: string, entry: Entry<R> | undefined, decision: number): Before<R>;
  /** Takes the latest change back that was not taken back yet. */
  undo(before: Before<R>): void;
  /** The change is durable now. Changes become durable in the order in which they were made. */
  settle(key: string, entry: Entry<R> | undefined, decision: number): void;
  /** Forgets all pending changes. */
  drop(): void;
}

const readBase = function* <R>(base: Table<R>): Generator<R> {
  for (const [, entry] of base.entries()) yield entry.record;
};

export const createLayer = <R>(rule: Rule<R>, base: Table<R>): Layer<R> => {
  /** Key → number of the last decision that touched it. */
  const pending = new Map<string, number>();
  /** The entries of pending keys as they will be; removed ones are absent. */
  let coming = createTable(rule);
  /** The entries that the base has under pending keys. With it, counts are a subtraction, however much is pending. */
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

  /** Pending entries of keys that are new, or removed and put again: they come after all of the base. */
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
