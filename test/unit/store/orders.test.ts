// The lists of order numbers beneath the indexes of the store, and what a reader reads through them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyMap, partOf } from '../../../daemon/store/table/key-map.ts';
import { createOrderIndex } from '../../../daemon/store/table/order-index.ts';
import { createOrderList, type Orders, unionOf } from '../../../daemon/store/table/orders.ts';
import { createReader } from '../../../daemon/store/table/reader.ts';
import { anyText } from '../../support/values/any-text.ts';

const walked = (list: Orders, newestFirst: boolean): number[] => {
  const found: number[] = [];
  for (let at = list.nth(0, newestFirst); at !== undefined; at = list.next(at, newestFirst)) {
    found.push(at);
    if (found.length > list.count()) throw new Error('the list does not end');
  }
  return found;
};

describe('a list of orders', () => {
  it('is the sorted set of its numbers after any additions and removals', () => {
    const order = fc.integer({ min: 0, max: 60 });
    const change = fc.tuple(fc.boolean(), order);
    fc.assert(
      fc.property(fc.array(change, { maxLength: 120 }), order, (changes, asked) => {
        const list = createOrderList();
        const model = new Set<number>();
        for (const [isAdded, at] of changes) {
          if (isAdded) list.add(at);
          else list.remove(at);
          if (isAdded) model.add(at);
          else model.delete(at);
        }
        const sorted = [...model].sort((a, b) => a - b);
        expect(walked(list, false)).toEqual(sorted);
        expect(walked(list, true)).toEqual(sorted.toReversed());
        expect(list.count()).toBe(sorted.length);
        expect(list.has(asked)).toBe(model.has(asked));
        expect(list.rank(asked)).toBe(sorted.filter((at) => at < asked).length);
        expect(list.next(asked, false)).toBe(sorted.find((at) => at > asked));
        expect(list.next(asked, true)).toBe(sorted.findLast((at) => at < asked));
      }),
    );
  });

  it('stays sorted across its segments, whatever end the numbers are added to or removed from', () => {
    const numbers = Array.from({ length: 5_000 }, (_, n) => n);
    for (const added of [numbers, numbers.toReversed(), numbers.toSorted((a, b) => (a % 7) - (b % 7) || a - b)]) {
      const list = createOrderList();
      for (const at of added) list.add(at);
      expect(walked(list, false)).toEqual(numbers);
      expect([0, 1_023, 1_024, 4_999, 5_000].map((at) => list.nth(at, false))).toEqual([
        0,
        1_023,
        1_024,
        4_999,
        undefined,
      ]);
      expect([0, 1_024, 4_999].map((at) => list.nth(at, true))).toEqual([4_999, 3_975, 0]);
      expect([-1, 0, 1_024, 3_000, 6_000].map((at) => list.rank(at))).toEqual([0, 0, 1_024, 3_000, 5_000]);
      for (const at of [0, 1_023, 1_024, 2_047, 4_999]) {
        expect([list.has(at), list.has(at + 5_000)]).toEqual([true, false]);
        expect([list.next(at - 1, false), list.next(at + 1, true)]).toEqual([at, at]);
        list.add(at);
      }
      list.remove(5_000);
      expect(list.count()).toBe(5_000);
      for (const at of added) if (at % 1_000 !== 0) list.remove(at);
      expect(walked(list, true)).toEqual([4_000, 3_000, 2_000, 1_000, 0]);
    }
  });
});

it('several lists are read as one', () => {
  const order = fc.integer({ min: 0, max: 60 });
  const lists = fc.uniqueArray(fc.tuple(order, fc.integer({ min: 0, max: 3 })), { selector: ([at]) => at });
  fc.assert(
    fc.property(lists, order, (numbers, asked) => {
      const parts = [0, 1, 2, 3].map(() => createOrderList());
      for (const [at, part] of numbers) parts[part]?.add(at);
      const sorted = numbers.map(([at]) => at).sort((a, b) => a - b);
      const union = unionOf(parts);
      expect(walked(union, false)).toEqual(sorted);
      expect(walked(union, true)).toEqual(sorted.toReversed());
      expect([union.count(), union.rank(asked)]).toEqual([sorted.length, sorted.filter((at) => at < asked).length]);
      for (const newestFirst of [false, true]) {
        const directed = newestFirst ? sorted.toReversed() : sorted;
        expect(Array.from({ length: sorted.length + 1 }, (_, at) => union.nth(at, newestFirst))).toEqual([
          ...directed,
          undefined,
        ]);
      }
    }),
  );
});

it('a key map equals a Map after any changes', () => {
  const key = fc.oneof(fc.constantFrom('', 'a', '__proto__', 'ä\ud800'), anyText({ maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.option(fc.nat())), { maxLength: 60 }), (changes) => {
      const [map, model] = [createKeyMap<number>(), new Map<string, number>()];
      for (const [at, value] of changes) {
        if (value === null) map.delete(at);
        else map.set(at, value);
        if (value === null) model.delete(at);
        else model.set(at, value);
        if (map.get(at) !== model.get(at)) throw new Error(`"${at}" has ${map.get(at)}, not ${model.get(at)}`);
      }
      expect([...model.keys()].map((at) => [at, map.get(at)])).toEqual([...model]);
    }),
  );
});

it('a key map keeps its keys when they become many', () => {
  const map = createKeyMap<number>();
  const numbers = Array.from({ length: 10_000 }, (_, number) => number);
  for (const number of numbers) map.set(String(number), number);
  expect(numbers.filter((number) => map.get(String(number)) !== number)).toEqual([]);
  for (const number of numbers.slice(1)) map.delete(String(number));
  expect(numbers.filter((number) => map.get(String(number)) !== undefined)).toEqual([0]);
  // A part without keys.
  for (const number of numbers) map.delete(String(number));
  for (const number of numbers) map.delete(String(number));
  expect(map.get('0')).toBeUndefined();
});

it('a key map spreads ids, numbers and joined keys over its parts', () => {
  for (const keyOf of [(n: number) => `E${String(n).padStart(12, '0')}`, String, (n: number) => `DEV\u001f${n}`]) {
    const sizes = new Map<number, number>();
    for (let n = 0; n < 32_000; n += 1) {
      const part = partOf(keyOf(n));
      sizes.set(part, (sizes.get(part) ?? 0) + 1);
    }
    expect(Math.max(...sizes.values())).toBeLessThan(2 * (32_000 / 256));
  }
});

it('an index drops a value without records', () => {
  const index = createOrderIndex();
  const orders = index.orders('a');
  expect(walked(orders, false)).toEqual([]);
  index.add('a', 4);
  index.add('a', 2);
  index.add('b', 3);
  expect(walked(orders, false)).toEqual([2, 4]);
  expect(walked(index.orders('b'), true)).toEqual([3]);
  index.remove('b', 5);
  expect(index.orders('b').count()).toBe(1);
  index.remove('b', 3);
  index.remove('a', 2);
  index.remove('a', 4);
  expect([orders.count(), orders.nth(0, true), orders.next(0, false), index.orders('b').count()]).toEqual([
    0,
    undefined,
    undefined,
    0,
  ]);
});

it('an index separates values with alternating records, and a value may return', () => {
  const index = createOrderIndex();
  const orders = (value: string) => walked(index.orders(value), false);
  for (const [order, value] of [...'aabbaba'].entries()) index.add(value, order);
  expect([orders('a'), orders('b')]).toEqual([
    [0, 1, 4, 6],
    [2, 3, 5],
  ]);
  for (const order of [0, 1, 4, 6]) index.remove('a', order);
  index.add('a', 8);
  index.add('a', 9);
  expect([orders('a'), orders('b')]).toEqual([
    [8, 9],
    [2, 3, 5],
  ]);
  for (const order of [8, 9]) index.remove('a', order);
  index.add('a', 10);
  expect(orders('a')).toEqual([10]);
});

it('an index value with one record reads like one with several', () => {
  const index = createOrderIndex();
  index.add('one', 4);
  const list = createOrderList();
  list.add(4);
  const seen = (orders: Orders) =>
    [-1, 0, 1, 3, 4, 5].map((at) => [
      orders.nth(at, false),
      orders.nth(at, true),
      orders.rank(at),
      orders.next(at, false),
      orders.next(at, true),
    ]);
  expect(seen(index.orders('one'))).toEqual(seen(list));
  expect(seen(index.orders('none'))).toEqual(seen(createOrderList()));
  expect(index.orders('none').count()).toBe(0);
});

describe('a reader', () => {
  const reading = (size: number) => {
    const list = createOrderList();
    for (let order = 0; order < size; order += 1) list.add(order);
    const read: number[] = [];
    const record = (order: number): string => {
      read.push(order);
      return `r${order}`;
    };
    return {
      list,
      read,
      reader: createReader<string>({ get: () => undefined, record, orders: () => list, sum: () => 0 }),
    };
  };

  it('reads the records of a page only, wherever the page begins', () => {
    for (const size of [100, 100_000]) {
      const { reader, read } = reading(size);
      expect(reader.page('any', '', { skip: size - 10, limit: 2 })).toEqual([`r${size - 10}`, `r${size - 9}`]);
      expect(reader.page('any', '', { limit: 2, newestFirst: true })).toEqual([`r${size - 1}`, `r${size - 2}`]);
      expect(reader.page('any', '', { skip: size, limit: 2 })).toEqual([]);
      expect(reader.page('any', '', { limit: 0 })).toEqual([]);
      expect(reader.countBy('any', '')).toBe(size);
      expect(read).toHaveLength(4);
    }
  });

  it('reads no record after the end of an iteration that stops early', () => {
    const { reader, read } = reading(1_000);
    for (const each of reader.each('any', '', { newestFirst: true })) if (each === 'r997') break;
    for (const each of reader.all()) if (each === 'r1') break;
    expect(read).toEqual([999, 998, 997, 0, 1]);
  });

  it('iterates to what was the last record at the start, without the records deleted meanwhile', () => {
    const { reader, list } = reading(4);
    const found: string[] = [];
    for (const each of reader.each('any', '')) {
      found.push(each);
      list.remove(2);
      list.add(100 + found.length);
    }
    expect(found).toEqual(['r0', 'r1', 'r3']);
  });
});

it('a list keeps numbers above 2^32 - 1 in full segments', () => {
  const list = createOrderList();
  const numbers = Array.from({ length: 3_000 }, (_, n) => 2 ** 32 - 1_500 + n);
  for (const at of numbers) list.add(at);
  expect(walked(list, false)).toEqual(numbers);
  expect([list.rank(2 ** 32), list.has(2 ** 32 + 1_499), list.has(2 ** 32 + 1_500)]).toEqual([1_500, true, false]);
});
