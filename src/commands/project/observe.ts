// Reads the current state of a project from the service, through the public API only.
import type { CommandContext } from '../../context.ts';
import { exactText } from '../../contract/exact-json.ts';
import { CliFailure, usage } from '../../failure.ts';
import { randomName } from '../../local/credentials/crypto.ts';
import { readConfig, readConfigs } from '../configs/config-value.ts';
import { actorsOf, type Config } from '../configs/configs-view.ts';
import { ifFound } from '../framework/if-found.ts';
import type { Actor, Alias } from '../framework/views.ts';
import { type Holder, holdsOf } from './permission-check.ts';
import type { CurrentActor, CurrentAlias, CurrentConfig, CurrentState, SharedConfig } from './plan/current-state.ts';
import type { DesiredActor, DesiredState } from './plan/desired-state.ts';
import { emptyRecord, isProjectRecord, type ProjectRecord, projectOfRecord, recordName } from './plan/record.ts';
import { withKeysOf } from './plan/renamed-actors.ts';

const LENGTH = 16;

const newSalt = (): string => randomName(16);

/** The digest of a text: scrypt with the default costs of Node. */
const digestOf = (text: string, salt: string): Promise<string> =>
  new Promise((resolve, reject) => {
    process
      .getBuiltinModule('node:crypto')
      .scrypt(text, salt, LENGTH, (error, key) => (error ? reject(error) : resolve(key.toString('hex'))));
  });

type Asker = Pick<CommandContext, 'call' | 'prompt' | 'request' | 'output'>;

/** The unchanged JSON text of the value of a config. */
export const textOf = ({ value }: Config): string => exactText(value) ?? 'null';

const recordIn = (config: Config): ProjectRecord | undefined => {
  const value: unknown = JSON.parse(textOf(config));
  return isProjectRecord(value) ? value : undefined;
};

export const recordsIn = (configs: readonly Config[]): ReadonlyMap<string, ProjectRecord> =>
  new Map(
    configs.flatMap((config) => {
      const project = projectOfRecord(config.name);
      const record = project === undefined ? undefined : recordIn(config);
      return project === undefined || record === undefined ? [] : [[project, record] as const];
    }),
  );

/**
 * The only actor with this name that the caller owns and that belongs to no project. @throws CliFailure USAGE if
 * there are several
 */
const byName = (
  { key, name, at }: DesiredActor,
  own: readonly Actor[],
  taken: ReadonlySet<string>,
  preferred: string | undefined,
): Actor | undefined => {
  const named = own.filter((actor) => actor.name === name && !taken.has(actor.id));
  if (named.length < 2) return named[0];
  const chosen = named.find(({ id }) => id === preferred);
  if (chosen !== undefined) return chosen;
  throw usage(
    `${at}: you own ${named.length} actors named "${name}": ${named.map(({ id }) => id).join(', ')}`,
    `give "${key}" an alias that points to the right one, or another name`,
  );
};

const refuseTaken = (kind: string, name: string, project: string): never => {
  throw new CliFailure('ALREADY_EXISTS', `${kind} "${name}" belongs to project "${project}"`, {
    hint: 'give it another name, or remove it from that project first',
    details: { kind, name, project },
  });
};

const findActors = async (
  { call }: Asker,
  wanted: DesiredState,
  record: ProjectRecord,
  look: {
    readonly listed: readonly Actor[];
    readonly aliases: readonly Alias[];
    readonly user: string;
    readonly others: ReadonlySet<string>;
    readonly ownsRecord: boolean;
  },
): Promise<ReadonlyMap<string, Actor>> => {
  const found = new Map<string, Actor>();
  for (const [key, { id }] of Object.entries(record.actors)) {
    const actor =
      look.listed.find((each) => each.id === id) ?? (await ifFound(call('actors.show', { params: { actorId: id } })));
    if (actor !== undefined) found.set(key, actor);
    // For the owner, a missing actor was deleted. For another user, the actor may be unreadable, and that user must
    // not create a second actor.
    else if (!look.ownsRecord)
      throw new CliFailure(
        'FORBIDDEN',
        `actor "${key}" (${id}) of the project does not exist, or you may not read it`,
        {
          hint: 'ask the owner of the project for READ and UPDATE on it',
          details: { actor: key, actor_id: id },
        },
      );
  }
  const taken = new Set([...[...found.values()].map(({ id }) => id), ...look.others]);
  const own = look.listed.filter(({ owner }) => owner === look.user);
  for (const actor of wanted.actors.filter(({ key }) => !found.has(key))) {
    const alias = wanted.aliases.find(({ target }) => target.kind === 'actor' && target.name === actor.key)?.alias;
    const preferred = look.aliases.find((each) => each.alias === alias)?.actorId;
    const named = byName(actor, own, taken, preferred);
    if (named === undefined) continue;
    found.set(actor.key, named);
    taken.add(named.id);
  }
  return found;
};

/** The lists of the service, read before single parts of the project are requested. */
interface Listed {
  readonly wanted: DesiredState;
  readonly record: ProjectRecord;
  readonly actors: readonly Actor[];
  readonly aliases: readonly Alias[];
  readonly configs: readonly Config[];
  /** Records of other projects. */
  readonly others: readonly (readonly [string, ProjectRecord])[];
  readonly holds: ReturnType<typeof holdsOf>;
}

/** True if the project grants other users levels on an object, or has granted some before. */
const isShared = (mentioned: object | undefined, users: readonly string[] | undefined): boolean =>
  Object.keys(mentioned ?? {}).length > 0 || (users?.length ?? 0) > 0;

const currentActors = async ({ wanted, record, holds }: Listed, found: ReadonlyMap<string, Actor>) => {
  const actors = new Map<string, CurrentActor>();
  for (const [key, actor] of found) {
    const asked = wanted.actors.find((each) => each.key === key)?.permissions;
    const thing: Holder = { kind: 'actor', name: actor.id, owner: actor.owner };
    actors.set(key, { actor, ...(await holds(thing, isShared(asked, record.actors[key]?.users))) });
  }
  return actors;
};

const currentAliases = async ({ call }: Asker, { wanted, record, aliases, others, holds }: Listed) => {
  const current = new Map<string, CurrentAlias>();
  for (const name of new Set([...wanted.aliases.map(({ alias }) => alias), ...Object.keys(record.aliases)])) {
    const asked = wanted.aliases.find(({ alias }) => alias === name)?.permissions;
    const alias =
      aliases.find((each) => each.alias === name) ?? (await ifFound(call('aliases.show', { params: { alias: name } })));
    if (alias === undefined) continue;
    const [rival] = others.find(([, each]) => Object.hasOwn(each.aliases, name)) ?? [];
    if (rival !== undefined) refuseTaken('alias', name, rival);
    const thing: Holder = { kind: 'alias', name, owner: alias.owner };
    current.set(name, { alias, ...(await holds(thing, isShared(asked, record.aliases[name]?.users))) });
  }
  return current;
};

const currentConfigs = async (
  { wanted, record, configs, others, holds }: Listed,
  digests: ReadonlyMap<string, string>,
) => {
  const current = new Map<string, CurrentConfig>();
  for (const name of new Set([...wanted.configs.map((each) => each.name), ...Object.keys(record.configs)])) {
    const config = configs.find((each) => each.name === name);
    if (config === undefined) continue;
    const [rival] = others.find(([, each]) => Object.hasOwn(each.configs, name)) ?? [];
    if (rival !== undefined) refuseTaken('config', name, rival);
    const asked = wanted.configs.find((each) => each.name === name)?.permissions;
    const known = record.configs[name];
    const digest = digests.get(name);
    const thing: Holder = { kind: 'config', name, owner: config.owner };
    current.set(name, {
      config,
      valueText: textOf(config),
      sameSecret: digest !== undefined && known?.digest === digest && known.revision === config.revision,
      ...(await holds(thing, isShared(asked, known?.users))),
    });
  }
  return current;
};

/**
 * The configs that are shared with actors of the project. @throws CliFailure NOT_FOUND for a missing config that
 * the file names
 */
const sharedConfigs = async (context: Asker, { wanted, record, configs, holds }: Listed) => {
  const shared = new Map<string, SharedConfig>();
  const asked = new Set(wanted.actors.flatMap(({ shares }) => shares));
  for (const name of new Set([...asked, ...Object.values(record.actors).flatMap(({ shares }) => shares)])) {
    const listed = configs.find((each) => each.name === name);
    if (listed === undefined && !asked.has(name)) continue;
    // Reading the config creates the failure, with a suggested name.
    const config = listed ?? (await readConfig(context, name)).config;
    const thing: Holder = { kind: 'config', name, owner: config.owner };
    shared.set(name, { actors: actorsOf(config), ...(await holds(thing, false)) });
  }
  return shared;
};

const digestsOf = async (wanted: DesiredState, salt: string): Promise<ReadonlyMap<string, string>> => {
  const digests = new Map<string, string>();
  for (const { name, value } of wanted.configs)
    if (value !== 'keep' && value.secret) digests.set(name, await digestOf(value.text, salt));
  return digests;
};

/** @throws CliFailure ALREADY_EXISTS for an object of another project, USAGE for an ambiguous name */
export const observe = async (context: Asker, wanted: DesiredState): Promise<CurrentState> => {
  const { call } = context;
  const { username: user } = await call('profiles.me');
  const configs = await readConfigs(context);
  const actors = await call('actors.list');
  const aliases = await call('aliases.list');
  const own = configs.find(({ name }) => name === recordName(wanted.project));
  const written = own && recordIn(own);
  if (own !== undefined && written === undefined)
    throw new CliFailure('DAEMON_VERSION', `config "${own.name}" is not a project record that this actorctl can read`, {
      hint: `actorctl configs show ${own.name}`,
    });
  const names = new Map(actors.map(({ id, name }) => [id, name]));
  const record = withKeysOf(written ?? emptyRecord(newSalt()), wanted.actors, names);
  const others = [...recordsIn(configs)].filter(([project]) => project !== wanted.project);
  const listed: Listed = { wanted, record, actors, aliases, configs, others, holds: holdsOf(context, user) };
  const found = await findActors(context, wanted, record, {
    listed: actors,
    aliases,
    user,
    others: new Set(others.flatMap(([, each]) => Object.values(each.actors).map(({ id }) => id))),
    ownsRecord: own === undefined || own.owner === user,
  });
  const digests = await digestsOf(wanted, record.salt);
  return {
    record,
    ...(own !== undefined && { revision: own.revision, owner: own.owner, recordedAt: own.lastUpdateTime }),
    actors: await currentActors(listed, found),
    aliases: await currentAliases(context, listed),
    configs: await currentConfigs(listed, digests),
    user,
    names: new Map([
      ...actors.map(({ id, name }) => [id, name || id] as const),
      ...[...found].map(([key, { id }]) => [id, key] as const),
    ]),
    digests,
    shared: await sharedConfigs(context, listed),
  };
};
