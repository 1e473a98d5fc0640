// Searches: query parameters parsed to conditions, and conditions matched against rows. @see docs/http-api.md#search
import {
  SEARCH_PAGE,
  SEARCH_PAGE_MAX,
  type SearchOperator,
  searchOperators,
  searchParameters,
} from '../../../src/contract/actors/search.ts';
import { Failure } from '../failure.ts';
import { type Operand, readOperand, readOperands, readRange } from './search-operand.ts';
import { isTimeField, type Path, parsePath, stringsOf, valuesAt } from './search-row.ts';

export type Pattern = (line: string) => boolean;

/** One condition; a row must satisfy all conditions of a search. */
export type Condition = { readonly path: Path } & (
  | { readonly operator: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte'; readonly operand: Operand }
  | { readonly operator: 'in' | 'nin'; readonly operands: readonly Operand[] }
  | { readonly operator: 'between'; readonly from: Operand; readonly to: Operand }
  | { readonly operator: 'like' | 'nlike'; readonly pattern: Pattern }
);

export interface Search {
  readonly skip: number;
  readonly limit: number;
  /** Search terms in lower case. They rank rows and do not filter them. */
  readonly words: readonly string[];
  /** Phrase in lower case. At least one text of the row must contain it. */
  readonly phrase?: string;
  readonly conditions: readonly Condition[];
}

const MOST_CONDITIONS = 50;
const MOST_WORDS = 20;
/** Maximum characters of a line that a pattern is matched against. */
const LINE = 4_096;

const refuse = (field: string, words: string): Failure => new Failure('VALIDATION', `${field} ${words}`, { field });

const wholeNumber = (name: string, given: string | undefined, unset: number, max: number): number => {
  if (given === undefined) return unset;
  const number = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (number <= max) return number;
  const range =
    max === Number.MAX_SAFE_INTEGER ? ', 0 or more' : ` from 0 to ${max}. Use skip to get the following rows`;
  throw refuse(name, `must be a whole number${range}.`);
};

const isOperator = (word: string | undefined): word is SearchOperator => searchOperators.some((each) => each === word);

const parseCondition = (key: string, text: string, compile: (pattern: string, key: string) => Pattern): Condition => {
  const segments = key.split('.');
  const last = segments.at(-1);
  const operator = segments.length > 1 && isOperator(last) ? last : undefined;
  const path = parsePath(operator === undefined ? segments : segments.slice(0, -1));
  if (path === undefined) throw refuse(key, 'is not the name of a field.');
  const how = { key, isTime: isTimeField(path) };
  switch (operator) {
    case 'in':
    case 'nin':
      return { path, operator, operands: readOperands(text, how) };
    case 'between':
      return { path, operator, ...readRange(text, how) };
    case 'like':
    case 'nlike':
      return { path, operator, pattern: compile(text, key) };
    default:
      return { path, operator: operator ?? 'eq', operand: readOperand(text, how) };
  }
};

const first = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

/**
 * Parses the query parameters of a search: `skip` and `limit` page, `search` ranks, `exactsearch` filters by a phrase.
 * All others except `pretty`, `naked` and `x-nonce` are conditions on fields. Only the first value of a repeated
 * parameter counts.
 * @param compile throws Failure VALIDATION that names the key
 */
export const parseSearch = (
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
  compile: (pattern: string, key: string) => Pattern,
): Search => {
  const given = new Map(searchParameters(query).map((name) => [name, first(query[name]) ?? '']));
  const take = (name: string): string | undefined => {
    const value = given.get(name);
    given.delete(name);
    return value;
  };
  const skip = wholeNumber('skip', take('skip'), 0, Number.MAX_SAFE_INTEGER);
  const limit = wholeNumber('limit', take('limit'), SEARCH_PAGE, SEARCH_PAGE_MAX);
  const words = (take('search') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length > MOST_WORDS) throw refuse('search', `must be at most ${MOST_WORDS} words.`);
  const phrase = take('exactsearch')?.toLowerCase();
  if (given.size > MOST_CONDITIONS) {
    throw new Failure(
      'VALIDATION',
      `A search may have at most ${MOST_CONDITIONS} conditions; this one has ${given.size}.`,
    );
  }
  const conditions = [...given].map(([key, text]) => parseCondition(key, text, compile));
  return { skip, limit, words, ...(phrase !== undefined && phrase !== '' && { phrase }), conditions };
};

/** True if a search reads this field of a row: for a condition, or because it reads all texts. */
export const looksAt = ({ conditions, phrase, words }: Search, field: string): boolean =>
  phrase !== undefined || words.length > 0 || conditions.some(({ path }) => path.first.includes(field));

/** A condition on a text field that is met exactly if the field equals one of these texts. */
export interface Demand {
  readonly condition: Condition;
  readonly texts: readonly string[];
}

const textsOf = (operands: readonly Operand[]): readonly string[] =>
  operands.flatMap((operand) => (operand.kind === 'value' && operand.text !== undefined ? [operand.text] : []));

/**
 * The first condition on a field that requires one of a few texts. Undefined if there is none. The field must be a text
 * in every row. The caller finds such rows with an index and need not check the condition again.
 */
export const demandOn = ({ conditions }: Search, field: string): Demand | undefined => {
  for (const condition of conditions) {
    const { path } = condition;
    if (path.rest.length > 0 || !path.first.includes(field)) continue;
    if (condition.operator === 'eq') return { condition, texts: textsOf([condition.operand]) };
    if (condition.operator === 'in') return { condition, texts: textsOf(condition.operands) };
  }
  return undefined;
};

/** The search without the conditions that index look-ups have already met. */
export const withoutConditions = (search: Search, met: readonly (Demand | undefined)[]): Search => ({
  ...search,
  conditions: search.conditions.filter((condition) => met.every((demand) => demand?.condition !== condition)),
});

/** True if every row satisfies the search, so that no row needs to be checked. */
export const takesAll = ({ conditions, phrase, words }: Search): boolean =>
  conditions.length === 0 && phrase === undefined && words.length === 0;

const equals = (value: unknown, operand: Operand): boolean =>
  operand.kind === 'time'
    ? typeof value === 'string' && Date.parse(value) === operand.at
    : (typeof value === 'string' && value === operand.text) || isSame(value, operand.value);

/** Deep equality. The depth is bounded, because the operand's nesting is limited when it is parsed. */
const isSame = (left: unknown, right: unknown): boolean => {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  const memberOf = (of: object, name: string): unknown => (Object.hasOwn(of, name) ? Reflect.get(of, name) : undefined);
  return [...names].every((name) => isSame(memberOf(left, name), memberOf(right, name)));
};

/**
 * Negative, zero or positive for a value below, equal to or above the operand. Undefined if they cannot be compared.
 */
const compare = (value: unknown, operand: Operand): number | undefined => {
  if (operand.kind === 'time') {
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    return Number.isNaN(at) ? undefined : at - operand.at;
  }
  if (typeof value === 'number' && typeof operand.value === 'number') return value - operand.value;
  if (typeof value !== 'string' || operand.text === undefined) return undefined;
  return value < operand.text ? -1 : value > operand.text ? 1 : 0;
};

const orders = {
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
} as const;

const isWithin = (value: unknown, from: Operand, to: Operand): boolean =>
  (compare(value, from) ?? -1) >= 0 && (compare(value, to) ?? 1) <= 0;

/** Matches a pattern line by line. Yields after every line, because matching may take long. */
function* someLineMatches(values: readonly unknown[], pattern: Pattern): Generator<undefined, boolean> {
  for (const value of values) {
    if (typeof value !== 'string') continue;
    for (let start = 0; start <= value.length; ) {
      const end = value.indexOf('\n', start);
      const line = value.slice(start, end === -1 ? undefined : end);
      if (pattern(line.length > LINE ? line.slice(0, LINE) : line)) return true;
      yield;
      if (end === -1) break;
      start = end + 1;
    }
  }
  return false;
}

function* holds(condition: Condition, row: object): Generator<undefined, boolean> {
  const values = valuesAt(row, condition.path);
  switch (condition.operator) {
    case 'eq':
      return values.some((value) => equals(value, condition.operand));
    case 'neq':
      return !values.some((value) => equals(value, condition.operand));
    case 'in':
      return values.some((value) => condition.operands.some((operand) => equals(value, operand)));
    case 'nin':
      return !values.some((value) => condition.operands.some((operand) => equals(value, operand)));
    case 'between':
      return values.some((value) => isWithin(value, condition.from, condition.to));
    case 'like':
      return yield* someLineMatches(values, condition.pattern);
    case 'nlike':
      return !(yield* someLineMatches(values, condition.pattern));
    default: {
      const order = orders[condition.operator];
      return values.some((value) => {
        const difference = compare(value, condition.operand);
        return difference !== undefined && order(difference);
      });
    }
  }
}

/** Matches a row. Yields wherever the caller may pause. */
export function* matchRow(search: Search, row: object): Generator<undefined, boolean> {
  for (const condition of search.conditions) if (!(yield* holds(condition, row))) return false;
  const { phrase } = search;
  return phrase === undefined || stringsOf(row).some((text) => text.toLowerCase().includes(phrase));
}

/** Occurrences in a row that can rank below another search term. */
const MOST_OCCURRENCES = 1_000_000;

/** Rank of a row: by the number of search terms that it has, then by their occurrences. 0 without search terms. */
export const rankRow = ({ words }: Search, row: object): number => {
  if (words.length === 0) return 0;
  const texts = stringsOf(row).map((each) => each.toLowerCase());
  let [found, occurrences] = [0, 0];
  for (const word of new Set(words)) {
    const before = occurrences;
    for (const text of texts) {
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) occurrences += 1;
    }
    if (occurrences > before) found += 1;
  }
  return found * MOST_OCCURRENCES + Math.min(occurrences, MOST_OCCURRENCES - 1);
};
