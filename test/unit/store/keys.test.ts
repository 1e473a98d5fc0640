// The keys of records on disk: found by their hash, and confirmed by the record.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHashedKeys } from '../../../daemon/store/table/hashed-keys.ts';

/** Keys, and a look-up that counts the records that it reads. */
const counting = () => {
  const keys = createHashedKeys();
  const stored = new Map<number, string>();
  let reads = 0;
  return {
    add(key: string, order: number) {
      keys.add(key, order);
      stored.set(order, key);
    },
    remove(key: string, order: number) {
      keys.remove(key, order);
      stored.delete(order);
    },
    find: (key: string) =>
      keys.find(key, (order) => {
        reads += 1;
        return stored.get(order) === key;
      }),
    reads: () => reads,
  };
};

describe('hashed keys', () => {
  it('have the orders of a model after any additions and removals', () => {
    const change = fc.record({ isAdded: fc.boolean(), number: fc.nat({ max: 40 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
        const keys = counting();
        const model = new Map<string, number>();
        const wrong: string[] = [];
        for (const [at, { isAdded, number }] of changes.entries()) {
          const key = `key ${number}`;
          const order = model.get(key);
          // Orders that are far apart are in chunks of their own.
          if (isAdded && order === undefined) {
            keys.add(key, at * 700 + 1);
            model.set(key, at * 700 + 1);
          } else if (!isAdded && order !== undefined) {
            keys.remove(key, order);
            model.delete(key);
          }
          for (let each = 0; each <= 40; each += 1) {
            if (keys.find(`key ${each}`) !== model.get(`key ${each}`))
              wrong.push(`key ${each} after ${at + 1} changes`);
          }
        }
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('find each of 10 000 keys with one read, and read nothing for a key that is missing', () => {
    const keys = counting();
    const [COUNT, REMOVED] = [10_000, 4_000];
    for (let n = 1; n <= COUNT; n += 1) keys.add(`E${n}`, n);
    for (let n = 1; n <= REMOVED; n += 1) keys.remove(`E${n}`, n);
    const found = Array.from({ length: COUNT }, (_, at) => keys.find(`E${at + 1}`));
    expect(found.slice(0, REMOVED).every((order) => order === undefined)).toBe(true);
    expect(found.slice(REMOVED).every((order, at) => order === REMOVED + at + 1)).toBe(true);
    expect(keys.reads()).toBe(COUNT - REMOVED);
  });

  it('take 12 bytes for each of many keys, and are found with few comparisons, however many there are', () => {
    const KIB = 1_024;
    const [keys, COUNT] = [createHashedKeys(), 10 * KIB];
    expect(keys.bytes()).toBe(4 * KIB);
    for (let n = 1; n <= COUNT; n += 1) keys.add(`E${n}`, n);
    // A bucket for each key. The last order begins another chunk.
    expect(keys.bytes()).toBe(12 * COUNT + 8 * KIB);
    for (let n = 1; n <= COUNT; n += 1) keys.find(`E${n}`, (order) => order === n);
    expect(keys.compared()).toBeGreaterThanOrEqual(COUNT);
    expect(keys.compared()).toBeLessThan(1.8 * COUNT);
    for (let n = 1; n <= COUNT; n += 1) keys.remove(`E${n}`, n);
    expect(keys.bytes()).toBe(4 * COUNT);
  });

  it('that were removed leave room, and a missing one is not removed', () => {
    const keys = createHashedKeys();
    const before = keys.bytes();
    for (let round = 0; round < 5; round += 1) {
      for (let n = 1; n <= 1_000; n += 1) keys.add(`E${n}`, n);
      keys.remove('missing', 1_001);
      keys.remove('missing', 5);
      expect(keys.find('E5', (order) => order === 5)).toBe(5);
      for (let n = 1; n <= 1_000; n += 1) keys.remove(`E${n}`, n);
    }
    expect(keys.bytes()).toBe(before);
  });
});
