// A collection with pending changes, compared with a plain model after any changes, and the table beneath it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLayer, type Layer } from '../../../daemon/store/pending-layer.ts';
import { createStoredTable, createTable, type Rule } from '../../../daemon/store/record-table.ts';
import type { Reader } from '../../../daemon/store/table/reader.ts';
import { openRecordFiles } from '../../../daemon/store/table/record-files.ts';
import { createSums } from '../../../daemon/store/table/sums.ts';

interface Item {
  readonly id: string;
  /** Absent: the record is in no group. */
  readonly group?: string | undefined;
  readonly weight: number;
}

const rule: Rule<Item> = {
  key: ({ id }) => id,
  indexes: { group: ({ group }) => group },
  sums: { by: 'group', figures: { weight: ({ weight }) => weight } },
};

const GROUPS = ['x', 'y'];
const place = { file: 1, offset: 0, length: 1, checksum: 0 };

/** All that a reader shows. */
const look = (reader: Reader<Item>) => ({
  all: [...reader.all()],
  newest: [...reader.all({ newestFirst: true })],
  skipped: [[...reader.all({ skip: 1 })], [...reader.all({ skip: 1, newestFirst: true })]],
  count: reader.count(),
  groups: GROUPS.map((group) => [
    reader.by('group', group),
    reader.countBy('group', group),
    reader.sumBy('weight', group),
    reader.page('group', group, { skip: 1, limit: 2 }),
    reader.page('group', group, { skip: 1, limit: 2, newestFirst: true }),
    [...reader.each('group', group, { newestFirst: true })],
  ]),
  several: [reader.countBy('group', GROUPS), [...reader.each('group', GROUPS)]],
  severalPages: [false, true].map((newestFirst) => reader.page('group', GROUPS, { skip: 1, limit: 2, newestFirst })),
  keys: ['a', 'b', 'c', 'd'].map((key) => reader.get(key)),
});

/** What a reader must show of these records, which are in their order. */
const expected = (records: readonly Item[]): ReturnType<typeof look> => {
  const grouped = records.filter(({ group }) => group !== undefined);
  const cut = (of: readonly Item[], newestFirst: boolean) => (newestFirst ? of.toReversed() : of).slice(1, 3);
  return {
    all: [...records],
    newest: records.toReversed(),
    skipped: [records.slice(1), records.toReversed().slice(1)],
    count: records.length,
    groups: GROUPS.map((name) => {
      const members = records.filter(({ group }) => group === name);
      const weight = members.reduce((sum, each) => sum + each.weight, 0);
      return [members, members.length, weight, cut(members, false), cut(members, true), members.toReversed()];
    }),
    several: [grouped.length, grouped],
    severalPages: [cut(grouped, false), cut(grouped, true)],
    keys: ['a', 'b', 'c', 'd'].map((key) => records.find(({ id }) => id === key)),
  };
};

type Entry = { readonly order: number; readonly record: Item };
type Change = ReturnType<Layer<Item>['change']>;

const emptyLayer = () => createLayer(rule, createStoredTable(rule, openRecordFiles(), Number.POSITIVE_INFINITY));

describe('a layer', () => {
  const item = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    group: fc.option(fc.constantFrom(...GROUPS), { nil: undefined }),
    weight: fc.integer({ min: 1, max: 9 }),
  });
  const change = fc.record({ item, isPut: fc.boolean() });
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('decide' as const), changes: fc.array(change, { maxLength: 4 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const) }) },
  );

  it('shows durable and latest records like a model after any changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 16 }), (steps) => {
        const layer = emptyLayer();
        const durable = new Map<string, Entry>();
        let pending: { readonly change: Change; readonly key: string; readonly entry: Entry | undefined }[][] = [];
        let orders = 0;
        const apply = (into: Map<string, Entry>, key: string, entry: Entry | undefined) =>
          void (entry === undefined ? into.delete(key) : into.set(key, entry));
        const latest = () => {
          const map = new Map(durable);
          for (const { key, entry } of pending.flat()) apply(map, key, entry);
          return map;
        };
        const sorted = (map: Map<string, Entry>) =>
          [...map.values()].toSorted((a, b) => a.order - b.order).map(({ record }) => record);
        for (const made of steps) {
          if (made.kind === 'decide') pending.push([]);
          for (const { item: record, isPut } of made.kind === 'decide' ? made.changes : []) {
            const order = latest().get(record.id)?.order ?? (isPut ? ++orders : 0);
            const changed = layer.change(record.id, isPut ? record : undefined);
            pending.at(-1)?.push({ change: changed, key: record.id, entry: isPut ? { order, record } : undefined });
          }
          if (made.kind === 'undo') for (const each of pending.pop()?.toReversed() ?? []) layer.undo(each.change);
          if (made.kind === 'drop') {
            layer.drop();
            pending = [];
          }
          for (const each of made.kind === 'settle' ? (pending.shift() ?? []) : []) {
            layer.settle(each.change, place);
            apply(durable, each.key, each.entry);
          }
          expect(look(layer.durable)).toEqual(expected(sorted(durable)));
          expect(look(layer.latest)).toEqual(expected(sorted(latest())));
          for (const key of ['a', 'b', 'c', 'd']) expect(layer.has(key)).toBe(latest().has(key));
        }
      }),
    );
  });

  it('shows the durable entry after a later change of the same key is undone', () => {
    const layer = emptyLayer();
    const settled = layer.change('a', { id: 'a', group: 'x', weight: 1 });
    const undone = layer.change('a', { id: 'a', group: 'y', weight: 2 });
    expect(layer.latest.countBy('group', 'y')).toBe(1);
    layer.settle(settled, place);
    layer.undo(undone);
    const a = { id: 'a', group: 'x', weight: 1 };
    expect(look(layer.latest)).toEqual(expected([a]));
    expect(look(layer.durable)).toEqual(expected([a]));
  });

  it('reads a record that was added during an iteration only in the next one', () => {
    const layer = emptyLayer();
    layer.settle(layer.change('a', { id: 'a', group: 'x', weight: 1 }), place);
    layer.change('b', { id: 'b', group: 'x', weight: 1 });
    const found: string[] = [];
    for (const { id } of layer.latest.each('group', 'x')) {
      found.push(id);
      layer.change(`${id}2`, { id: `${id}2`, group: 'x', weight: 1 });
    }
    expect(found).toEqual(['a', 'b']);
    expect(layer.latest.by('group', 'x').map(({ id }) => id)).toEqual(['a', 'b', 'a2', 'b2']);
  });
});

it('a change evaluates each index once for a new record and twice for a replaced one while nobody reads by index', () => {
  let evaluated = 0;
  const group = ({ group: of }: Item) => {
    evaluated += 1;
    return of;
  };
  const { sums: _, ...plain } = rule;
  const table = createStoredTable({ ...plain, indexes: { group } }, openRecordFiles(), Number.POSITIVE_INFINITY);
  const layer = createLayer({ ...plain, indexes: { group } }, table);
  const counts = ['x', 'y'].map((of) => {
    evaluated = 0;
    const change = layer.change('a', { id: 'a', group: of, weight: 1 });
    expect(layer.latest.get('a')?.group).toBe(of);
    layer.settle(change, place);
    return evaluated;
  });
  expect(counts).toEqual([1, 2]);
  expect(layer.durable.countBy('group', 'y')).toBe(1);
});

it('a change reads its key once, and settling reads nothing, even for a key that changed twice at once', () => {
  const table = createStoredTable(rule, openRecordFiles(), Number.POSITIVE_INFINITY);
  const read: string[] = [];
  const get = (key: string) => {
    read.push(key);
    return table.get(key);
  };
  const layer = createLayer(rule, { ...table, get });
  const twice = [1, 2].map((weight) => layer.change('a', { id: 'a', group: 'x', weight }));
  const removed = [layer.change('b', { id: 'b', weight: 1 }), layer.change('b', undefined)];
  expect(read.splice(0)).toEqual(['a', 'b']);
  for (const change of [...twice, ...removed]) layer.settle(change, place);
  expect(read).toEqual([]);
  expect([...layer.durable.all()]).toEqual([{ id: 'a', group: 'x', weight: 2 }]);
  // No data of a settled key is retained.
  expect([layer.latest.get('a')?.weight, read]).toEqual([2, ['a']]);
});

describe('a table', () => {
  it('moves a record that is put with another order, out of its old group', () => {
    const table = createTable(rule);
    table.set('a', { order: 1, record: { id: 'a', group: 'x', weight: 2 } });
    table.set('b', { order: 2, record: { id: 'b', group: 'x', weight: 3 } });
    table.set('a', { order: 3, record: { id: 'a', group: 'y', weight: 4 } });
    expect([table.orders().count(), table.orders().nth(0, false), table.orders().nth(0, true)]).toEqual([2, 2, 3]);
    expect([table.record(1), table.record(3)?.group]).toEqual([undefined, 'y']);
    expect(GROUPS.map((group) => table.orders('group', group).count())).toEqual([1, 1]);
    expect(GROUPS.map((group) => table.sum('weight', group))).toEqual([3, 4]);
  });

  it('refuses an index that the collection does not have, and has no sums without a rule', () => {
    const { sums: _, ...plain } = rule;
    const table = createTable(plain);
    table.set('a', { order: 1, record: { id: 'a', group: 'x', weight: 2 } });
    table.remove('missing');
    expect(() => table.orders('colour', 'x')).toThrow('There is no index "colour".');
    expect(table.sum('weight', 'x')).toBe(0);
    expect([table.has('a'), table.has('b'), table.orders('group').count()]).toEqual([true, false, 0]);
  });

  it('refuses a durable record without a place, and gives every new key the next order', () => {
    const table = createStoredTable(rule, openRecordFiles(), 10);
    expect(() => table.set('a', { order: 1, record: { id: 'a', weight: 1 } }, undefined, undefined)).toThrow(
      'A durable record has a place.',
    );
    expect([table.nextOrder(), table.takeOrder(), table.takeOrder(), table.nextOrder()]).toEqual([1, 1, 2, 3]);
  });
});

it.each([
  [10, 0],
  [Number.POSITIVE_INFINITY, 2],
])('a table with a budget of %d bytes holds %d of two loaded records', (budget, held) => {
  const table = createStoredTable(rule, openRecordFiles(), budget);
  for (const id of ['a', 'b']) table.load({ id, group: 'x', weight: 1 }, place);
  expect([table.held(), table.nextOrder(), table.places.get(2)]).toEqual([held, 3, place]);
  expect([table.orders('group', 'x').count(), table.sum('weight', 'x')]).toEqual([2, 2]);
});

it('a sum without records is exactly zero', () => {
  const sums = createSums<number>({ figures: { value: (each) => each, count: () => 1 } });
  for (const each of [0.1, 0.2]) sums.change('x', each, 1);
  sums.change('x', 0.1, -1);
  expect([sums.of('count', 'x'), sums.of('count', 'y'), sums.of('other', 'x')]).toEqual([1, 0, 0]);
  sums.change('x', 0.2, -1);
  expect([sums.of('value', 'x'), sums.of('count', 'x')]).toEqual([0, 0]);
});
