// An index in which each value belongs to one record, compared with the index of a collection in memory.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLayer } from '../../../daemon/store/pending-layer.ts';
import { createStoredTable, type Rule } from '../../../daemon/store/record-table.ts';
import type { Reader } from '../../../daemon/store/table/reader.ts';
import { openRecordFiles } from '../../../daemon/store/table/record-files.ts';
import { createUniqueIndex } from '../../../daemon/store/table/unique-index.ts';

interface Item {
  readonly id: string;
  /** Absent: the record is in no group. */
  readonly group?: string | undefined;
}

const GROUPS = ['x', 'y'];
const place = { file: 1, offset: 0, length: 1, checksum: 0 };
const rule: Rule<Item> = { key: ({ id }) => id, indexes: { group: ({ group }) => group } };

/** All that a reader shows of the index. */
const look = (reader: Reader<Item>) =>
  [...GROUPS, 'z', GROUPS].map((group) => [
    reader.countBy('group', group),
    [...reader.each('group', group)],
    [...reader.each('group', group, { newestFirst: true })],
    reader.page('group', group, { skip: 1, limit: 2 }),
    reader.page('group', group, { skip: 1, limit: 2, newestFirst: true }),
  ]);

describe('a unique index', () => {
  const unique = { ...rule, unique: ['group'] };
  const item = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    group: fc.option(fc.constantFrom(...GROUPS), { nil: undefined }),
  });
  const changes = fc.array(fc.record({ item, isPut: fc.boolean() }), { maxLength: 30 });

  it('shows the same as an index in memory after any changes, durable or pending', () => {
    fc.assert(
      fc.property(changes, fc.nat({ max: 4 }), (made, pending) => {
        // The records fit into the budget, so that they need no file.
        const layers = [rule, unique].map((each) =>
          createLayer(each, createStoredTable(each, openRecordFiles(), 1_000)),
        );
        for (const [at, { item: record, isPut }] of made.entries()) {
          for (const layer of layers) {
            const change = layer.change(record.id, isPut ? record : undefined);
            if (at < made.length - pending) layer.settle(change, place);
          }
        }
        const [inMemory, shown] = layers.map(({ durable, latest }) => [look(durable), look(latest)]);
        expect(shown).toEqual(inMemory);
      }),
    );
  });

  it('reads records for a query, but none for a change', () => {
    const [values, read] = [new Map<number, string>(), [] as number[]];
    const index = createUniqueIndex((order) => {
      read.push(order);
      return values.get(order);
    });
    for (const order of [3, 1, 2]) {
      values.set(order, order === 2 ? 'y' : 'x');
      index.add(values.get(order) ?? '', order);
    }
    values.set(1, 'y');
    index.remove('x', 1);
    index.add('y', 1);
    // As with another value of the same hash.
    values.set(4, 'other');
    index.add('x', 4);
    expect(read).toEqual([]);
    expect(['x', 'y', 'z'].map((value) => index.orders(value).count())).toEqual([1, 2, 0]);
    expect(read.toSorted()).toEqual([1, 2, 3, 4]);
    const found = index.orders('y');
    expect([found.nth(0, false), found.nth(0, true), found.nth(2, false), found.nth(2, true)]).toEqual([
      1,
      2,
      undefined,
      undefined,
    ]);
    expect([found.rank(2), found.next(1, false), found.next(2, true), found.next(2, false)]).toEqual([
      1,
      2,
      1,
      undefined,
    ]);
  });
});
