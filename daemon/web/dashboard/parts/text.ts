// Makes text from other users safe to display.

/**
 * Control characters and changes of text direction. They could make a name look like another one. ZWNJ and ZWJ
 * (U+200C, U+200D) are letters of Persian, of Indic scripts and of emoji.
 */
const UNSAFE =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

export const withoutUnsafe = (text: string, by: (character: string) => string): string => text.replace(UNSAFE, by);

/** A name on one line. Unsafe characters become U+FFFD. */
export const safe = (text: string): string => withoutUnsafe(text, () => '\ufffd');

/**
 * A URL without its secret parts: the query, and segments of the path that are as long as a key. The forms that edit a
 * webhook show the whole URL.
 */
export const shownUrl = (url: string): string => {
  const [, origin = '', path = ''] = /^(\w+:\/\/[^/?#]*)(.*)$/s.exec(url) ?? [];
  if (origin === '') return safe(url);
  return safe(origin + path.replace(/\?.*$/s, '?…').replace(/[^/?]{16,}/g, '…'));
};

/** Text of several lines. Line breaks and tabs stay. */
export const safeLines = (text: string): string =>
  withoutUnsafe(text, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'));
