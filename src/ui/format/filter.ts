// `--filter key=value`: which items of a list to keep. Same key: any; different keys: all.
import { usage } from '../../failure.ts';
import { checkField } from './fields.ts';
import { isList, type Json, readPath } from './json.ts';
import { readTime } from './time.ts';

type Operator = '=' | '!=' | '~=' | '>=' | '<=';

/** One `--filter`, read. */
export interface FilterRule {
  readonly path: readonly string[];
  readonly operator: Operator;
  /** Whether the text of one value passes. */
  readonly passes: (text: string) => boolean;
}

/** Longest pattern, and longest part of a value that a pattern looks at: both bound the time a pattern may take. */
const PATTERN_LIMIT = 200;
const SUBJECT_LIMIT = 1_000;

/** Whether a pattern repeats something that itself repeats or branches: the shape whose time grows exponentially. */
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
  if (pattern.length > PATTERN_LIMIT) throw usage(`--filter: a pattern may have ${PATTERN_LIMIT} characters`);
  if (explodes(pattern)) {
    throw usage(
      `--filter: the pattern '${pattern}' could take too long`,
      'use at most three repeats, none inside another, and no back references',
    );
  }
  try {
    const expression = new RegExp(pattern, 'u');
    return (text) => expression.test(text.slice(0, SUBJECT_LIMIT));
  } catch (error) {
    throw usage(`--filter: '${pattern}' is not a pattern: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const isNumber = (text: string): boolean => /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text);

/** Compares as numbers, else as times (`10m` is ten minutes ago), else as text. */
const order = (text: string, bound: string, now: number): number => {
  if (isNumber(text) && isNumber(bound)) return Number(text) - Number(bound);
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

/**
 * Reads one `--filter`.
 * @param now milliseconds since the epoch, for relative times
 * @throws USAGE on a form or field that is not known
 */
export const parseFilter = (text: string, known: readonly string[], now: number): FilterRule => {
  const [, key, operator, value] = /^([A-Za-z_][\w.]*)(!=|~=|>=|<=|=)(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw usage(
      `--filter: '${text}' is not a filter`,
      'write key=value, key!=value, key~=pattern, key>=value or key<=value',
    );
  }
  const path = checkField(key, known, '--filter');
  return { path, operator: operator as Operator, passes: tests[operator as Operator](value, now) };
};

/** The texts that a field offers to a rule: each entry of a list, one of anything else, none of nothing. */
const textsOf = (value: Json | undefined): readonly string[] => {
  if (value === undefined || value === null) return [];
  if (isList(value)) return value.flatMap(textsOf);
  return [typeof value === 'string' ? value : JSON.stringify(value)];
};

const passes = (item: Json, rule: FilterRule): boolean => {
  const texts = textsOf(readPath(item, rule.path));
  // "Not that" must hold of every entry of a list, and holds of a field that is not there.
  if (rule.operator === '!=') return texts.every(rule.passes);
  return (texts.length === 0 ? [''] : texts).some(rule.passes);
};

/** Whether rules of the same key widen each other. Bounds and exclusions narrow: two of them would else mean nothing. */
const widens = (rule: FilterRule): boolean => rule.operator === '=' || rule.operator === '~=';

/** Keeps what passes: per key any of its `=` and `~=` rules, and all others. */
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
