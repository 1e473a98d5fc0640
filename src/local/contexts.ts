// The contexts file: named services with their addresses, and the current context. The file contains no secrets, but
// is private.
import * as z from 'zod/mini';
import { CliFailure, usage } from '../failure.ts';
import { type AccountRecord, isAccountRecord } from './credentials/account-record.ts';
import { writePrivate } from './files.ts';
import { readJson } from './json-file.ts';
import { withLock } from './lock/with-lock.ts';
import { isOrigin } from './origin.ts';
import { parseWrittenJson } from './written-json.ts';

const origin = z.string().check(z.refine(isOrigin, 'must be an origin like http://127.0.0.1:8722'));

const namedContext = z.strictObject({
  base_url: z.optional(origin),
  auth_url: z.optional(origin),
  instance: z.optional(z.string()),
  tenant: z.optional(z.string()),
  client: z.optional(z.string()),
});

export const contextsDocument = z.strictObject({
  current: z.optional(z.string()),
  contexts: z.record(z.string(), namedContext),
});

const account = z.custom<AccountRecord>(isAccountRecord, 'must be a stored login');

/** Schema of an exported contexts file: contexts, and their logins by context name if the export included them. */
const portableDocument = z.extend(contextsDocument, { logins: z.optional(z.record(z.string(), account)) });

export type NamedContext = z.output<typeof namedContext>;
export type ContextsDocument = z.output<typeof contextsDocument>;
export type PortableDocument = z.output<typeof portableDocument>;

/** Name of the context that always exists: the daemon of the instance. */
export const LOCAL_CONTEXT = 'local';

/** True if `name` is a valid context name. The name becomes part of the names of stored credentials. */
export const isContextName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);

/** Name under which the login of a context is stored. Contexts without an address share the login of their instance. */
export const accountOfContext = (name: string, { base_url }: NamedContext): string | undefined =>
  base_url === undefined ? undefined : `context/${name}`;

const checked = <T>(schema: z.ZodMiniType<T>, value: unknown, source: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw usage(`${source}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'cannot be used'}`);
};

export const parsePortable = (text: string, source: string): PortableDocument => {
  return checked(portableDocument, parseWrittenJson(text, source, 'actorctl context export NAME'), source);
};

/** Reads the contexts file. Without a file there are no contexts. @throws CliFailure USAGE if the file is invalid */
export const readContexts = async (file: string): Promise<ContextsDocument> => {
  const value = await readJson(file);
  return value === undefined ? { contexts: {} } : checked(contextsDocument, value, file);
};

export const contextNamed = ({ contexts }: ContextsDocument, name: string): NamedContext => {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found) return found;
  if (name === LOCAL_CONTEXT) return {};
  throw new CliFailure('NOT_FOUND', `no context named "${name}"`, { hint: 'actorctl context list' });
};

/** Changes the contexts file under its lock. Waits for the lock until `signal` fires. */
export const changeContexts = (
  file: string,
  edit: (before: ContextsDocument) => ContextsDocument,
  signal: AbortSignal,
): Promise<ContextsDocument> =>
  withLock(
    `${file}.lock`,
    async () => {
      const after = edit(await readContexts(file));
      await writePrivate(file, `${JSON.stringify(after, null, 2)}\n`);
      return after;
    },
    { signal },
  );
