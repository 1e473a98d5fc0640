// Reads `--fields a,b.c` and keeps these fields of a value.
import { usage } from '../../failure.ts';
import { isList, isObject, type Json, readPath } from './json.ts';
import { snakeName } from './names.ts';

/** Parsed `--fields`: the request to list the valid names, or the paths to keep. */
export type FieldsChoice =
  | { readonly kind: 'help' }
  | { readonly kind: 'paths'; readonly paths: readonly (readonly string[])[] };

/** The name that lists of executions use for a field, and its name where a row is not an execution itself. */
const ID = 'id';
const EXECUTION_ID = 'execution_id';

/** Refuses a path whose first name is not in `known`. An empty `known` allows every name. */
export const checkField = (path: string, known: readonly string[], flag: string): readonly string[] => {
  const names = path.split('.');
  const first = names[0] ?? '';
  if (path === ID && !known.includes(ID) && known.includes(EXECUTION_ID)) return [EXECUTION_ID];
  if (names.some((name) => name === ''))
    throw usage(`${flag}: "${path}" is not a field path`, 'write fields as name or name.inner');
  if (known.length > 0 && !known.includes(first)) {
    const snake = snakeName(first);
    const hint = known.includes(snake)
      ? `write ${[snake, ...names.slice(1)].join('.')}`
      : `the fields are: ${known.join(', ')}`;
    throw usage(`${flag}: no field named "${first}"`, hint);
  }
  return names;
};

/** Parses `--fields`. Names are separated by commas or spaces, because PowerShell replaces commas with spaces. */
export const parseFields = (asked: readonly string[], known: readonly string[]): FieldsChoice => {
  const words = asked.flatMap((text) => text.split(/[\s,]+/)).filter((word) => word !== '');
  if (words.length === 0) throw usage('--fields needs at least one field', `the fields are: ${known.join(', ')}`);
  if (words.length === 1 && words[0] === 'help') return { kind: 'help' };
  return { kind: 'paths', paths: words.map((word) => checkField(word, known, '--fields')) };
};

const place = (target: Map<string, Json | Map<string, unknown>>, path: readonly string[], value: Json): void => {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    target.set(name, value);
    return;
  }
  const inner = target.get(name);
  const branch = inner instanceof Map ? (inner as Map<string, Json | Map<string, unknown>>) : new Map();
  target.set(name, branch);
  place(branch, rest, value);
};

const build = (branch: Map<string, unknown>): Json =>
  Object.fromEntries([...branch].map(([name, value]) => [name, value instanceof Map ? build(value) : (value as Json)]));

/** Keeps the paths of an object, or of each object in a list. A path without a value is left out. */
export const pickFields = (value: Json, paths: readonly (readonly string[])[]): Json => {
  if (isList(value)) return value.map((item) => pickFields(item, paths));
  if (!isObject(value)) return value;
  const kept = new Map<string, Json | Map<string, unknown>>();
  for (const path of paths) {
    const found = readPath(value, path);
    if (found !== undefined) place(kept, path, found);
  }
  return build(kept);
};
