// The keys of records that are on disk: 12 bytes for each instead of its text, found by linear hashing.

export interface Keys {
  /** @param isOrderOf whether the record with this order number has the key; called only for likely records */
  find(key: string, isOrderOf: (order: number) => boolean): number | undefined;
  add(key: string, order: number): void;
  remove(key: string, order: number): void;
}

export interface HashedKeys extends Keys {
  /** Bytes in memory. Tests check that this number and `compared` stay proportional to the number of keys. */
  bytes(): number;
  /** Number of order numbers that were compared to find keys. */
  compared(): number;
}

/** Number of order numbers in a chunk, and of buckets in a row. A power of two. */
const CHUNK = 1_024;

/** The hashes of the keys with consecutive order numbers. A chunk is freed when its last key is removed. */
interface Chunk {
  readonly hashes: Uint32Array;
  /** The next order number in the same bucket; 0 at the end. */
  readonly nexts: Uint32Array;
  used: number;
}

/** The hash function FNV-1a, with a last step that spreads similar keys over the lowest bits. */
const hashOf = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
};

/**
 * Creates the keys of a collection that grows with use. A key leads to the order number of its record, which says when
 * the record was added: a whole number from 1 to 2^32 - 1.
 * Whenever there are more keys than buckets, one bucket is divided. So no addition takes long, however many keys there
 * are. Keys must not be chosen by callers, who could choose many with the same hash.
 */
export const createHashedKeys = (): HashedKeys => {
  const chunks = new Map<number, Chunk>();
  /** The first order number of each bucket; 0 for an empty bucket. */
  const rows = [new Uint32Array(CHUNK)];
  /** `whole`: number of buckets when the current round of divisions began. `divided`: how many of them are divided. */
  let [whole, divided] = [CHUNK, 0];
  let count = 0;
  let compared = 0;

  const chunkAt = (order: number): Chunk | undefined => chunks.get(Math.floor(order / CHUNK));
  const hashAt = (order: number): number => chunkAt(order)?.hashes[order % CHUNK] ?? 0;
  const nextAt = (order: number): number => chunkAt(order)?.nexts[order % CHUNK] ?? 0;
  const setNext = (order: number, next: number): void => {
    const chunk = chunkAt(order);
    if (chunk !== undefined) chunk.nexts[order % CHUNK] = next;
  };

  const firstIn = (bucket: number): number => rows[Math.floor(bucket / CHUNK)]?.[bucket % CHUNK] ?? 0;
  const setFirst = (bucket: number, order: number): void => {
    const row = rows[Math.floor(bucket / CHUNK)];
    if (row !== undefined) row[bucket % CHUNK] = order;
  };

  const bucketOf = (hash: number): number => {
    const bucket = hash % whole;
    return bucket < divided ? hash % (whole * 2) : bucket;
  };

  const link = (order: number, hash: number): void => {
    const bucket = bucketOf(hash);
    setNext(order, firstIn(bucket));
    setFirst(bucket, order);
  };

  /** Divides a bucket: each of its keys stays, or moves to a new bucket. */
  const divide = (): void => {
    const from = divided;
    if ((whole + from) % CHUNK === 0) rows.push(new Uint32Array(CHUNK));
    let order = firstIn(from);
    setFirst(from, 0);
    divided += 1;
    while (order !== 0) {
      const next = nextAt(order);
      link(order, hashAt(order));
      order = next;
    }
    if (divided === whole) [whole, divided] = [whole * 2, 0];
  };

  const forget = (order: number): void => {
    const chunk = chunkAt(order);
    if (chunk === undefined) return;
    chunk.used -= 1;
    if (chunk.used === 0) chunks.delete(Math.floor(order / CHUNK));
  };

  return {
    find(key, isOrderOf) {
      const hash = hashOf(key);
      let order = firstIn(bucketOf(hash));
      while (order !== 0) {
        compared += 1;
        if (hashAt(order) === hash && isOrderOf(order)) return order;
        order = nextAt(order);
      }
      return undefined;
    },
    add(key, order) {
      const hash = hashOf(key);
      const chunk = chunkAt(order) ?? { hashes: new Uint32Array(CHUNK), nexts: new Uint32Array(CHUNK), used: 0 };
      if (chunk.used === 0) chunks.set(Math.floor(order / CHUNK), chunk);
      chunk.used += 1;
      chunk.hashes[order % CHUNK] = hash;
      link(order, hash);
      count += 1;
      if (count > whole + divided) divide();
    },
    remove(key, order) {
      const bucket = bucketOf(hashOf(key));
      let [before, at] = [0, firstIn(bucket)];
      while (at !== 0 && at !== order) [before, at] = [at, nextAt(at)];
      if (at === 0) return;
      if (before === 0) setFirst(bucket, nextAt(at));
      else setNext(before, nextAt(at));
      forget(order);
      count -= 1;
    },
    bytes: () => (rows.length + 2 * chunks.size) * CHUNK * Uint32Array.BYTES_PER_ELEMENT,
    compared: () => compared,
  };
};
