// Looks at what the service has of a project. Reads only, through the public API.
import type { CommandContext } from '../../context.ts';
import { CliFailure, usage } from '../../failure.ts';
import { randomName } from '../../local/credentials/crypto.ts';
import { keptText } from '../../ui/format/json-text.ts';
import { sharedNames } from '../configs/config-actors.ts';
import { readConfig, readConfigs } from '../configs/config-value.ts';
import { actorsOf, type Config } from '../configs/configs-view.ts';
import { ifFound } from '../framework/if-found.ts';
import { resolveActor } from '../framework/resolve-actor.ts';
import type { Actor, Alias } from '../framework/views.ts';
import { type Holder, holdsOf } from './permission-check.ts';
import type { CurrentActor, CurrentAlias, CurrentConfig, CurrentState, SharedConfig } from './plan/current-state.ts';
import type { DesiredActor, DesiredState, Target } from './plan/desired-state.ts';
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
export const textOf = ({ value }: Config): string => keptText(value) ?? 'null';

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

/** The only actor with the name that the caller owns and no project has. @throws CliFailure USAGE if there are several */
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

/** Ids and aliases for the actors outside the project that the file names. @throws CliFailure NOT_FOUND with the place */
export const settleTargets = async (context: Asker, wanted: DesiredState): Promise<DesiredState> => {
  const settled = async <T extends Target | 'none' | undefined>(target: T, at: string, asId = false): Promise<T> => {
    if (target === undefined || target === 'none' || target.kind !== 'outside') return target;
    try {
      const [name = target.name] = asId
        ? [(await resolveActor(context, target.name)).id]
        : await sharedNames(context, [target.name]);
      return { kind: 'outside', name } as T;
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      throw new CliFailure(error.code, `${at}: ${error.message}`, { ...error.extras, cause: error });
    }
  };
  const actors: DesiredState['actors'][number][] = [];
  for (const { link, ...actor } of wanted.actors)
    actors.push(link === undefined ? actor : { ...actor, link: await settled(link, actor.at) });
  const aliases: DesiredState['aliases'][number][] = [];
  for (const alias of wanted.aliases) aliases.push({ ...alias, target: await settled(alias.target, alias.at, true) });
  const configs: DesiredState['configs'][number][] = [];
  for (const config of wanted.configs) {
    const targets: Target[] = [];
    for (const target of config.actors) targets.push(await settled(target, config.at));
    configs.push({ ...config, actors: targets });
  }
  return { ...wanted, actors, aliases, configs };
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
    // For its maker an actor that is not there was deleted. Others may just not see it, and must not make a second one.
    else if (!look.ownsRecord)
      throw new CliFailure('FORBIDDEN', `actor "${key}" (${id}) of the project is not there, or you may not read it`, {
        hint: 'ask the owner of the project for READ and UPDATE on it',
        details: { actor: key, actor_id: id },
      });
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

/** @throws CliFailure ALREADY_EXISTS for what belongs to another project, USAGE for an ambiguous name */
export const observe = async (context: Asker, wanted: DesiredState): Promise<CurrentState> => {
  const { call } = context;
  const { username: user } = await call('profiles.me');
  const [configs, listed, aliases] = [
    await readConfigs(context),
    await call('actors.list'),
    await call('aliases.list'),
  ];
  const own = configs.find(({ name }) => name === recordName(wanted.project));
  const written = own === undefined ? undefined : recordIn(own);
  if (own !== undefined && written === undefined)
    throw new CliFailure(
      'DAEMON_VERSION',
      `config "${own.name}" is not a record of a project that this actorctl reads`,
      {
        hint: `actorctl configs show ${own.name}`,
      },
    );
  const record = withKeysOf(
    written ?? emptyRecord(newSalt()),
    wanted.actors,
    new Map(listed.map(({ id, name }) => [id, name])),
  );
  const others = [...recordsIn(configs)].filter(([project]) => project !== wanted.project);
  const otherIds = new Set(others.flatMap(([, each]) => Object.values(each.actors).map(({ id }) => id)));
  const holds = holdsOf(context, user);

  const found = await findActors(context, wanted, record, {
    listed,
    aliases,
    user,
    others: otherIds,
    ownsRecord: own === undefined || own.owner === user,
  });
  const needs = (mentioned: object | undefined, users: readonly string[] | undefined): boolean =>
    Object.keys(mentioned ?? {}).length > 0 || (users?.length ?? 0) > 0;
  const hold = (thing: Holder, mentioned: object | undefined, users: readonly string[] | undefined) =>
    holds(thing, needs(mentioned, users));

  const presentActors = new Map<string, CurrentActor>();
  for (const [key, actor] of found) {
    const asked = wanted.actors.find((each) => each.key === key)?.permissions;
    const thing: Holder = { kind: 'actor', name: actor.id, owner: actor.owner };
    presentActors.set(key, { actor, ...(await hold(thing, asked, record.actors[key]?.users)) });
  }
  const presentAliases = new Map<string, CurrentAlias>();
  for (const name of new Set([...wanted.aliases.map(({ alias }) => alias), ...Object.keys(record.aliases)])) {
    const asked = wanted.aliases.find(({ alias }) => alias === name)?.permissions;
    const alias =
      aliases.find((each) => each.alias === name) ?? (await ifFound(call('aliases.show', { params: { alias: name } })));
    if (alias === undefined) continue;
    const [rival] = others.find(([, each]) => Object.hasOwn(each.aliases, name)) ?? [];
    if (rival !== undefined) refuseTaken('alias', name, rival);
    const thing: Holder = { kind: 'alias', name, owner: alias.owner };
    presentAliases.set(name, { alias, ...(await hold(thing, asked, record.aliases[name]?.users)) });
  }
  const digests = new Map<string, string>();
  for (const { name, value } of wanted.configs)
    if (value !== 'keep' && value.secret) digests.set(name, await digestOf(value.text, record.salt));
  const presentConfigs = new Map<string, CurrentConfig>();
  for (const name of new Set([...wanted.configs.map((each) => each.name), ...Object.keys(record.configs)])) {
    const config = configs.find((each) => each.name === name);
    if (config === undefined) continue;
    const [rival] = others.find(([, each]) => Object.hasOwn(each.configs, name)) ?? [];
    if (rival !== undefined) refuseTaken('config', name, rival);
    const asked = wanted.configs.find((each) => each.name === name)?.permissions;
    const known = record.configs[name];
    const digest = digests.get(name);
    presentConfigs.set(name, {
      config,
      valueText: textOf(config),
      sameSecret: digest !== undefined && known?.digest === digest && known.revision === config.revision,
      ...(await hold({ kind: 'config', name, owner: config.owner }, asked, known?.users)),
    });
  }
  const shared = new Map<string, SharedConfig>();
  const given = [
    ...wanted.actors.flatMap(({ shares }) => shares),
    ...Object.values(record.actors).flatMap(({ shares }) => shares),
  ];
  for (const name of new Set(given)) {
    const listedConfig = configs.find((each) => each.name === name);
    const isAsked = wanted.actors.some(({ shares }) => shares.includes(name));
    if (listedConfig === undefined && !isAsked) continue;
    // Reading it words the failure, with the nearest name.
    const config = listedConfig ?? (await readConfig(context, name)).config;
    shared.set(name, {
      actors: actorsOf(config),
      ...(await holds({ kind: 'config', name, owner: config.owner }, false)),
    });
  }
  const names = new Map(listed.map(({ id, name }) => [id, name || id]));
  for (const [key, { id }] of found) names.set(id, key);
  return {
    record,
    ...(own !== undefined && { revision: own.revision, owner: own.owner, recordedAt: own.lastUpdateTime }),
    actors: presentActors,
    aliases: presentAliases,
    configs: presentConfigs,
    user,
    names,
    digests,
    shared,
  };
};
