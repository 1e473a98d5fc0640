// Creates a project file from the state of the service. Applying the file changes nothing.

import { ExactNumber, parseExact } from '../../../contract/exact-json.ts';
import { isRecord, NANO_CPUS } from '../../../local/project/actor-values.ts';
import { sameValue } from '../../../local/project/description.ts';
import { escapeReferences } from '../../../local/project/project-values.ts';
import { descriptionOf } from '../../actors/actor-description.ts';
import { variablesOf } from '../../actors/actor-variables.ts';
import { actorsOf } from '../../configs/configs-view.ts';
import type { Actor } from '../../framework/views.ts';
import type { CurrentActor, CurrentAlias, CurrentConfig } from './current-state.ts';
import type { Permissions } from './desired-state.ts';

/** The objects to export. Every actor has a unique name among them. */
export interface Exportable {
  readonly project: string;
  readonly actors: readonly CurrentActor[];
  readonly aliases: readonly CurrentAlias[];
  readonly configs: readonly CurrentConfig[];
  /** True to write the states of stateful actors, as initial states for copies. */
  readonly withState: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** Largest number of processors in a project file. */
const MOST_CPUS = 9_999;
const LONGEST_KEY = 200;
/** Nesting depth up to which a value is written as YAML. */
const DEEPEST = 40;

const escaped = (value: unknown): unknown => {
  if (typeof value === 'string') return escapeReferences(value);
  if (Array.isArray(value)) return value.map(escaped);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, escaped(each)])) : value;
};

/** The name of an actor in the file: its own name, unless that name is reserved in a project file. */
const keyOf = ({ id, name }: Pick<Actor, 'id' | 'name'>): string =>
  name.length > LONGEST_KEY || /^(?:id|alias):|^(?:__proto__|<<)$/.test(name) ? id : name;

/** The levels of users other than the owner. A user without a level is left out. */
const othersIn = (permissions: Permissions, owner: string): { readonly permissions?: Permissions } => {
  const others = Object.entries(permissions).filter(
    ([user, level]) => level !== 'NONE' && !(user === owner && level === 'UPDATE'),
  );
  return others.length === 0 ? {} : { permissions: Object.fromEntries(others) };
};

const scheduleOf = ({ cronSchedule, cronOn, cronTimeZone, cronMessage }: Actor): Document => {
  if (!cronSchedule) return {};
  if (cronOn && cronTimeZone === undefined && cronMessage === undefined) return { cron: cronSchedule };
  return {
    cron: {
      schedule: cronSchedule,
      ...(cronTimeZone !== undefined && { time_zone: cronTimeZone }),
      ...(cronMessage !== undefined && { message: cronMessage }),
      ...(!cronOn && { on: false }),
    },
  };
};

const entryOf = (
  { actor, permissions }: CurrentActor,
  linkOf: (link: string) => string,
  withState: boolean,
): Document => {
  const described = descriptionOf(actor);
  const same = Object.entries(sameValue).flatMap(([field, wire]) => {
    const value = described[wire];
    return value === undefined || (field === 'type' && value === 'none') ? [] : [[field, value]];
  });
  const cpus = (actor.maxCpus ?? 0) / NANO_CPUS;
  const environment = variablesOf(described);
  return {
    ...(keyOf(actor) !== actor.name && { name: actor.name }),
    image: actor.image,
    ...Object.fromEntries(same),
    ...(!actor.stateless && { stateless: false }),
    ...(actor.dialect !== undefined && { dialect: actor.dialect }),
    ...(withState && !actor.stateless && isRecord(actor.state) && { state: actor.state }),
    ...(cpus > 0 && cpus <= MOST_CPUS && { cpus }),
    ...(Object.keys(environment).length > 0 && { env: environment }),
    ...(actor.link !== '' && { link: linkOf(actor.link) }),
    ...scheduleOf(actor),
    ...othersIn(permissions, actor.owner),
  };
};

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const hasStrangeKey = (text: string): boolean => /"(?:__proto__|<<)"\s*:/.test(text);

/** YAML changes the spelling of exponents. */
const hasExponent = (value: unknown): boolean =>
  typeof value === 'number' || value instanceof ExactNumber
    ? /e/i.test(String(value))
    : typeof value === 'object' && value !== null && Object.values(value).some(hasExponent);

/** The value as YAML if that preserves it exactly, else as JSON text. */
const valueIn = (text: string): Document => {
  if (hasStrangeKey(text)) return { json: text };
  const value = parseExact(text);
  return hasExponent(value) || depthOf(value) > DEEPEST ? { json: text } : { value: escaped(value) };
};

/** The document of a project file. A secret is written as `keep`, because the service does not return its value. */
export const exported = ({ project, actors, aliases, configs, withState }: Exportable): Document => {
  const keys = new Map(actors.map(({ actor }) => [actor.id, keyOf(actor)]));
  const names = new Set(aliases.map(({ alias }) => alias.alias));
  /** Converts an id or alias to a reference of the file. */
  const reference = (text: string): string => {
    const key = keys.get(text);
    if (key !== undefined) return key;
    return names.has(text) || !/^[A-Za-z][A-Za-z0-9]{12}$/.test(text) ? `alias:${text}` : `id:${text}`;
  };
  const section = (name: string, entries: readonly (readonly [string, unknown])[]): Document =>
    entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
  return {
    project,
    ...section(
      'actors',
      actors.map((each) => [keyOf(each.actor), escaped(entryOf(each, reference, withState))]),
    ),
    ...section(
      'aliases',
      aliases.map(({ alias, permissions }) => {
        const actor = escapeReferences(reference(alias.actorId));
        const others = othersIn(permissions, alias.owner);
        return [alias.alias, others.permissions === undefined ? actor : { actor, ...others }];
      }),
    ),
    ...section(
      'configs',
      configs.map(({ config, valueText, permissions }) => [
        config.name,
        {
          ...(config.is_secret ? { secret: 'keep' } : valueIn(valueText)),
          ...(actorsOf(config).length > 0 && {
            actors: actorsOf(config).map((each) => escapeReferences(reference(each))),
          }),
          ...othersIn(permissions, config.owner),
        },
      ]),
    ),
  };
};
