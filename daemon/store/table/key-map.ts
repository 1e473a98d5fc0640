// A map from strings that never grows all at once: a `Map` with a million keys blocks the process for several hundred
// milliseconds whenever it grows.
import { createPassingMap } from '../../domain/records/passing-map.ts';

export interface KeyMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/** Number of parts, a power of two. With a million keys, a part grows within a millisecond or two. */
const PARTS = 256;

/**
 * Number of keys from which on a map is divided into parts, which takes less than a millisecond. Most maps stay
 * smaller.
 */
const WHOLE = 4_096;

/** Factor of the hash function FNV, which spreads similar keys evenly. */
const FNV_PRIME = 0x01000193;

export const partOf = (key: string): number => {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash, FNV_PRIME) ^ key.charCodeAt(at);
  return hash & (PARTS - 1);
};

export const createKeyMap = <V>(): KeyMap<V> => {
  /** Contains all keys while there are few. Empty once the map is divided. */
  let whole = createPassingMap<string, V>();
  let parts: (Map<string, V> | undefined)[] | undefined;

  const setIn = (divided: (Map<string, V> | undefined)[], key: string, value: V): void => {
    const number = partOf(key);
    const part = divided[number] ?? new Map<string, V>();
    divided[number] = part.set(key, value);
  };

  const divide = (): void => {
    parts = Array.from({ length: PARTS });
    for (const [key, value] of whole) setIn(parts, key, value);
    whole = createPassingMap();
  };

  return {
    get: (key) => (parts === undefined ? whole : parts[partOf(key)])?.get(key),
    set(key, value) {
      if (parts !== undefined) return setIn(parts, key, value);
      whole.set(key, value);
      if (whole.size() > WHOLE) divide();
    },
    delete(key) {
      if (parts === undefined) {
        whole.delete(key);
        return;
      }
      const number = partOf(key);
      const part = parts[number];
      if (part?.delete(key) && part.size === 0) parts[number] = undefined;
    },
  };
};
