// Keys of records that consist of several parts.

/** Joins the parts of a key. The separator is a control character, which no part may contain. */
export const joinKey = (...parts: readonly string[]): string => parts.join('\u001f');
