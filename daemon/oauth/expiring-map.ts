// A map in memory whose entries expire and whose size is bounded. @see docs/conformance/security.md R76, R146

/** An expiring map ordered by the last `put` of entries. The caller passes the current time. */
export interface ExpiringMap<V> {
  get(key: string, now: number): V | undefined;
  /** Adds or replaces an entry that expires at `until`. A full map drops the entry with the oldest `put`. */
  put(key: string, value: V, until: number, now: number): void;
  delete(key: string): void;
  entries(): Iterable<readonly [key: string, value: V]>;
}

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
