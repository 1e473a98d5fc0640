// Evaluates the expressions of the jq subset.
import { numberOf } from '../../contract/exact-json.ts';
import { CliFailure } from '../../failure.ts';
import { compareJson, isList, isNumber, isObject, type Json } from './json.ts';

/** A parsed expression: returns every output for one input. @throws USAGE if the input has the wrong type */
export type Filter = (input: Json) => readonly Json[];

/** An input with the wrong type for an expression. `?` and `//` ignore it. */
class Mismatch extends CliFailure {
  constructor(what: string) {
    super('USAGE', `--jq: ${what}`);
  }
}

const nameOf = (value: Json): string => {
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  if (isNumber(value)) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

export const truthy = (value: Json): boolean => value !== null && value !== false;

/** `.name` and `.[0]`. A missing entry is null. @throws USAGE if the value cannot have such entries */
export const index = (value: Json, key: Json): Json => {
  if (value === null) return null;
  if (typeof key === 'string' && isObject(value)) return Object.hasOwn(value, key) ? (value[key] ?? null) : null;
  if (typeof key === 'number' && isList(value)) return value.at(Math.floor(key)) ?? null;
  throw new Mismatch(`${nameOf(value)} has no ${JSON.stringify(key)}`);
};

/** `.[]` @throws USAGE if the value is not a list or an object */
export const iterate: Filter = (value) => {
  if (isList(value)) return value;
  if (isObject(value)) return Object.values(value);
  throw new Mismatch(`${nameOf(value)} has no entries for .[]`);
};

const lengthOf = (value: Json): Json => {
  if (value === null) return 0;
  if (typeof value === 'string') return [...value].length;
  if (isNumber(value)) return numberOf(String(value).replace(/^-/, ''));
  if (typeof value === 'boolean') throw new Mismatch('a boolean has no length');
  return isList(value) ? value.length : Object.keys(value).length;
};

const keysOf = (value: Json): Json => {
  if (isList(value)) return value.map((_, position) => position);
  if (isObject(value)) return Object.keys(value).sort((a, b) => compareJson(a, b));
  throw new Mismatch(`${nameOf(value)} has no keys`);
};

const sortBy =
  (key: Filter): Filter =>
  (value) => {
    if (!isList(value)) throw new Mismatch(`${nameOf(value)} cannot be sorted`);
    const keyed = value.map((item) => ({ item, keys: key(item) }));
    return [keyed.sort((a, b) => compareJson(a.keys, b.keys)).map(({ item }) => item)];
  };

export const withoutArgument: Readonly<Record<string, Filter>> = {
  length: (value) => [lengthOf(value)],
  keys: (value) => [keysOf(value)],
  first: (value) => [index(value, 0)],
  not: (value) => [!truthy(value)],
  true: () => [true],
  false: () => [false],
  null: () => [null],
};

export const withArgument: Readonly<Record<string, (argument: Filter) => Filter>> = {
  select: (test) => (value) => test(value).flatMap((answer) => (truthy(answer) ? [value] : [])),
  map: (each) => (value) => [iterate(value).flatMap(each)],
  sort_by: sortBy,
  first: (of) => (value) => of(value).slice(0, 1),
};

export const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Combines every output of one filter with every output of another. */
export const pairs =
  (left: Filter, right: Filter, combine: (a: Json, b: Json) => Json): Filter =>
  (value) =>
    right(value).flatMap((b) => left(value).map((a) => combine(a, b)));

/** `left | right` */
export const pipe =
  (left: Filter, right: Filter): Filter =>
  (value) =>
    left(value).flatMap(right);

/** Inputs with the wrong type give no output, for `?` and `//`. */
export const tolerant =
  (filter: Filter): Filter =>
  (value) => {
    try {
      return filter(value);
    } catch (error) {
      if (error instanceof Mismatch) return [];
      throw error;
    }
  };

/** `left // right`: the outputs of left that are neither null nor false, else those of right. */
export const alternative =
  (left: Filter, right: Filter): Filter =>
  (value) => {
    const kept = tolerant(left)(value).filter(truthy);
    return kept.length > 0 ? kept : right(value);
  };
