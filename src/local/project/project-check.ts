// Checks a parsed project file against its schema. Error messages contain the file, line, column, field and a
// suggested name.
import type * as z from 'zod/mini';
import { type CliFailure, usage } from '../../failure.ts';
import { nearest } from '../nearest.ts';
import type { Path, ProjectText } from './project-text.ts';

type Issue = z.core.$ZodIssue;

/** What a message says of the file. */
export type ProjectPlaces = Pick<ProjectText, 'isJson' | 'at' | 'atKey' | 'written'>;

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );

/**
 * Of several possible forms of a value, selects the issue of the most likely form: the deepest issue. An unknown
 * field counts as inside the object.
 */
const deepest = (issue: Issue): Issue => {
  if (issue.code !== 'invalid_union') return issue;
  const depth = (each: Issue): number => each.path.length + (each.code === 'unrecognized_keys' ? 1 : 0);
  const inner = issue.errors
    .flatMap((branch) => branch.slice(0, 1).map(deepest))
    .sort((a, b) => depth(b) - depth(a))[0];
  return inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] };
};

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of fields',
  record: 'a mapping of names',
};

const kindOf = (value: unknown): string => {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return { string: 'a text', number: 'a number', boolean: 'true or false', object: 'a mapping' }[
    typeof value as 'string'
  ];
};

const LIKE_BOOLEAN = /^(?:y|yes|on|true|n|no|off|false)$/i;

const isScalar = (value: unknown): boolean => value !== null && typeof value !== 'object';

/**
 * The hint for a value of the wrong type, in the notation of the file.
 * @param first the first field of the mapping that is expected, if it has fixed fields
 */
const mendType = (
  { path, expected, value }: { readonly path: Path; readonly expected: string; readonly value: unknown },
  { isJson, written }: ProjectPlaces,
  first: string | undefined,
): string | undefined => {
  const name = String(path.at(-1) ?? '');
  const shown = isJson ? JSON.stringify(value) : (written(path) ?? String(value));
  const key = (word: string): string => (isJson ? `"${word}"` : word);
  const write = (example: string): string => `write ${key(name)}: ${example}`;
  if (expected === 'object' && isScalar(value) && first !== undefined && name !== '')
    return write(`{${key(first)}: ${shown}}`);
  if (expected === 'record' && name !== '') return write(`{${key('NAME')}: ${key('VALUE')}}`);
  if (expected === 'array' && isScalar(value)) return write(`[${shown}]`);
  if (expected === 'string' && value !== null && typeof value !== 'object')
    return `write it in quotes: "${written(path) ?? String(value)}"`;
  if (expected === 'boolean' && typeof value === 'string' && LIKE_BOOLEAN.test(value))
    return `"${value}" is a text in YAML 1.2: write ${/^(?:y|on|t)/i.test(value) ? 'true' : 'false'}`;
  return undefined;
};

const formatRange = (issue: Issue): string => {
  if (issue.code === 'too_small')
    return issue.origin === 'string'
      ? 'must not be empty'
      : `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`;
  return issue.code === 'too_big' ? `must be at most ${issue.maximum}` : issue.message;
};

const failureOf = (
  text: ProjectPlaces,
  value: unknown,
  issue: Issue,
  fields: (path: Path) => readonly string[],
): CliFailure => {
  const { path } = issue;
  const name = path.map(String).join('.');
  const found = valueAt(value, path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const known = fields(path);
    const meant = nearest(key, known);
    return usage(
      `${text.atKey([...path, key])}: no field named "${[name, key].filter(Boolean).join('.')}"`,
      meant === undefined ? `the fields are: ${known.join(', ')}` : `did you mean "${meant}"?`,
    );
  }
  if (found === undefined && path.length > 0) return usage(`${text.at(path)}: "${name}" is missing`);
  const here = `${text.at(path)}: ${name === '' ? 'the file' : name}`;
  if (issue.code === 'invalid_type') {
    const expected = kinds[issue.expected] ?? issue.expected;
    return usage(
      `${here} must be ${expected}, not ${kindOf(found)}`,
      mendType({ path, expected: issue.expected, value: found }, text, fields(path)[0]),
    );
  }
  if (issue.code === 'invalid_value') {
    const meant = typeof found === 'string' ? nearest(found, issue.values.map(String)) : undefined;
    return usage(`${here} must be one of ${issue.values.join(', ')}`, meant && `did you mean "${meant}"?`);
  }
  return usage(`${here} ${formatRange(issue)}`);
};

const fieldsOf =
  (schema: z.core.$ZodType) =>
  (path: Path): readonly string[] => {
    const step = (inner: z.core.$ZodType, part: PropertyKey | undefined): readonly z.core.$ZodType[] => {
      const { def } = inner._zod as z.core.$ZodTypeInternals & { readonly def: z.core.$ZodTypeDef };
      if (def.type === 'optional') return step((def as z.core.$ZodOptionalDef).innerType, part);
      if (def.type === 'union') return (def as z.core.$ZodUnionDef).options.flatMap((each) => step(each, part));
      if (part === undefined) return [inner];
      if (def.type === 'record') return [(def as z.core.$ZodRecordDef).valueType];
      const shape = def.type === 'object' ? (def as z.core.$ZodObjectDef).shape : {};
      const next = shape[String(part)];
      return next === undefined ? [] : [next];
    };
    let at: readonly z.core.$ZodType[] = [schema];
    for (const part of path) at = at.flatMap((each) => step(each, part));
    return at
      .flatMap((each) => step(each, undefined))
      .flatMap((each) => {
        const { def } = each._zod as z.core.$ZodTypeInternals & { readonly def: z.core.$ZodTypeDef };
        return def.type === 'object' ? Object.keys((def as z.core.$ZodObjectDef).shape) : [];
      });
  };

/** Returns the document. @param value the value of the file, with the values from outside filled in */
export const checkDocument = <S extends z.ZodMiniType>(schema: S, text: ProjectPlaces, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw usage(`${text.at([])}: the file cannot be used`);
  throw failureOf(text, value, deepest(issue), fieldsOf(schema));
};
