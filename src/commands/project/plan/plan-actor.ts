// Plans the changes that apply makes to an actor of a project.

import { usage } from '../../../failure.ts';
import { type Description, isRecord } from '../../../local/project/actor-values.ts';
import { sameValue } from '../../../local/project/description.ts';
import { descriptionOf, differing, fixedDifference, variableFields } from '../../actors/actor-description.ts';
import { variablesOf } from '../../actors/actor-variables.ts';
import type { Actor } from '../../framework/views.ts';
import type { CurrentState } from './current-state.ts';
import { replaceDescribed } from './described.ts';
import type { BuiltNow, DesiredActor, Target, Thing } from './desired-state.ts';
import { planGrants } from './plan-grants.ts';
import type { BuiltRecord } from './record.ts';
import type { Change, Step, Task } from './tasks.ts';

/** Placeholder for the id of an actor that does not exist yet. It cannot equal an id or alias. */
const PENDING = 'new:';

export const textOf = (target: Target, { actors }: CurrentState): string | undefined =>
  target.kind === 'actor' ? actors.get(target.name)?.actor.id : target.name;

/** Field names in the file, by field name of the service. */
const fileNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(sameValue).map(([field, wire]) => [wire, field])),
  maxCpus: 'cpus',
  cronSchedule: 'cron',
  cronTimeZone: 'cron.time_zone',
  cronMessage: 'cron.message',
  cronOn: 'cron.on',
};

const LONGEST = 60;

const formatValue = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  // A reference to a config.
  if (isRecord(value) && 'config' in value)
    return `@config:${value['config']}${value['path'] === undefined ? '' : `#${value['path']}`}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
};

/** The changed fields, with one entry per variable, and actor names in place of ids. */
const changesBetween = (
  before: Description,
  after: Description,
  nameOf: (text: string) => string,
): readonly Change[] => {
  const change = (field: string, from: unknown, to: unknown): Change => {
    const [old, fresh] = [formatValue(from), formatValue(to)];
    return { field, ...(old !== undefined && { before: old }), ...(fresh !== undefined && { after: fresh }) };
  };
  const named = (value: unknown): unknown => (typeof value === 'string' ? nameOf(value) : value);
  const [old, fresh] = [variablesOf(before), variablesOf(after)];
  return [
    ...differing(old, fresh).map((name) => change(`env.${name}`, old[name], fresh[name])),
    ...differing(before, after).flatMap((field) => {
      if (field === 'link') return [change('link', named(before['link']), named(after['link']))];
      if (variableFields.includes(field)) return [];
      return [change(fileNames[field] ?? field, before[field], after[field] === '' ? undefined : after[field])];
    }),
  ];
};

const refuseOtherKind = ({ at, key, fixed }: DesiredActor, actor: Actor) => {
  const other = fixedDifference(fixed, actor);
  if (other === undefined) return;
  throw usage(
    `${at}: cannot change actor "${key}" (${actor.id}) from ${other.change}`,
    `change "${other.field}" back, or give the actor another name`,
  );
};

/**
 * The configs outside the project that are newly shared with the actor, and those no longer shared because the file
 * dropped them.
 */
const planShares = (
  wanted: DesiredActor,
  present: CurrentState,
  id: string | undefined,
): readonly (Task & { readonly config: string })[] => {
  const has = (config: string): boolean =>
    id !== undefined && (present.shared.get(config)?.actors.includes(id) ?? false);
  const before = present.record.actors[wanted.key]?.shares ?? [];
  return [
    ...wanted.shares
      .filter((config) => !has(config))
      .map((config) => ({ do: 'share', config, key: wanted.key }) as const),
    ...before
      // A config of the project has its own list of actors.
      .filter((config) => !wanted.shares.includes(config) && !present.configs.has(config) && has(config))
      .map((config) => ({ do: 'unshare', config, key: wanted.key }) as const),
  ];
};

/**
 * True if the actor does not use the new image content yet. The recorded image id shows this on the machine that
 * built the image, even after an apply that failed between build and update.
 */
const isRenewed = (built: BuiltNow | undefined, last: BuiltRecord | undefined): boolean =>
  built !== undefined && (last?.host === built.host ? last.id !== built.id : built.isNew);

/**
 * The image in the record after the step. An image built on another machine stays in the record until there is new
 * content.
 */
const recordedImage = (built: BuiltNow | undefined, last: BuiltRecord | undefined): BuiltRecord | undefined =>
  built === undefined || (last !== undefined && !isRenewed(built, last)) ? last : { id: built.id, host: built.host };

/**
 * Compares an actor with the file, field by field. Fields that the file does not mention stay, unless an earlier
 * version of the file mentioned them.
 */
export const planActor = (wanted: DesiredActor, present: CurrentState, built: BuiltNow | undefined): Step => {
  const { key, name, link, description } = wanted;
  const thing: Thing = { kind: 'actor', name: key };
  const found = present.actors.get(key);
  const recorded = present.record.actors[key];
  const renewed = isRenewed(built, recorded?.built);
  const image = recordedImage(built, recorded?.built);
  if (found !== undefined) refuseOtherKind(wanted, found.actor);
  const before = found === undefined ? {} : descriptionOf(found.actor);
  const fields = [...Object.keys(description), ...(link === undefined ? [] : ['link'])];
  const dropped = (recorded?.fields ?? []).filter((field) => !fields.includes(field) && field !== 'image');
  const to =
    link === undefined ? undefined : link === 'none' ? '' : (textOf(link, present) ?? `${PENDING}${link.name}`);
  const after = replaceDescribed(before, { ...description, name, ...(to !== undefined && { link: to }) }, dropped);
  const nameOf = (text: string): string =>
    text.startsWith(PENDING) ? text.slice(PENDING.length) : (present.names.get(text) ?? text);
  const fieldChanges = found === undefined ? [] : changesBetween(before, after, nameOf);
  const grants = planGrants(
    thing,
    wanted.permissions,
    recorded?.users ?? [],
    found?.permissions ?? {},
    found?.actor.owner ?? present.user,
  );
  const shares = planShares(wanted, present, found?.actor.id);
  const { link: _link, ...body } = after;
  const linked = link === undefined || link === 'none' ? { body: link === 'none' ? body : after } : { body, link };
  const main: readonly Task[] =
    found === undefined
      ? [
          {
            do: 'create-actor',
            key,
            ...linked,
            body: {
              ...linked.body,
              name,
              ...wanted.fixed,
              ...(wanted.state !== undefined && { state: wanted.state }),
            },
          },
        ]
      : fieldChanges.length > 0 || renewed
        ? [
            {
              do: 'update-actor',
              key,
              version: found.actor.version,
              ...linked,
              body: { ...linked.body, ...(renewed && { force: true }) },
            },
          ]
        : [];
  const tasks = [...main, ...grants.tasks, ...shares];
  return {
    ...thing,
    ...(found !== undefined && { id: found.actor.id }),
    action: found === undefined ? 'create' : tasks.length > 0 ? 'update' : 'unchanged',
    changes: [
      ...fieldChanges,
      ...(renewed && found !== undefined ? [{ field: 'image content' }] : []),
      ...grants.changes,
      ...shares.map(({ do: what, config }) =>
        what === 'share' ? { field: 'configs', after: config } : { field: 'configs', before: config },
      ),
    ],
    tasks,
    recorded: {
      actor: { fields, users: grants.users, shares: wanted.shares, ...(image !== undefined && { built: image }) },
    },
  };
};
