// Builds the request of `api` from words and flags.
import type { CommandContext } from '../../context.ts';
import { exactText, isNumberText, numberOf } from '../../contract/exact-json.ts';
import { routes } from '../../contract/for-client.ts';
import { usage } from '../../failure.ts';
import { readPair } from '../framework/pairs.ts';

export const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'] as const;

/** Largest body, in bytes. */
const BODY_LIMIT = 64 * 1024 * 1024;

export interface RequestFlags {
  readonly method: string | undefined;
  readonly fields: readonly string[];
  readonly typedFields: readonly string[];
  readonly input: string | undefined;
  readonly form: boolean;
  readonly headers: readonly string[];
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Resources that may be typed without their version: `actors` for `actors/v2`. */
const versioned = new Set(
  Object.values(routes).flatMap(({ path }) => {
    const [, resource, version] = path.split('/');
    return version === 'v2' && resource !== undefined ? [resource] : [];
  }),
);

/** Parses the typed path and query. The leading slash, and the version of a known resource, may be missing. */
export const readTarget = (typed: string): Pick<ApiRequest, 'path' | 'query'> => {
  if (/^[A-Za-z]:[\\/]/.test(typed)) {
    throw usage(`"${typed}" is a path on this machine`, 'remove the leading slash, which Git Bash rewrites');
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) throw usage(`"${typed}" is a full URL`, 'give only the path: actors/v2');
  const [before = '', search = ''] = typed.split(/\?(.*)/s);
  const [resource = '', ...rest] = before.replace(/^\/+/, '').split('/');
  const whole = versioned.has(resource) && rest[0] !== 'v2' ? [resource, 'v2', ...rest] : [resource, ...rest];
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
  return { path: `/${encoded(whole.join('/'))}`, query };
};

/** Percent-encodes the characters that a path must not contain. Text that is already encoded stays as typed. */
const encoded = (path: string): string => {
  try {
    decodeURIComponent(path);
    return encodeURI(path).replaceAll(/%25([0-9A-Fa-f]{2})/g, '%$1');
  } catch (error) {
    if (error instanceof URIError) throw usage(`"${path}" is not a valid path: ${error.message}`);
    throw error;
  }
};

export const readWords = (
  words: readonly string[],
  method: string | undefined,
): { readonly method?: string; readonly target: string } => {
  const [first = '', second, ...more] = words;
  if (more.length > 0)
    throw usage('api takes at most a method and a path', 'actorctl api POST actors/wordcount/messages -f message=hi');
  if (second === undefined) return method === undefined ? { target: first } : { method, target: first };
  const asked = methods.find((each) => each === first.toUpperCase());
  if (asked === undefined) throw usage(`"${first}" is not a method`, `use one of ${methods.join(', ')}`);
  if (method !== undefined && method !== asked) throw usage('the method is given twice');
  return { method: asked, target: second };
};

const typed = async ({ read }: Pick<CommandContext, 'read'>, value: string): Promise<unknown> => {
  if (value.startsWith('@')) return (await read(value.slice(1), BODY_LIMIT)).toString('utf8');
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'null') return null;
  return isNumberText(value) ? numberOf(value) : value;
};

type Branch = Map<string, unknown>;

/** Sets the value at `name`, `name[inner]` or `name[]`. */
const place = (root: Branch, key: string, value: unknown): void => {
  const [, name = '', inside] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  if (name === '') throw usage(`"${key}" is not a valid field name`, 'write name, name[inner] or name[]');
  const steps = [...(inside ?? '').matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step);
  let branch = root;
  let at = name;
  for (const step of steps) {
    const next = branch.get(at);
    const inner: Branch = next instanceof Map ? next : new Map();
    branch.set(at, inner);
    branch = inner;
    // A list is a branch with numbered names. plainOf turns it into a list.
    at = step === '' ? `#${branch.size}` : step;
  }
  branch.set(at, value);
};

const plainOf = (branch: Branch): unknown => {
  const entries = [...branch].map(([name, value]) => [name, value instanceof Map ? plainOf(value) : value] as const);
  const isList = entries.length > 0 && entries.every(([name], index) => name === `#${index}`);
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
};

const fieldsOf = async (context: Pick<CommandContext, 'read'>, flags: RequestFlags): Promise<Branch> => {
  const fields: Branch = new Map();
  for (const text of flags.fields) place(fields, ...readPair(text, '-f'));
  for (const text of flags.typedFields) {
    const [name, value] = readPair(text, '-F');
    place(fields, name, await typed(context, value));
  }
  return fields;
};

const headersOf = (given: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    given.map((text) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined) throw usage(`-H: "${text}" is not NAME: VALUE`);
      if (/^(?:host|content-length|transfer-encoding|connection)$/i.test(name))
        throw usage(`-H: ${name} is set automatically`);
      return [name.toLowerCase(), value];
    }),
  );

const textual = (fields: Branch): readonly (readonly [string, string])[] =>
  Object.entries(plainOf(fields) as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(
      (each: unknown) => [name, typeof each === 'string' ? each : (exactText(each) ?? '')] as const,
    ),
  );

const isJson = (bytes: Uint8Array): boolean => {
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
};

/** Builds the request. Fields become the query of a GET; otherwise a JSON body, or a form with `form`. */
export const makeRequest = async (
  context: Pick<CommandContext, 'read'>,
  words: readonly string[],
  flags: RequestFlags,
): Promise<ApiRequest> => {
  const { method: asked, target } = readWords(words, flags.method);
  const { path, query } = readTarget(target);
  const fields = await fieldsOf(context, flags);
  if (flags.input !== undefined && fields.size > 0) throw usage('--input and fields cannot be used together');
  const method = asked ?? (fields.size > 0 || flags.input !== undefined ? 'POST' : 'GET');
  const headers = headersOf(flags.headers);
  const withType = (type: string): Readonly<Record<string, string>> => ({ 'content-type': type, ...headers });
  if (flags.input !== undefined) {
    const body = await context.read(flags.input, BODY_LIMIT);
    return {
      method,
      path,
      query,
      headers: withType(isJson(body) ? 'application/json' : 'application/octet-stream'),
      body,
    };
  }
  if (fields.size === 0) return { method, path, query, headers };
  if (method === 'GET' || method === 'HEAD') {
    const added: Record<string, readonly string[]> = { ...query };
    for (const [name, value] of textual(fields)) added[name] = [...(added[name] ?? []), value];
    return { method, path, query: added, headers };
  }
  if (flags.form) {
    const form = new URLSearchParams(textual(fields).map(([name, value]): [string, string] => [name, value]));
    return {
      method,
      path,
      query,
      headers: withType('application/x-www-form-urlencoded'),
      body: Buffer.from(form.toString()),
    };
  }
  return {
    method,
    path,
    query,
    headers: withType('application/json'),
    body: Buffer.from(exactText(plainOf(fields)) ?? ''),
  };
};
