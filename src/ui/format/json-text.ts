// JSON text without reading it as a value: no number is rounded, no member lost.
import { jsonTokens } from '../../contract/json-scanner.ts';

/** Valid JSON text over several lines, two spaces a level; empty objects and lists on one. */
export const prettyJson = (text: string): string => {
  let pretty = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const token of jsonTokens(text)) {
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
  for (const token of jsonTokens(text)) {
    if (!/^-?\d/.test(token)) continue;
    const value = Number(token);
    if (!Number.isFinite(value) || (/^-?\d+$/.test(token) && BigInt(token) !== BigInt(value))) return token;
  }
  return undefined;
};

/** A value that is written as the JSON text in which it came; whoever computes with it gets it parsed. */
export class KeptJson {
  readonly text: string;

  /** @param text JSON that parses */
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Valid JSON text on one line. */
const compactJson = (text: string): string => jsonTokens(text).join('');

const isPlain = (value: object): boolean => !('toJSON' in value && typeof value.toJSON === 'function');

/** The JSON of a value on one line, kept texts letter by letter; undefined for what JSON leaves out. */
export const keptText = (value: unknown): string | undefined => {
  if (value instanceof KeptJson) return compactJson(value.text);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => keptText(each) ?? 'null').join(',')}]`;
  const members = Object.entries(value).flatMap(([name, each]) => {
    const text = keptText(each);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
};
