// Splits JSON text into tokens without parsing values: all digits of numbers and all repeated members are preserved.

const QUOTE = 34;
const BACKSLASH = 92;

const punctuation = new Set(Array.from('{}[],:', (character) => character.charCodeAt(0)));

/** Space, tab, line feed and carriage return. @see RFC 8259 2 */
const spaces = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Searches for quotes instead of looking at each character, because a string may be a megabyte long. */
const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - escapes - 1) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
};

const endOfLiteral = (text: string, start: number): number => {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || punctuation.has(code) || spaces.has(code)) break;
  }
  return at;
};

/**
 * Calls `visit` for each token: a punctuation character, a string with its quotes, a number, or a literal such as
 * `true`. Stops when `visit` returns false. Invalid JSON is split by the same rules; an unterminated string ends at
 * the end of the text.
 * @param visit receives the first character of the token, and where the token starts and ends
 */
export const scanJson = (text: string, visit: (first: string, start: number, end: number) => boolean): void => {
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (spaces.has(code)) {
      at += 1;
      continue;
    }
    const end = code === QUOTE ? endOfString(text, at) : punctuation.has(code) ? at + 1 : endOfLiteral(text, at);
    if (!visit(text.charAt(at), at, end)) return;
    at = end;
  }
};

export const jsonTokens = (text: string): readonly string[] => {
  const tokens: string[] = [];
  scanJson(text, (_first, start, end) => {
    tokens.push(text.slice(start, end));
    return true;
  });
  return tokens;
};

/** The change of depth that a token makes: 1 for an opening bracket, -1 for a closing one, else 0. */
const depthChange = (first: string): number =>
  first === '{' || first === '[' ? 1 : first === '}' || first === ']' ? -1 : 0;

/** Maximum nesting of a JSON value from outside. @see docs/conformance/security.md R112 */
export const JSON_DEPTH = 64;

/** True if objects and lists are nested deeper than `limit` levels. */
export const isNestedDeeper = (text: string, limit: number): boolean => {
  let depth = 0;
  scanJson(text, (first) => {
    depth += depthChange(first);
    return depth <= limit;
  });
  return depth > limit;
};

/** The comma-separated parts of a JSON object or list, trimmed; undefined if the text is another value. */
const partsOf = (text: string, opening: '{' | '['): readonly string[] | undefined => {
  if (!text.trimStart().startsWith(opening)) return undefined;
  const parts: string[] = [];
  let depth = 0;
  let from = text.indexOf(opening) + 1;
  scanJson(text, (first, at) => {
    depth += depthChange(first);
    if (depth === 0 || (depth === 1 && first === ',')) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
    return depth > 0;
  });
  return parts[0] === '' ? [] : parts;
};

/**
 * The members of a JSON object as `[name, text of the value]`, in order. Repeated names and all digits are preserved.
 * @param text valid JSON @returns undefined if the text is not an object
 */
export const jsonMembers = (text: string): readonly (readonly [name: string, value: string])[] | undefined =>
  partsOf(text, '{')?.map((part) => {
    const end = endOfString(part, 0);
    const name: unknown = JSON.parse(part.slice(0, end));
    return [String(name), part.slice(part.indexOf(':', end) + 1).trim()];
  });

/** The text of a member's value. If a name is repeated, the last member is used, as with JSON.parse. */
export const jsonMember = (text: string, name: string): string | undefined =>
  jsonMembers(text)?.findLast(([each]) => each === name)?.[1];

/**
 * The unparsed texts of the values in a JSON list. @param text valid JSON @returns undefined if the text is not a
 * list
 */
export const jsonItems = (text: string): readonly string[] | undefined => partsOf(text, '[');
