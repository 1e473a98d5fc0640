// Named services: a file of addresses, and which of them is the current one. Holds no secret, and is ours alone all the same.
import * as z from 'zod/mini';
import { CliFailure, usage } from '../failure.ts';
import { accountRecord } from './credentials/account-record.ts';
import { readJson, writePrivate } from './files.ts';
import { withLock } from './lock.ts';

const ORIGIN = /^https?:\/\/[^/?#@\s]+\/?$/;

/** Whether a text is scheme, host and port of a service, and nothing more. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text) && URL.canParse(text);

const origin = z.string().check(z.refine(isOrigin, 'must be an origin like http://127.0.0.1:8722'));

const namedContext = z.strictObject({
  base_url: z.optional(origin),
  auth_url: z.optional(origin),
  instance: z.optional(z.string()),
  tenant: z.optional(z.string()),
  client: z.optional(z.string()),
});

/** The file as it is written. */
export const contextsDocument = z.strictObject({
  current: z.optional(z.string()),
  contexts: z.record(z.string(), namedContext),
});

/** What travels from one machine to another: the same, and logins by name of their context where they were asked for. */
const portableDocument = z.extend(contextsDocument, { logins: z.optional(z.record(z.string(), accountRecord)) });

/** One named service. */
export type NamedContext = z.output<typeof namedContext>;
export type ContextsDocument = z.output<typeof contextsDocument>;
export type PortableDocument = z.output<typeof portableDocument>;

/** Name of the context that needs no entry: the daemon of the instance. */
export const LOCAL_CONTEXT = 'local';

/** Whether `name` can name a context: it becomes part of the names that credentials are kept under. */
export const isContextName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);

/** Under which name the login of a context is kept; those without an address share the one of their instance. */
export const accountOfContext = (name: string, { base_url }: NamedContext): string | undefined =>
  base_url === undefined ? undefined : `context/${name}`;

const checked = <T>(schema: z.ZodMiniType<T>, value: unknown, source: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw usage(`${source}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'cannot be used'}`);
};

/** Checks what was exported elsewhere. @param source its name, for messages @throws CliFailure USAGE */
export const parsePortable = (text: string, source: string): PortableDocument => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // What the parser says would quote the text, which may hold secrets.
    throw new CliFailure('USAGE', `${source} is no JSON`, { hint: 'actorctl context export NAME', cause: error });
  }
  return checked(portableDocument, value, source);
};

/** Reads the file; empty when there is none. @throws CliFailure USAGE when it cannot be used */
export const readContexts = async (file: string): Promise<ContextsDocument> => {
  const value = await readJson(file);
  return value === undefined ? { contexts: {} } : checked(contextsDocument, value, file);
};

/** The entry of a name. @throws CliFailure NOT_FOUND */
export const contextNamed = ({ contexts }: ContextsDocument, name: string): NamedContext => {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found) return found;
  if (name === LOCAL_CONTEXT) return {};
  throw new CliFailure('NOT_FOUND', `there is no context "${name}"`, { hint: 'actorctl context list' });
};

/** Changes the file while nobody else does. */
export const changeContexts = (
  file: string,
  edit: (before: ContextsDocument) => ContextsDocument,
): Promise<ContextsDocument> =>
  withLock(`${file}.lock`, async () => {
    const after = edit(await readContexts(file));
    await writePrivate(file, `${JSON.stringify(after, null, 2)}\n`);
    return after;
  });
