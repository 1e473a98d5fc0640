// The search of a listing.

/** True if every word of `q` occurs in one of the texts, in upper or lower case. */
export const hasWords = (texts: readonly (string | undefined)[], q: string): boolean => {
  const text = texts.join('\n').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};
