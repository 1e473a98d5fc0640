// A map with short-lived keys, compared with a `Map`.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPassingMap } from '../../../daemon/domain/records/passing-map.ts';

setFlagsFromString('--expose-gc');
const gc: unknown = runInNewContext('gc');
const collect = (options?: { readonly type: 'minor' }): void => {
  if (typeof gc !== 'function') throw new Error('V8 has no function for a collection');
  gc(options);
};

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

/** Numbers in each value that passes, of 8 bytes. */
const NUMBERS = 100;
const PASSED = 20_000;

/** Bytes by which the old generation grows while values pass through a map that never is empty. */
const grownBy = (map: {
  readonly set: (key: number, value: number[]) => unknown;
  readonly delete: (key: number) => unknown;
}): number => {
  // The garbage of other tests does not count.
  collect();
  const before = oldBytes();
  for (let key = 0; key < PASSED; key += 1) {
    map.set(
      key,
      Array.from({ length: NUMBERS }, () => key + 0.5),
    );
    map.delete(key - 50);
    if (key % 500 === 0) collect({ type: 'minor' });
  }
  return oldBytes() - before;
};

describe('a passing map', () => {
  it('shows the same as a Map after any changes', () => {
    const change = fc.record({ key: fc.nat({ max: 150 }), isSet: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 2_000, size: 'max' }), (changes) => {
        const [map, model] = [createPassingMap<number, number>(), new Map<number, number>()];
        for (const [at, { key, isSet }] of changes.entries()) {
          if (isSet) {
            map.set(key, at);
            model.set(key, at);
          } else expect(map.delete(key)).toBe(model.delete(key));
          expect(map.get(key)).toBe(model.get(key));
          expect(map.size()).toBe(model.size);
        }
        expect([...map]).toEqual([...model]);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps its keys in order while more are deleted than it has', () => {
    const map = createPassingMap<number, string>();
    for (let key = 0; key < 10_000; key += 1) {
      map.set(key, `value ${key}`);
      map.delete(key - 100);
    }
    expect([...map].map(([key]) => key)).toEqual(Array.from({ length: 100 }, (_, at) => 9_900 + at));
    expect(map.get(9_950)).toBe('value 9950');
  });

  it('keeps short-lived values out of the old garbage collector generation, unlike a Map', () => {
    const passed = PASSED * NUMBERS * 8;
    expect(grownBy(createPassingMap())).toBeLessThan(passed / 4);
    expect(grownBy(new Map())).toBeGreaterThan(passed / 4);
  });
});
