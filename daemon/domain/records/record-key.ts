// How a record with a key of several parts is keyed.

/** A key of several parts; no part may hold the separator, which no name may (names never hold control characters). */
export const joinKey = (...parts: readonly string[]): string => parts.join('\u001f');
