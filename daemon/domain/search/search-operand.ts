// Operands of search conditions, parsed from the texts of query parameters. @see docs/http-api.md#search
import { Failure } from '../failure.ts';

/** A time or a value. `text` is compared with texts, `value` with everything else. */
export type Operand =
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'value'; readonly value: unknown; readonly text?: string };

interface OperandField {
  readonly key: string;
  readonly isTime: boolean;
}

/** Maximum nesting of brackets, limited because the comparison is recursive. */
const DEEPEST = 64;

const refuse = (field: string, words: string): Failure => new Failure('VALIDATION', `${field} ${words}`, { field });

const named = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['none', null],
  ['null', null],
]);

const number = /^-?\d{1,300}(?:\.\d{1,300})?(?:e[+-]?\d{1,3})?$/i;

/** An ISO 8601 time with an optional UTC offset. Everything after the year may be omitted. */
const time =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?)?)?)?(?:Z|([+-])(\d\d):(\d\d))?$/;

/**
 * Parses a time, which may be shortened, to ms since the epoch: `2026` means its first moment. NaN if the text is not a
 * time.
 */
export const parseSearchTime = (text: string): number => {
  const [
    whole,
    year = '',
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    ...zone
  ] = time.exec(text) ?? [];
  if (whole === undefined) return Number.NaN;
  const [sign, hours = '0', minutes = '0'] = zone;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const at = Date.parse(local);
  // Date.parse accepts the 31st in every month and returns a day of the next month.
  if (Number.isNaN(at) || new Date(at).toISOString() !== local) return Number.NaN;
  const away = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? at + away : at - away;
};

const readTime = (text: string, key: string): Operand => {
  const at = parseSearchTime(text);
  if (!Number.isNaN(at)) return { kind: 'time', at };
  throw refuse(key, 'must be a time: 2026, 2026-01-31, 2026-01-31T12:00Z, 2026-01-31T12:00:00%2B01:00.');
};

const isDeep = (text: string): boolean => {
  let depth = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth += 1;
    else if (letter === ']' || letter === '}') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
};

/** Parses JSON with single or double quotes. Undefined if the text is not JSON. */
const parseJson = (text: string, key: string): unknown => {
  if (!/^\s*["'[{]/.test(text)) return undefined;
  if (isDeep(text)) throw refuse(key, `must not nest brackets more than ${DEEPEST} levels deep.`);
  for (const json of [text, text.replaceAll("'", '"')]) {
    try {
      return JSON.parse(json);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
};

/**
 * Parses an operand: true, false and none in any letter case; a time if the field is a time; a number; JSON; otherwise
 * text.
 */
export const readOperand = (text: string, { key, isTime }: OperandField): Operand => {
  const value = named.get(text.toLowerCase());
  if (value !== undefined) return { kind: 'value', value, text };
  if (isTime) return readTime(text, key);
  if (number.test(text)) return { kind: 'value', value: Number(text), text };
  const json = parseJson(text, key);
  if (json === undefined) return { kind: 'value', value: text, text };
  return { kind: 'value', value: json, text: typeof json === 'string' ? json : text };
};

export const readOperands = (text: string, { key, isTime }: OperandField): readonly Operand[] => {
  const list = parseJson(text, key);
  if (!Array.isArray(list)) throw refuse(key, 'must be a JSON list: ["COMPLETE","ERROR"].');
  return list.map((value: unknown) => {
    if (typeof value !== 'string') return { kind: 'value', value };
    return isTime ? readTime(value, key) : { kind: 'value', value, text: value };
  });
};

export const readRange = (text: string, how: OperandField): { readonly from: Operand; readonly to: Operand } => {
  const ends = text.split(',').map((end) => end.trim());
  const [from, to] = ends;
  if (from === undefined || to === undefined || ends.length > 2) throw refuse(how.key, 'must be two values: 1,10.');
  if (!how.isTime && !(number.test(from) && number.test(to))) {
    throw refuse(how.key, 'must be two numbers, or two times for a field that is a time.');
  }
  return { from: readOperand(from, how), to: readOperand(to, how) };
};
