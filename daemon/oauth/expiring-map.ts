// What is remembered for a while: entries that end by time, and a bound on how many there are. @see auth.md R76, R146

/** Oldest put first; every read is told the time. */
export interface ExpiringMap<V> {
  get(key: string, now: number): V | undefined;
  /** Puts (or puts anew) an entry that ends at `until`; the longest untouched go when there are too many. */
  put(key: string, value: V, until: number, now: number): void;
  delete(key: string): void;
  entries(): Iterable<readonly [key: string, value: V]>;
}

/** @param most entries that are held at a time */
export const createExpiringMap = <V>(most: number): ExpiringMap<V> => {
  const held = new Map<string, { readonly value: V; readonly until: number }>();
  return {
    get: (key, now) => {
      const entry = held.get(key);
      return entry !== undefined && entry.until > now ? entry.value : undefined;
    },
    put: (key, value, until, now) => {
      held.delete(key);
      held.set(key, { value, until });
      for (const [oldest, entry] of held) {
        if (held.size <= most && entry.until > now) break;
        held.delete(oldest);
      }
    },
    delete: (key) => {
      held.delete(key);
    },
    entries: function* () {
      for (const [key, { value }] of held) yield [key, value] as const;
    },
  };
};
