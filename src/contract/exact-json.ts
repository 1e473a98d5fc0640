// Reads and writes JSON without changing the spelling of numbers. A double rounds 12345678901234567890, and prints 1.0
// as 1.
import { jsonTokens, scanJson } from './json-scanner.ts';

/** A number whose text differs from the text that JSON.stringify writes for its double. */
export class ExactNumber {
  readonly text: string;

  /** @param text a JSON number */
  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** The nearest double. `exactText` writes the text itself. */
  toJSON(): number {
    return Number(this.text);
  }
}

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

/** True for the text of a JSON number. 0042, .5 and +1 are none. */
export const isNumberText = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);

const isSpelledAsDouble = (text: string): boolean => String(Number(text)) === text;

/** The value of a JSON number: an ExactNumber if a double would change its text. */
export const numberOf = (text: string): number | ExactNumber =>
  isSpelledAsDouble(text) ? Number(text) : new ExactNumber(text);

const isNumberToken = (token: string): boolean => /^[-\d]/.test(token);

const hasExactNumber = (text: string): boolean => {
  let found = false;
  scanJson(text, (first, start, end) => {
    found = isNumberToken(first) && !isSpelledAsDouble(text.slice(start, end));
    return !found;
  });
  return found;
};

/** @param tokens the tokens of valid JSON */
const parsedTokens = (tokens: readonly string[]): unknown => {
  let next = 0;
  const read = (): unknown => {
    const token = tokens[next] ?? '';
    next += 1;
    if (token === '[') {
      const items: unknown[] = [];
      while (tokens[next] !== ']') {
        items.push(read());
        if (tokens[next] === ',') next += 1;
      }
      next += 1;
      return items;
    }
    if (token === '{') {
      const members: [string, unknown][] = [];
      while (tokens[next] !== '}') {
        const name = String(JSON.parse(tokens[next] ?? ''));
        next += 2;
        members.push([name, read()]);
        if (tokens[next] === ',') next += 1;
      }
      next += 1;
      return Object.fromEntries(members);
    }
    return isNumberToken(token) ? numberOf(token) : JSON.parse(token);
  };
  return read();
};

/** Parses JSON like JSON.parse, with an ExactNumber where a double would change a number. @throws SyntaxError */
export const parseExact = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  return hasExactNumber(text) ? parsedTokens(jsonTokens(text)) : value;
};

const hasToJson = (value: object): value is { readonly toJSON: () => unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

/**
 * Writes a value as JSON on one line, like JSON.stringify, with the unchanged texts of KeptJson and ExactNumber.
 * Undefined for values that JSON leaves out.
 */
export const exactText = (value: unknown): string | undefined => {
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof KeptJson) return jsonTokens(value.text).join('');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (hasToJson(value)) return exactText(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((each) => exactText(each) ?? 'null').join(',')}]`;
  const members = Object.entries(value).flatMap(([name, each]) => {
    const text = exactText(each);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
};
