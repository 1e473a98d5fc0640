// Formats JSON text without parsing it, so that no number is rounded and no repeated member is lost.
import { jsonTokens } from '../../contract/json-scanner.ts';

/** Formats valid JSON text over several lines with two spaces per level. Empty objects and lists stay on one line. */
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

/** The first number in JSON text that a double cannot represent, in its original notation. */
export const roundedNumber = (text: string): string | undefined => {
  for (const token of jsonTokens(text)) {
    if (!/^-?\d/.test(token)) continue;
    const value = Number(token);
    if (!Number.isFinite(value) || (/^-?\d+$/.test(token) && BigInt(token) !== BigInt(value))) return token;
  }
  return undefined;
};

/** A JSON value that is printed with its original text. Its `toJSON` returns the parsed value. */
export class KeptJson {
  readonly text: string;

  /** @param text valid JSON */
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

const compactJson = (text: string): string => jsonTokens(text).join('');

const isPlain = (value: object): boolean => !('toJSON' in value && typeof value.toJSON === 'function');

/** The JSON text of a value on one line, with KeptJson texts unchanged. Undefined for values that JSON leaves out. */
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
