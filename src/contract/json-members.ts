// The members of a JSON object as they stand in its text: JSON.parse would round their numbers and drop what stands twice.

const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = /\s/;

/** Where the text of a value ends that begins at `start`. */
const endOfValue = (text: string, start: number): number => {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else {
      const character = text[at] ?? '';
      if (depth === 0 && (character === ',' || character === '}' || character === ']')) return at;
      if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') depth -= 1;
    }
  }
  return text.length;
};

const skipSpace = (text: string, start: number): number => {
  let at = start;
  while (at < text.length && SPACE.test(text[at] ?? '')) at += 1;
  return at;
};

const endOfName = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
};

/**
 * The members of a JSON object, in order and as they stand: `[name, text of the value]`; the same name may come twice.
 * @param text JSON that parses; undefined comes back when it is no object
 */
export const jsonMembers = (text: string): readonly (readonly [name: string, value: string])[] | undefined => {
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return undefined;
  const members: (readonly [string, string])[] = [];
  for (;;) {
    at = skipSpace(text, at + 1);
    if (text[at] !== '"') return members;
    const nameEnd = endOfName(text, at);
    const name: unknown = JSON.parse(text.slice(at, nameEnd));
    const begin = skipSpace(text, skipSpace(text, nameEnd) + 1);
    at = endOfValue(text, begin);
    members.push([String(name), text.slice(begin, at).trimEnd()]);
  }
};

/** The text of the member that counts where a name stands several times: the last one, as everywhere. */
export const jsonMember = (text: string, name: string): string | undefined =>
  jsonMembers(text)?.findLast(([each]) => each === name)?.[1];

/** The values of a JSON list as they stand. @param text JSON that parses; undefined comes back when it is no list */
export const jsonItems = (text: string): readonly string[] | undefined => {
  let at = skipSpace(text, 0);
  if (text[at] !== '[') return undefined;
  const items: string[] = [];
  for (;;) {
    const begin = skipSpace(text, at + 1);
    if (text[begin] === ']') return items;
    at = endOfValue(text, begin);
    items.push(text.slice(begin, at).trimEnd());
    if (text[at] === ']') return items;
  }
};
