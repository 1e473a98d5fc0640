// Reads the names that completion offers, from the service and from local files.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../../context.ts';
import { WORLD } from '../../contract/for-client.ts';
import { formatStatus } from '../../contract/outcome.ts';
import { loginsOf } from '../../local/credentials/account-record.ts';
import type { Named } from '../framework/option.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import { resolveActorOrAlias } from '../framework/resolve-target.ts';
import { newestExecutions } from '../framework/search-rows.ts';
import type { Candidate } from './place.ts';

export type Reader = Pick<CommandContext, 'call' | 'paths' | 'credentials' | 'settings'>;

export interface Before {
  readonly args: Readonly<Record<string, string>>;
  readonly partial: string;
}

/** Most executions, events and deliveries that are offered. */
const NEWEST = 30;

/** Completion never prompts, so an ambiguous or abbreviated name is an error. */
const asker = ({ call }: Reader) => ({ call, prompt: { allowed: false } as CommandContext['prompt'] });

const plain = <T>(rows: readonly T[], word: (row: T) => string, about: (row: T) => string = () => ''): Candidate[] =>
  rows.map((row) => ({ word: word(row), about: about(row) }));

/**
 * Names that only one actor has, ids of the other actors, and aliases. If none of these begins with the typed text,
 * all ids.
 */
const actors = async ({ call }: Reader, partial: string): Promise<readonly Candidate[]> => {
  const [all, aliases] = await Promise.all([call('actors.list'), call('aliases.list')]);
  const times = new Map<string, number>();
  for (const { name } of all) times.set(name, (times.get(name) ?? 0) + 1);
  const nameOf = new Map(all.map(({ id, name }) => [id, name]));
  const found = [
    ...all.map(({ id, name, status }) =>
      times.get(name) === 1 && isSafe(name) ? { word: name, about: status } : { word: id, about: `${name} ${status}` },
    ),
    ...plain(
      aliases,
      ({ alias }) => alias,
      ({ actorId }) => `alias of ${nameOf.get(actorId) || actorId}`,
    ),
  ];
  return found.some(({ word }) => word.startsWith(partial))
    ? found
    : plain(
        all,
        ({ id }) => id,
        ({ name }) => name,
      );
};

const aliases = async ({ call }: Reader): Promise<readonly Candidate[]> =>
  plain(await call('aliases.list'), ({ alias }) => alias);

const configs = async ({ call }: Reader): Promise<readonly Candidate[]> =>
  plain(await call('configs.list'), ({ name }) => name);

const prefixed = (prefix: string, found: readonly Candidate[]): readonly Candidate[] =>
  found.map(({ word, about }) => ({ word: prefix + word, about }));

const executions = async (
  reader: Reader,
  partial: string,
  conditions: Readonly<Record<string, string>> = {},
): Promise<readonly Candidate[]> => {
  const [, owner] = /^([^@]+)@/.exec(partial) ?? [];
  if (owner !== undefined) return plain([`${owner}@last`, `${owner}@last:failed`], String);
  const [rows, all] = await Promise.all([
    newestExecutions(reader, { conditions }, NEWEST),
    reader.call('actors.list').catch(() => []),
  ]);
  const nameOf = new Map(all.map(({ id, name }) => [id, name]));
  const shortcuts = rows.length === 0 ? [] : ['@last', '@last:failed'];
  return [
    ...plain(
      rows,
      ({ id }) => id,
      (row) => `${nameOf.get(row.actorId) || row.actorId} ${formatStatus(row)} ${row.messageReceivedTime ?? ''}`,
    ),
    ...plain(shortcuts, String),
  ];
};

const actorOf = async (reader: Reader, { args }: Before): Promise<string> =>
  (await resolveActor(asker(reader), args['actor'] ?? '')).id;

const nonces = async (reader: Reader, { args }: Before): Promise<readonly Candidate[]> => {
  const target = await resolveActorOrAlias(asker(reader), args['target'] ?? '');
  const rows =
    target.kind === 'alias'
      ? await reader.call('alias-nonces.list', { params: { alias: target.name } })
      : await reader.call('nonces.list', { params: { actorId: target.name } });
  return plain(
    rows,
    ({ id }) => id,
    ({ level, description }) => `${level} ${description ?? ''}`,
  );
};

const logins = async ({ credentials, settings }: Reader): Promise<readonly Candidate[]> => {
  const all = loginsOf((await credentials.read(settings.account))?.record ?? {});
  const { userNames } = await import('../../local/credentials/login-names.ts');
  return plain(userNames(all.filter(({ username }) => username !== null)), String);
};

const contexts = async ({ paths }: Reader): Promise<readonly Candidate[]> => {
  const { LOCAL_CONTEXT, readContexts } = await import('../../local/contexts.ts');
  const { contexts: named } = await readContexts(paths.contextsFile);
  return plain([...new Set([LOCAL_CONTEXT, ...Object.keys(named)])], String);
};

const snapshots = async ({ paths }: Reader): Promise<readonly Candidate[]> => {
  const { snapshotNames } = await import('../../local/archive/snapshots.ts');
  const { readLaunch } = await import('../../local/daemon/launch.ts');
  return plain(await snapshotNames((await readLaunch(paths.launchFile))?.dataDir ?? paths.dataDir), String);
};

const profiles = async ({ call }: Reader): Promise<readonly Candidate[]> =>
  plain(await call('profiles.list'), ({ username }) => username);

const readers: { readonly [N in Named]: (reader: Reader, before: Before) => Promise<readonly Candidate[]> } = {
  actor: (reader, { partial }) => actors(reader, partial),
  'actor or alias': async (reader, { partial }) => [
    ...(await actors(reader, partial)),
    ...prefixed('alias:', await aliases(reader)),
  ],
  'actor or execution': async (reader, { partial }) =>
    (await Promise.all([actors(reader, partial), executions(reader, partial)])).flat(),
  'actor, alias or config': async (reader, { partial }) =>
    (
      await Promise.all([
        actors(reader, partial),
        aliases(reader).then((found) => prefixed('alias:', found)),
        configs(reader).then((found) => prefixed('config:', found)),
      ])
    ).flat(),
  alias: aliases,
  client: async ({ call }) => plain(await call('clients.list'), ({ name }) => name),
  config: configs,
  context: contexts,
  delivery: async ({ call }) =>
    plain(
      (await call('deliveries.list')).deliveries.slice(-NEWEST),
      ({ id }) => id,
      ({ status, eventType }) => `${eventType ?? ''} ${formatStatus({ status })}`,
    ),
  event: async ({ call }) =>
    plain(
      (await call('events.list', { query: { order: 'desc', limit: NEWEST } })).events,
      ({ id }) => id,
      ({ event_type }) => event_type,
    ),
  execution: (reader, { partial }) => executions(reader, partial),
  grantee: async (reader) => [...(await profiles(reader)), { word: WORLD, about: 'every user' }],
  'running execution': (reader, { partial }) => executions(reader, partial, { status: 'RUNNING' }),
  instance: async ({ paths }) => plain(readdirSync(path.dirname(paths.stateDir)), String),
  login: logins,
  nonce: nonces,
  profile: profiles,
  'service login': async ({ call }) =>
    plain(
      await call('logins.list'),
      ({ id }) => id,
      ({ clientName, kind }) => clientName ?? kind,
    ),
  snapshot: snapshots,
  tenant: async ({ call }) =>
    plain(
      await call('tenants.list'),
      ({ code }) => code,
      ({ name }) => name,
    ),
  'time zone': async () => plain(Intl.supportedValuesOf('timeZone'), String),
  user: async ({ call }) => plain(await call('users.list'), ({ username }) => username),
  version: async (reader, before) =>
    plain(await reader.call('state.versions', { params: { actorId: await actorOf(reader, before) } }), ({ version }) =>
      String(version),
    ),
  worker: async (reader, before) =>
    plain(
      await reader.call('workers.list', { params: { actorId: await actorOf(reader, before) } }),
      ({ id }) => id,
      ({ status }) => status,
    ),
};

/**
 * True if the word has no special meaning for a shell. Other users choose the names, and completion inserts them into
 * a command line: a name with a space, a quote or a `$` could run as a command.
 * @see docs/conformance/security.md R166
 */
export const isSafe = (word: string): boolean => /^[A-Za-z0-9@][A-Za-z0-9._@:/+-]*$/.test(word);

export const namesOf = async (what: Named, reader: Reader, before: Before): Promise<readonly Candidate[]> =>
  (await readers[what](reader, before)).filter(({ word }) => isSafe(word));
