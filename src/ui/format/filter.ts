// Reads `--filter key=value` and keeps the matching items of a list. `=` and `~=` filters of the same key
// are alternatives; all others must match.
import { ExactNumber } from '../../contract/exact-json.ts';
import { readTime } from '../../contract/times.ts';
import { messageOf, usage } from '../../failure.ts';
import { checkField } from './fields.ts';
import { compareJson, isList, type Json, jsonText, readPath } from './json.ts';

type Operator = '=' | '!=' | '~=' | '>=' | '<=';

export interface FilterRule {
  readonly path: readonly string[];
  readonly operator: Operator;
  readonly passes: (text: string) => boolean;
}

/** Longest pattern, and longest prefix of a value that is matched. Both limit the time for matching. */
const PATTERN_LIMIT = 200;
const SUBJECT_LIMIT = 1_000;

/**
 * True if a pattern repeats a part that repeats or branches itself. The time of such a pattern can grow exponentially.
 */
const explodes = (pattern: string): boolean => {
  const groups: boolean[] = [];
  let repeats = 0;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? '';
    if (character === '\\') {
      if (/[1-9k]/.test(pattern[index + 1] ?? '')) return true;
      index += 1;
    } else if (character === '[') {
      index += 1;
      while (index < pattern.length && pattern[index] !== ']') index += pattern[index] === '\\' ? 2 : 1;
    } else if (character === '(') {
      groups.push(false);
    } else if (character === '|') {
      if (groups.length > 0) groups[groups.length - 1] = true;
    } else if (character === '*' || character === '+' || character === '{') {
      repeats += 1;
      if (groups.length > 0) groups[groups.length - 1] = true;
    } else if (character === ')') {
      const risky = groups.pop() ?? false;
      if (risky && /^[*+{]/.test(pattern.slice(index + 1))) return true;
      if (risky && groups.length > 0) groups[groups.length - 1] = true;
    }
  }
  return repeats > 3;
};

const matcher = (pattern: string): ((text: string) => boolean) => {
  if (pattern.length > PATTERN_LIMIT) throw usage(`--filter: a pattern may have at most ${PATTERN_LIMIT} characters`);
  if (explodes(pattern)) {
    throw usage(
      `--filter: matching the pattern "${pattern}" could take too long`,
      'use at most three repeats, none inside another, and no back references',
    );
  }
  try {
    const expression = new RegExp(pattern, 'u');
    return (text) => expression.test(text.slice(0, SUBJECT_LIMIT));
  } catch (error) {
    throw usage(`--filter: "${pattern}" is not a valid pattern: ${messageOf(error)}`);
  }
};

const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/.test(text);

/** Compares as numbers, else as times (`10m`: ten minutes ago), else as text. */
const order = (text: string, bound: string, now: number): number => {
  if (isNumber(text) && isNumber(bound)) return compareJson(new ExactNumber(text), new ExactNumber(bound));
  const time = readTime(text, now);
  const boundTime = readTime(bound, now);
  if (time !== undefined && boundTime !== undefined) return time - boundTime;
  return text < bound ? -1 : text > bound ? 1 : 0;
};

const tests: Readonly<Record<Operator, (value: string, now: number) => (text: string) => boolean>> = {
  '=': (value) => (text) => text === value,
  '!=': (value) => (text) => text !== value,
  '~=': matcher,
  '>=': (value, now) => (text) => order(text, value, now) >= 0,
  '<=': (value, now) => (text) => order(text, value, now) <= 0,
};

/** @param now milliseconds since the epoch, for relative times */
export const parseFilter = (text: string, known: readonly string[], now: number): FilterRule => {
  const [, key, operator, value] = /^([A-Za-z_][\w.]*)(!=|~=|>=|<=|=)(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw usage(
      `--filter: "${text}" is not a filter`,
      'write key=value, key!=value, key~=pattern, key>=value or key<=value',
    );
  }
  const path = checkField(key, known, '--filter');
  return { path, operator: operator as Operator, passes: tests[operator as Operator](value, now) };
};

/**
 * The texts of a field that a filter is compared with: each entry of a list, one text for another value, none for null.
 */
const textsOf = (value: Json | undefined): readonly string[] => {
  if (value === undefined || value === null) return [];
  if (isList(value)) return value.flatMap(textsOf);
  return [typeof value === 'string' ? value : jsonText(value)];
};

const passes = (item: Json, rule: FilterRule): boolean => {
  const texts = textsOf(readPath(item, rule.path));
  // A negated filter must hold for every entry of a list. It holds for a missing field.
  if (rule.operator === '!=') return texts.every(rule.passes);
  return (texts.length === 0 ? [''] : texts).some(rule.passes);
};

/**
 * True for filters that must all hold: bounds and exclusions. As alternatives, two of them would match almost
 * everything.
 */
const widens = (rule: FilterRule): boolean => rule.operator === '=' || rule.operator === '~=';

/** Keeps the matching items: for each key any of its `=` and `~=` filters, and all other filters. */
export const filterItems = (items: readonly Json[], rules: readonly FilterRule[]): readonly Json[] => {
  const narrowing = rules.filter((rule) => !widens(rule));
  const byKey = new Map<string, FilterRule[]>();
  for (const rule of rules.filter(widens)) {
    const key = rule.path.join('.');
    byKey.set(key, [...(byKey.get(key) ?? []), rule]);
  }
  return items.filter(
    (item) =>
      narrowing.every((rule) => passes(item, rule)) &&
      [...byKey.values()].every((group) => group.some((rule) => passes(item, rule))),
  );
};
