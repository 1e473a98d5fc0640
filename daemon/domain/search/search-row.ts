// Where the fields of a row are, as a search names them. @see facts 1.11

/** A way into a row. The first field may be written in either spelling; below it stands what users chose. */
export interface Path {
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

/** Fields within fields that a condition may go down. */
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

/** The path of these names; undefined when one is empty or there are too many. */
export const parsePath = (names: readonly string[]): Path | undefined => {
  const [first, ...rest] = names;
  if (first === undefined || names.includes('') || names.length > DEEPEST) return undefined;
  return { first: [...new Set([first, camelCase(first), snakeCase(first)])], rest };
};

export const isTimeField = ({ first, rest }: Path): boolean =>
  rest.length === 0 ? first.some((name) => timeFields.has(name)) : timeFields.has(rest.at(-1) ?? '');

const ownOf = (value: unknown, name: string): readonly unknown[] =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? [Reflect.get(value, name)] : [];

/** One step down; a list is gone through, so that a condition holds if it holds for one of its entries. */
const step = (value: unknown, name: string): readonly unknown[] =>
  Array.isArray(value)
    ? [...ownOf(value, name), ...value.flatMap((entry: unknown) => ownOf(entry, name))]
    : ownOf(value, name);

/** What stands there: the value, and of a list its entries as well; null where there is nothing. */
export const valuesAt = (row: object, { first, rest }: Path): readonly unknown[] => {
  const name = first.find((each) => Object.hasOwn(row, each));
  let values = name === undefined ? [] : ownOf(row, name);
  for (const each of rest) values = values.flatMap((value) => step(value, each));
  return values.length === 0 ? [null] : values.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value]));
};

/** Every text in a row, however deep, but for its links, which look alike in all. */
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
