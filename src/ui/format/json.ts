// JSON values: types, access by path, order, and output without characters that control a terminal.
import { ExactNumber, exactText, parseExact } from '../../contract/exact-json.ts';
import { prettyJson } from './json-text.ts';

export type Json = null | boolean | number | ExactNumber | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** True for an object, but not for a list, a number or null. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** True for a list. `Array.isArray` alone does not narrow readonly lists. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const isNumber = (value: Json | undefined): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** Converts any value to its JSON value. `undefined` and functions become null, or are left out inside objects. */
export const toJson = (value: unknown): Json => {
  const text = exactText(value);
  return text === undefined ? null : (parseExact(text) as Json);
};

/** The JSON text of a value on one line. */
export const jsonText = (value: Json): string => exactText(value) ?? 'null';

/**
 * Characters that JSON.stringify does not escape but a terminal interprets: DEL, C1, line separators, bidirectional
 * overrides.
 */
const unsafe = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes every character in JSON text that a terminal interprets. The parsed value stays the same. */
export const escapeUnsafe = (text: string): string => text.replace(unsafe, escapeCharacter);

/** Writes a value as JSON without characters that a terminal interprets. @param isPretty over several lines with two spaces per level */
export const writeJson = (value: Json, isPretty = true): string => {
  const text = escapeUnsafe(jsonText(value));
  return isPretty ? prettyJson(text) : text;
};

/** The value at a path like `a.b.0`, or undefined if there is none. Inherited keys do not count. */
export const readPath = (value: Json, path: readonly string[]): Json | undefined => {
  let current: Json | undefined = value;
  for (const key of path) {
    if (isList(current)) current = /^\d{1,9}$/.test(key) ? current[Number(key)] : undefined;
    else if (isObject(current)) current = Object.hasOwn(current, key) ? current[key] : undefined;
    else return undefined;
  }
  return current;
};

const rank = (value: Json): number => {
  if (value === null) return 0;
  if (value === false) return 1;
  if (value === true) return 2;
  if (isNumber(value)) return 3;
  if (typeof value === 'string') return 4;
  return isList(value) ? 5 : 6;
};

/** A number as ±0.DIGITS × 10^POINT. */
const scientific = (value: number | ExactNumber) => {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(String(value)) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return { sign: 0, point: 0n, digits };
  const point = BigInt(exponent) + BigInt(digits.length - fraction.length);
  return { sign: sign === '-' ? -1 : 1, point, digits: digits.replace(/0+$/, '') };
};

/** Compares all digits of two numbers. */
const compareNumbers = (a: number | ExactNumber, b: number | ExactNumber): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [scientific(a), scientific(b)];
  if (left.sign !== right.sign) return left.sign - right.sign;
  const order =
    left.point === right.point
      ? left.digits < right.digits
        ? -1
        : Number(left.digits > right.digits)
      : left.point < right.point
        ? -1
        : 1;
  return order * left.sign;
};

const compareLists = (a: readonly Json[], b: readonly Json[]): number => {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const order = compareJson(a[index] ?? null, b[index] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
};

/** Compares two values in the order of jq: null, false, true, numbers, texts by code point, lists, objects. */
export const compareJson = (a: Json, b: Json): number => {
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (isList(a) && isList(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) {
    const keysA = Object.keys(a).sort();
    const keysB = Object.keys(b).sort();
    return (
      compareLists(keysA, keysB) ||
      compareLists(
        keysA.map((key) => a[key] ?? null),
        keysB.map((key) => b[key] ?? null),
      )
    );
  }
  return 0;
};
