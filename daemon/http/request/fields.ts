// Validates the fields of a request by a schema. Names may be camelCase or snake_case, and messages use the name as
// sent.
import * as z from 'zod/mini';
import { Failure } from '../../domain/failure.ts';

/** Fields by their names as sent. */
export type RawFields = Readonly<Record<string, unknown>>;

export interface ReadFields<Value> {
  readonly value: Value;
  /** The known fields under the names of the contract, with the values as sent. */
  readonly sent: RawFields;
  readonly unknown: readonly string[];
  /** Replaces the name of a field in a Failure of a later check by its name as sent. Returns other values unchanged. */
  readonly withSentNames: (thrown: unknown) => unknown;
}

export type FieldReader<Schema extends z.ZodMiniType> = (raw: unknown) => ReadFields<z.output<Schema>>;

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 64;

const camelCase = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isRecord = (value: unknown): value is RawFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const expectation: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

type Issue = z.core.$ZodIssue;

const issueText = (issue: Issue, given: unknown): string => {
  if (issue.path.length > 0 && given === undefined) return 'is required';
  if (issue.code === 'invalid_type' && issue.expected === 'string' && Array.isArray(given)) return 'must be given once';
  if (issue.code === 'invalid_key' && issue.issues[0]) return `is not a valid name: ${issue.issues[0].message}`;
  if (issue.message !== 'Invalid input') return issue.message;
  if (issue.code === 'invalid_type') return `must be ${expectation[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  return 'is not an accepted value';
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (isRecord(inner) || Array.isArray(inner) ? Reflect.get(inner, key) : undefined),
    value,
  );

/** The sender of a comma-separated text does not know its list elements, so an error path ends at the field. */
const sentPath = (value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] => {
  const end = path.findIndex((_, depth) => {
    const inside = valueAt(value, path.slice(0, depth));
    return !isRecord(inside) && !Array.isArray(inside);
  });
  return end === -1 ? path : path.slice(0, end);
};

/** Names from the request, prepared for a message: few, short and without control characters. */
const printable = (names: readonly string[]): string => {
  const safe = names
    .slice(0, MAX_NAMES)
    .map((name) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name))
    .map((name) => name.replace(/\p{C}/gu, '�'));
  return names.length > MAX_NAMES ? `${safe.join(', ')} and ${names.length - MAX_NAMES} more` : safe.join(', ');
};

export const ignoredSentence = (unknown: readonly string[]): string =>
  unknown.length === 0 ? '' : ` Ignored unknown fields: ${printable(unknown)}.`;

const validationFailure = (
  issues: readonly Issue[],
  value: unknown,
  sent: ReadonlyMap<string, string>,
  note: string,
): Failure => {
  const sentences = issues.slice(0, MAX_NAMES).map((issue) => {
    const path = sentPath(value, issue.path);
    const [first, ...rest] = path.map(String);
    const name = first === undefined ? 'The body' : [sent.get(first) ?? first, ...rest].join('.');
    return `${printable([name])} ${issueText(issue, valueAt(value, path))}`;
  });
  const field = issues[0]?.path[0];
  return new Failure(
    'VALIDATION',
    `${sentences.join('; ')}.${note}`,
    field === undefined ? {} : { field: String(field) },
  );
};

const withSentName = (thrown: unknown, sent: ReadonlyMap<string, string>): unknown => {
  if (!(thrown instanceof Failure)) return thrown;
  const { code, message, detail } = thrown;
  const field = detail?.['field'];
  const name = typeof field === 'string' && message.startsWith(field) ? sent.get(field) : undefined;
  if (typeof field !== 'string' || name === undefined || name === field) return thrown;
  return new Failure(code, name + message.slice(field.length), detail);
};

/** Maps every accepted spelling to the field name in the contract. */
const spellings = (schema: z.ZodMiniType): ReadonlyMap<string, string> | undefined =>
  schema instanceof z.ZodMiniObject
    ? new Map(
        Object.keys(schema.shape).flatMap((name) => [name, camelCase(name), snakeCase(name)].map((way) => [way, name])),
      )
    : undefined;

/** True for a field whose value is an object with free names, such as `default_environment`. */
const isObjectField = (schema: z.core.$ZodType | undefined): boolean => {
  if (schema instanceof z.ZodMiniOptional) return isObjectField(schema._zod.def.innerType);
  if (schema instanceof z.ZodMiniPipe) return isObjectField(schema._zod.def.out);
  return schema instanceof z.ZodMiniRecord;
};

const MEMBER = /^([^[\]]+)\[([^[\]]*)\]$/;

/**
 * Collects `field[NAME]=value` into one object for each field with free names. Other names with brackets are unknown.
 * @throws Failure VALIDATION if the field is also sent whole
 */
const gatherMembers = (
  raw: RawFields,
  known: ReadonlyMap<string, string>,
  objectFields: ReadonlySet<string>,
): RawFields => {
  if (!Object.keys(raw).some((name) => name.endsWith(']'))) return raw;
  const gathered: Record<string, unknown> = Object.create(null);
  const members = new Map<string, Record<string, unknown>>();
  for (const [name, value] of Object.entries(raw)) {
    const [, field = '', key = ''] = MEMBER.exec(name) ?? [];
    if (!objectFields.has(known.get(field) ?? '')) {
      gathered[name] = value;
      continue;
    }
    const object = members.get(field) ?? Object.create(null);
    object[key] = value;
    members.set(field, object);
  }
  for (const [field, object] of members) {
    if (field in gathered) {
      throw new Failure('VALIDATION', `${field} must be sent either whole or as separate members, not both.`, {
        field,
      });
    }
    gathered[field] = object;
  }
  return gathered;
};

/** JSON null means that the field is absent. @see docs/http-api.md#requests */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

interface NamedFields {
  readonly value: Record<string, unknown>;
  readonly sent: Record<string, unknown>;
  readonly names: Map<string, string>;
  readonly unknown: string[];
}

const noFields = (): Record<string, unknown> => Object.create(null);

/** @throws Failure VALIDATION if a field is sent in two spellings with different values */
const nameFields = (raw: RawFields, known: ReadonlyMap<string, string>): NamedFields => {
  const fields: NamedFields = { value: noFields(), sent: noFields(), names: new Map(), unknown: [] };
  const { value, sent, names, unknown } = fields;
  for (const [name, entry] of Object.entries(raw)) {
    const target = known.get(name);
    if (target === undefined) {
      unknown.push(name);
      if (name !== '__proto__') value[name] = entry;
      continue;
    }
    if (isAbsent(entry)) continue;
    const other = names.get(target);
    if (other !== undefined && JSON.stringify(value[target]) !== JSON.stringify(entry)) {
      throw new Failure('VALIDATION', `${other} and ${name} are the same field but differ. Send one of them.`, {
        field: target,
      });
    }
    value[target] = entry;
    sent[target] = entry;
    names.set(target, name);
  }
  return fields;
};

/**
 * Takes names in camelCase and snake_case, not both with different values. Null means absent. Unknown names are
 * reported, and dropped unless the schema is loose. The returned function throws Failure VALIDATION.
 * @see docs/http-api.md#requests
 */
export const fieldReader = <Schema extends z.ZodMiniType>(schema: Schema): FieldReader<Schema> => {
  const known = spellings(schema);
  const objectFields = new Set(
    schema instanceof z.ZodMiniObject
      ? Object.keys(schema.shape).filter((name) => isObjectField(schema.shape[name]))
      : [],
  );
  return (raw) => {
    if (known !== undefined && raw !== undefined && !isRecord(raw))
      throw new Failure('VALIDATION', 'The body must be a JSON object.');
    const fields = known && nameFields(gatherMembers((raw as RawFields) ?? {}, known, objectFields), known);
    const { value = raw, sent = noFields(), names = new Map<string, string>(), unknown = [] } = fields ?? {};
    const parsed = z.safeParse(schema, value);
    if (!parsed.success) throw validationFailure(parsed.error.issues, value, names, ignoredSentence(unknown));
    return { value: parsed.data, sent, unknown, withSentNames: (thrown) => withSentName(thrown, names) };
  };
};
