// A map for keys that are added and deleted continuously.

/** A map that iterates in insertion order. It must not be changed during an iteration. */
export interface PassingMap<K, V> extends Iterable<[K, V]> {
  size(): number;
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  /** Deletes a key. Returns false if the key was not there. */
  delete(key: K): boolean;
}

/** Minimum number of deletions between two copies of the map. */
const FEW = 64;

/**
 * Maximum number of keys up to which the map is copied. Copying a larger one would take longer than two milliseconds.
 */
const MANY = 16_384;

/**
 * Creates an empty map. While keys are added and deleted, V8 gives a `Map` a new table again and again, and each old
 * table refers to the new one. Once one of these tables has survived two collections of the young generation, every
 * later table counts as reachable from it, with everything it ever contained. All values that pass through the map then
 * move to the old generation, until that generation is collected. To avoid this, the map copies itself into a new `Map`
 * after as many deletions as it has keys.
 * @see https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.h
 */
export const createPassingMap = <K, V>(): PassingMap<K, V> => {
  let map = new Map<K, V>();
  let deleted = 0;
  return {
    size: () => map.size,
    get: (key) => map.get(key),
    set(key, value) {
      map.set(key, value);
    },
    delete(key) {
      if (!map.delete(key)) return false;
      deleted += 1;
      if (deleted >= Math.max(FEW, map.size) && map.size < MANY) {
        map = new Map(map);
        deleted = 0;
      }
      return true;
    },
    [Symbol.iterator]: () => map[Symbol.iterator](),
  };
};
