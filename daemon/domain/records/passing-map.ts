// A map whose keys come and go.

/** A map in the order in which its keys were added. It must not be changed while it is iterated. */
export interface PassingMap<K, V> extends Iterable<[K, V]> {
  size(): number;
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  /** Returns false if the key was not there. */
  delete(key: K): boolean;
}

/** Fewest deletions between two renewals. */
const FEW = 64;

/** Number of keys from which on a map is not renewed, because that would take longer than two milliseconds. */
const MANY = 16_384;

/**
 * Creates an empty map.
 * While keys come and go, V8 gives a `Map` a new table again and again, and the old table refers to the new one. Once
 * one of these tables has survived two collections of the young generation, each later table counts as reachable from
 * it, with all that it ever contained: everything that passes through the map grows old, until a collection of the old
 * generation. So this map copies itself into a new one after as many deletions as it has keys.
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
