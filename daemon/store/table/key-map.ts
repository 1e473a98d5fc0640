// A map from strings that never grows all at once: a `Map` with a million keys blocks the process for several hundred
// milliseconds whenever it grows.

export interface KeyMap<V> {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/** Number of parts, a power of two. With a million keys, a part grows within a millisecond or two. */
const PARTS = 256;

/** Factor of the hash function FNV, which spreads similar keys evenly. */
const FNV_PRIME = 0x01000193;

/** The part of a key. */
export const partOf = (key: string): number => {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash, FNV_PRIME) ^ key.charCodeAt(at);
  return hash & (PARTS - 1);
};

export const createKeyMap = <V>(): KeyMap<V> => {
  const parts: (Map<string, V> | undefined)[] = Array.from({ length: PARTS });
  return {
    get: (key) => parts[partOf(key)]?.get(key),
    has: (key) => parts[partOf(key)]?.has(key) ?? false,
    set(key, value) {
      const number = partOf(key);
      const part = parts[number] ?? new Map<string, V>();
      parts[number] = part.set(key, value);
    },
    delete(key) {
      const number = partOf(key);
      parts[number]?.delete(key);
      if (parts[number]?.size === 0) parts[number] = undefined;
    },
  };
};
