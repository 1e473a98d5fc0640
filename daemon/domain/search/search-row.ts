// Finds the fields of a row that a search condition names. @see docs/http-api.md#search

/**
 * The first name in a path may be in camel case or snake case. Names below it are chosen by users and must match
 * exactly.
 */
export interface Path {
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

const DEEPEST = 32;

const timeFields: ReadonlySet<string> = new Set([
  'startTime',
  'finishTime',
  'messageReceivedTime',
  'lastExecutionTime',
  'lastUpdateTime',
  'createTime',
  'lastHealthCheckTime',
  'StartedAt',
  'FinishedAt',
]);

const camelCase = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const parsePath = (names: readonly string[]): Path | undefined => {
  const [first, ...rest] = names;
  if (first === undefined || names.includes('') || names.length > DEEPEST) return undefined;
  return { first: [...new Set([first, camelCase(first), snakeCase(first)])], rest };
};

export const isTimeField = ({ first, rest }: Path): boolean =>
  rest.length === 0 ? first.some((name) => timeFields.has(name)) : timeFields.has(rest.at(-1) ?? '');

const hasOwn = (value: object, name: string): boolean =>
  Object.hasOwn(value, name) && Reflect.get(value, name) !== undefined;

const ownOf = (value: unknown, name: string): readonly unknown[] =>
  typeof value === 'object' && value !== null && hasOwn(value, name) ? [Reflect.get(value, name)] : [];

/** The values one level down. List entries are searched too: a condition holds if it holds for one of them. */
const step = (value: unknown, name: string): readonly unknown[] =>
  Array.isArray(value)
    ? [...ownOf(value, name), ...value.flatMap((entry: unknown) => ownOf(entry, name))]
    : ownOf(value, name);

/** The values at a path. A list gives the list itself and its entries; a missing value gives `[null]`. */
export const valuesAt = (row: object, { first, rest }: Path): readonly unknown[] => {
  const name = first.find((each) => hasOwn(row, each));
  let values = name === undefined ? [] : ownOf(row, name);
  // Nested lists can lead to one value in several ways. Each value is collected once, so that there are never more
  // values than the row has.
  for (const each of rest) values = [...new Set(values.flatMap((value) => step(value, each)))];
  return values.length === 0 ? [null] : values.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value]));
};

/** Every text in a row, at any depth. Links are left out, because they are similar in all rows. */
export const stringsOf = (row: object): readonly string[] => {
  const strings: string[] = [];
  const waiting: unknown[] = Object.entries(row).flatMap(([name, value]) => (name === '_links' ? [] : [value]));
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) waiting.push(inner);
  }
  return strings;
};
