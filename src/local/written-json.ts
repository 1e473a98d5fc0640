// Reads JSON that a person may have written: with a byte order mark, any line ends, and errors with their place.
import { parseExact } from '../contract/exact-json.ts';
import { scanJson } from '../contract/json-scanner.ts';
import { usage } from '../failure.ts';

interface Fault {
  readonly offset: number;
  /** Why the text is invalid. The reason quotes no part of the text, which may be a secret. */
  readonly reason: string;
}

const VALUE = 'a value is missing here';
const NAME = 'a name in double quotes is missing here';

const isValue = (token: string): boolean => {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
};

/** What may come next in the text. `first` follows an opening bracket, where the bracket may close at once. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next' | 'end';

interface Open {
  readonly names: Set<string> | undefined;
}

/** The first violation of RFC 8259, or the first name that an object repeats. */
const faultIn = (text: string): Fault | undefined => {
  const open: Open[] = [];
  let expected = 'value' as Expected;
  let fault: Fault | undefined;
  const refuse = (offset: number, reason: string): false => {
    fault = { offset, reason };
    return false;
  };
  const close = (): true => {
    open.pop();
    expected = open.length === 0 ? 'end' : 'next';
    return true;
  };
  scanJson(text, (first, start, end) => {
    const names = open.at(-1)?.names;
    switch (expected) {
      case 'value':
      case 'first value': {
        if (first === ']' && expected === 'first value') return close();
        if (first === '{' || first === '[') {
          open.push({ names: first === '{' ? new Set() : undefined });
          expected = first === '{' ? 'first name' : 'first value';
          return true;
        }
        const token = text.slice(start, end);
        if ('}],:'.includes(first)) return refuse(start, VALUE);
        if (!isValue(token))
          return refuse(start, first === '"' ? 'this string is not valid' : 'this is not a JSON value');
        expected = open.length === 0 ? 'end' : 'next';
        return true;
      }
      case 'name':
      case 'first name': {
        if (first === '}' && expected === 'first name') return close();
        const token = text.slice(start, end);
        if (first !== '"' || !isValue(token)) return refuse(start, NAME);
        const name = String(JSON.parse(token));
        if (names?.has(name)) return refuse(start, 'the object has this name already');
        names?.add(name);
        expected = 'colon';
        return true;
      }
      case 'colon':
        if (first !== ':') return refuse(start, 'a colon is missing before this');
        expected = 'value';
        return true;
      case 'next':
        if (first === (names ? '}' : ']')) return close();
        if (first !== ',') return refuse(start, 'a comma is missing before this');
        expected = names ? 'name' : 'value';
        return true;
      case 'end':
        return refuse(start, 'the JSON value ends before this');
    }
  });
  return fault ?? (expected === 'end' ? undefined : { offset: text.length, reason: 'the text ends too early' });
};

/** The text without a byte order mark. */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** `LINE:COLUMN` of an offset in a text, from 1. */
export const lineAndColumn = (text: string, offset: number): string => {
  const lines = text.slice(0, offset).split(/\r\n|[\r\n]/);
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
};

/** The first error of a JSON text, as `LINE:COLUMN: reason`, without quoting the text. Undefined if there is none. */
export const jsonProblem = (text: string): string | undefined => {
  const plain = withoutMark(text);
  const fault = faultIn(plain);
  return fault && `${lineAndColumn(plain, fault.offset)}: ${fault.reason}`;
};

/** How messages name what `--file` reads. */
export const sourceName = (file: string): string => (file === '-' ? 'stdin' : file);

/**
 * @param source the file, flag or stream that holds the text, for messages
 * @throws CliFailure USAGE with the place of the first error; a repeated name is one
 */
export const parseWrittenJson = (text: string, source: string, hint?: string): unknown => {
  const problem = jsonProblem(text);
  if (problem !== undefined) throw usage(`${source}:${problem}`, hint);
  return JSON.parse(withoutMark(text));
};

/** Like `parseWrittenJson`, with an ExactNumber where a double would change a number. */
export const parseWrittenData = (text: string, source: string): unknown => {
  parseWrittenJson(text, source);
  return parseExact(withoutMark(text));
};
