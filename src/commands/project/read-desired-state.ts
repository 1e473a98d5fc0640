// Computes the desired state from a project file, including the folders, env files and secrets that it names.

import type { CommandContext } from '../../context.ts';
import { ExactNumber, exactText } from '../../contract/exact-json.ts';
import { CONFIG_VALUE_LIMIT } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { descriptionIn } from '../../local/project/description.ts';
import { readEnvFile } from '../../local/project/env-file.ts';
import { wholeReference } from '../../local/project/image-name.ts';
import { insideFolder } from '../../local/project/inside.ts';
import { type Project, readProject, settle } from '../../local/project/project.ts';
import type { WholeDocument } from '../../local/project/project-document.ts';
import { variableOf } from '../../local/project/project-values.ts';
import { requireFolderFile } from '../../local/small-file.ts';
import { fixedFields } from '../actors/actor-description.ts';
import { bareName, configsIn } from './plan/described.ts';
import type * as plan from './plan/desired-state.ts';
import { projectOfRecord } from './plan/record.ts';
import type { ProjectFile } from './project-file.ts';

/** Largest env file, in bytes. */
const ENV_LIMIT = 1024 * 1024;

type Reader = Pick<CommandContext, 'user'>;
type ConfigEntry = NonNullable<WholeDocument['configs']>[string];

export interface ReadProject {
  readonly wanted: plan.DesiredState;
  /** The sources of the actors, by their names in the file. */
  readonly sources: ReadonlyMap<string, Project>;
}

/** Returns the function that resolves a reference in a project file: `NAME`, `alias:NAME` or `id:ID`. */
const targetsIn = (actors: ReadonlySet<string>, aliases: ReadonlySet<string>) => {
  return (reference: string): plan.Target => {
    const [, kind, name = ''] = /^(id|alias):(.*)$/s.exec(reference) ?? [];
    if (kind === 'alias') return aliases.has(name) ? { kind, name } : { kind: 'outside', name: reference };
    if (kind === 'id') return { kind: 'outside', name: reference };
    if (actors.has(reference)) return { kind: 'actor', name: reference };
    return { kind: aliases.has(reference) ? 'alias' : 'outside', name: reference };
  };
};

const isReference = (value: unknown): value is string => typeof value === 'string' && /^(?:env|file):/.test(value);

/** The text of a file that a project names. @throws CliFailure that begins with the place in the project file */
const textOf = (where: string, file: string, limit: number): string => {
  try {
    return requireFolderFile(file, limit).toString('utf8');
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const { hint = 'file names are relative to the project file' } = error.extras;
    throw new CliFailure(error.code, `${where}: ${error.message}`, { ...error.extras, hint, cause: error });
  }
};

/** Fills in the secrets of a value. Messages never quote a value. */
const readSecret = async (
  { user }: Reader,
  { folder, allowOutside }: { readonly folder: string; readonly allowOutside: boolean },
  where: string,
  value: unknown,
): Promise<unknown> => {
  if (isReference(value)) {
    const name = value.slice(value.indexOf(':') + 1);
    const given = value.startsWith('env:')
      ? variableOf(user.env, name, where, 'set this variable: it contains the value of a secret')
      : textOf(where, await insideFolder({ folder, allowOutside }, name, `${where}: file`), CONFIG_VALUE_LIMIT);
    // Editors add a line break at the end of a file. It is not part of the value.
    const secret = value.startsWith('env:') ? given : given.replace(/\r?\n$/, '');
    // Most often a variable that CI did not fill, or a file that a program failed to write.
    if (secret === '') throw usage(`${where}: ${value} is empty`, 'it must contain the value of a secret');
    return secret;
  }
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value))
    return Promise.all(value.map((each) => readSecret({ user }, { folder, allowOutside }, where, each)));
  const members: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value))
    members.push([name, await readSecret({ user }, { folder, allowOutside }, where, each)]);
  return Object.fromEntries(members);
};

const hasReference = (value: unknown): boolean =>
  isReference(value) || (typeof value === 'object' && value !== null && Object.values(value).some(hasReference));

const readConfigValue = async (
  context: Reader,
  { folder, text }: ProjectFile,
  allowOutside: boolean,
  name: string,
  entry: ConfigEntry,
): Promise<plan.DesiredValue> => {
  const at = (field: string): string => text.at(['configs', name, field]);
  const given = (['value', 'json', 'secret'] as const).filter((field) => Object.hasOwn(entry, field));
  if (given.length !== 1)
    throw usage(`${text.at(['configs', name])}: configs.${name} needs exactly one of value, json and secret`);
  if (entry.json !== undefined) {
    try {
      JSON.parse(entry.json);
    } catch {
      throw usage(`${at('json')}: configs.${name}.json is not JSON`);
    }
    return { secret: false, text: entry.json.trim() };
  }
  if (given[0] === 'value') return { secret: false, text: exactText(entry.value) ?? 'null' };
  if (entry.secret === 'keep') return 'keep';
  const where = at('secret');
  if (!hasReference(entry.secret))
    throw usage(
      `${where}: the file must not contain the value of a secret`,
      'write secret: env:NAME or secret: file:PATH',
    );
  return {
    secret: true,
    text: exactText(await readSecret(context, { folder, allowOutside }, where, entry.secret)) ?? 'null',
  };
};

export const readWanted = async (
  context: Reader,
  file: ProjectFile,
  { allowOutside }: { readonly allowOutside: boolean },
): Promise<ReadProject> => {
  const { folder, document, text, isFolder } = file;
  const { project, actors = {}, aliases = {}, configs = {} } = document;
  const sources = new Map<string, Project>();
  const options = { allowOutside, ...(!isFolder && { project }) };
  for (const [key, entry] of Object.entries(actors)) {
    const at = text.at(['actors', key]);
    if (typeof entry === 'string') {
      const inner = await insideFolder({ folder, allowOutside }, entry, `${at}: the folder of actor`);
      sources.set(key, await readProject(inner, options));
    } else sources.set(key, await settle(entry, { folder, label: `${at}: actors.${key}`, name: key, ...options }));
  }
  refuseSharedBuilds(sources, text);
  const ownAliases = [...sources].flatMap(([key, { document: said }]) =>
    said.alias === undefined ? [] : [[said.alias.replace(/^alias:/, ''), key] as const],
  );
  const holders = new Map<string, string>();
  for (const [alias, key] of ownAliases) {
    const twin = holders.get(alias);
    if (twin !== undefined)
      throw usage(`${text.at(['actors', key, 'alias'])}: actors "${twin}" and "${key}" have the same alias "${alias}"`);
    holders.set(alias, key);
  }
  const targetOf = targetsIn(
    new Set(sources.keys()),
    new Set([...Object.keys(aliases), ...ownAliases.map(([alias]) => alias)]),
  );
  const names = new Map<string, string>();
  const wantedActors: plan.DesiredActor[] = [];
  for (const [key, source] of sources) {
    const at = text.atKey(['actors', key]);
    const said = source.document;
    const name = said.name ?? key;
    const twin = names.get(name);
    if (twin !== undefined) throw usage(`${at}: actors "${twin}" and "${key}" have the same name "${name}"`);
    names.set(name, key);
    for (const config of configsIn(said)) refuseRecord(config, at);
    const variables =
      source.envFile === undefined ? undefined : readEnvFile(textOf(at, source.envFile, ENV_LIMIT), source.envFile);
    wantedActors.push({
      key,
      name,
      at,
      description: descriptionIn(source, variables),
      permissions: said.permissions ?? {},
      shares: configsIn(said).filter((config) => !Object.hasOwn(configs, config)),
      fixed: fixedFields(said),
      ...(said.state !== undefined && { state: said.state }),
      ...(said.link !== undefined && { link: said.link === '' ? ('none' as const) : targetOf(said.link) }),
    });
  }
  const wantedAliases: plan.DesiredAlias[] = ownAliases.map(([alias, key]) => ({
    alias,
    target: { kind: 'actor', name: key },
    permissions: {},
    at: text.at(['actors', key, 'alias']),
  }));
  for (const [alias, entry] of Object.entries(aliases)) {
    const at = text.atKey(['aliases', alias]);
    const { actor, permissions = {} } = typeof entry === 'string' ? { actor: entry } : entry;
    if (holders.has(alias)) throw usage(`${at}: alias "${alias}" appears twice`);
    const target = targetOf(actor);
    if (target.kind === 'alias') throw usage(`${at}: alias "${alias}" names another alias`, 'use the name of an actor');
    wantedAliases.push({ alias, target, permissions, at });
  }
  const usersOf = new Map<string, string[]>();
  for (const [key, source] of sources)
    for (const name of configsIn(source.document)) {
      const users = usersOf.get(name) ?? [];
      usersOf.set(name, users);
      users.push(key);
    }
  const wantedConfigs: plan.DesiredConfig[] = [];
  for (const [name, entry] of Object.entries(configs)) {
    refuseRecord(name, text.atKey(['configs', name]));
    const users = usersOf.get(name) ?? [];
    wantedConfigs.push({
      name,
      value: await readConfigValue(context, file, allowOutside, name, entry),
      actors: distinct([...(entry.actors ?? []), ...users].map(targetOf)),
      permissions: entry.permissions ?? {},
      at: text.atKey(['configs', name]),
    });
  }
  return { wanted: { project, actors: wantedActors, aliases: wantedAliases, configs: wantedConfigs }, sources };
};

/** @throws CliFailure USAGE if two actors build different images under one name: both would run the last built image */
const refuseSharedBuilds = (sources: ReadonlyMap<string, Project>, text: ProjectFile['text']): void => {
  const builders = new Map<string, { readonly key: string; readonly how: string }>();
  for (const [key, { build, image, source }] of sources) {
    if (build === undefined) continue;
    const how = JSON.stringify([build, source]);
    const first = builders.get(wholeReference(image)) ?? { key, how };
    builders.set(wholeReference(image), first);
    if (first.how === how) continue;
    throw usage(
      `${text.atKey(['actors', key])}: actors "${first.key}" and "${key}" build different images under the name ${image}`,
      'give one of them another image',
    );
  }
};

/** @throws CliFailure USAGE for the record of a project, which only apply may write */
const refuseRecord = (config: string, at: string): void => {
  if (projectOfRecord(config) === undefined) return;
  throw usage(`${at}: config "${config}" is the record of a project`, 'a project file cannot write or share it');
};

const distinct = (targets: readonly plan.Target[]): readonly plan.Target[] => [
  ...new Map(targets.map((target) => [`${target.kind} ${bareName(target.name)}`, target])).values(),
];
