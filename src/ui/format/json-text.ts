// JSON text for people without reading it as a value: no number is rounded, no member lost.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Valid JSON text over several lines, two spaces a level; empty objects and lists on one. */
export const prettyJson = (text: string): string => {
  let pretty = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const opens = token === '{' || token === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      if (before !== '{' && before !== '[') pretty += line();
    } else if (before === '{' || before === '[' || before === ',') pretty += line();
    pretty += token === ':' ? ': ' : token;
    if (opens) depth += 1;
    before = token;
  }
  return pretty;
};

/** A number of the text that a double cannot hold, as it stands there. */
export const roundedNumber = (text: string): string | undefined => {
  for (const [token] of text.matchAll(TOKEN)) {
    if (!/^-?\d/.test(token)) continue;
    const value = Number(token);
    if (!Number.isFinite(value) || (/^-?\d+$/.test(token) && BigInt(token) !== BigInt(value))) return token;
  }
  return undefined;
};
