// The description of an actor in the form that an update sends, and the differences between two descriptions.

import type { Dialect } from '../../contract/dialect.ts';
import { fields } from '../../contract/for-client.ts';
import { usage } from '../../failure.ts';
import { type Description, isRecord, withVariables } from '../../local/project/actor-values.ts';
import { snakeName } from '../../ui/format/names.ts';
import type { Actor } from '../framework/views.ts';
import { canonical } from './actor-flags.ts';
import { variablesOf } from './actor-variables.ts';

/**
 * True if a value equals the service default of its field. Default values are not sent, because sending one could
 * require a role.
 */
export const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === '' ||
  value === 'default' ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/**
 * Fields that an update omits: `force` is not stored, `stateless` and `dialect` cannot change, and an old `state`
 * would overwrite a newer state.
 */
const notSentBack = ['force', 'stateless', 'dialect', 'state'];

/** Fields that an update replaces even if they are missing from the request. */
const replaceable = fields.actorUpdate.filter((field) => !notSentBack.includes(field));

const unsettable = replaceable.filter((field) => field !== 'image' && field !== 'name');

/** The current description of an actor, in the form of an update, because an update replaces all fields. */
export const descriptionOf = (actor: Actor): Description =>
  Object.fromEntries(
    Object.entries(actor).filter(([field, value]) => replaceable.includes(field) && !isDefault(value)),
  );

export interface FixedFields {
  readonly stateless?: boolean;
  readonly dialect?: Dialect;
}

export const fixedFields = ({
  stateless,
  dialect,
}: { readonly [F in keyof FixedFields]: FixedFields[F] | undefined }): FixedFields => ({
  ...(stateless !== undefined && { stateless }),
  ...(dialect !== undefined && { dialect }),
});

/** The first changed field in the file that is fixed once the actor exists. Undefined if there is none. */
export const fixedDifference = (
  { stateless, dialect }: FixedFields,
  actor: Pick<Actor, 'stateless' | 'dialect'>,
): { readonly field: keyof FixedFields; readonly change: string } | undefined => {
  if (stateless !== undefined && stateless !== actor.stateless) {
    return { field: 'stateless', change: actor.stateless ? 'stateless to stateful' : 'stateful to stateless' };
  }
  const { dialect: present = 'modern' } = actor;
  if (dialect === undefined || dialect === present) return undefined;
  return { field: 'dialect', change: `the dialect ${present} to ${dialect}` };
};

/** Names of fields that `create` cannot set, for example from the output of `actors show`. */
export const notSettable = (description: Description): readonly string[] =>
  Object.keys(description).filter((name) => !fields.actorRegistration.includes(name));

/** Names of fields that an update cannot change, for example from a file written for `create`. */
export const notReplaceable = (description: Description): readonly string[] =>
  Object.keys(description).filter((name) => !replaceable.includes(name));

/** The fields with variables. */
export const variableFields: readonly string[] = ['default_environment', 'configEnvironment'];

const membersOf = (description: Description, field: string): Description => {
  const value = description[field];
  return isRecord(value) ? value : {};
};

export const differing = (before: Description, after: Description): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

/** Names of the fields that differ. Each environment variable counts as a field. */
export const changedFields = (before: Description, after: Description): readonly string[] =>
  differing(before, after).flatMap((field) =>
    variableFields.includes(field)
      ? differing(membersOf(before, field), membersOf(after, field)).map((name) => `${snakeName(field)}.${name}`)
      : [snakeName(field)],
  );

/**
 * Applies changes to a description. Variables are merged, other fields replaced. Then the fields and the `env:NAME`
 * variables in `unset` are removed.
 */
export const changeDescription = (before: Description, changes: Description, unset: readonly string[]): Description => {
  const environment: Record<string, unknown> = { ...variablesOf(before), ...variablesOf(changes) };
  const after: Record<string, unknown> = { ...before, ...changes };
  for (const each of unset) {
    const name = each === 'cron' ? 'cronSchedule' : canonical(each);
    const variable = /^env:(.+)$/.exec(name)?.[1];
    if (variable !== undefined) delete environment[variable];
    else if (name === 'env') for (const key of Object.keys(environment)) delete environment[key];
    // If the field is missing, the schedule stays. Only an empty string removes it.
    else if (name.startsWith('cron') && name !== 'cronOn' && replaceable.includes(name)) {
      if (name in before) after[name] = '';
    } else if (unsettable.includes(name)) delete after[name];
    else throw usage(`--unset: "${name}" cannot be unset`, `use env:NAME, env, ${unsettable.join(', ')}`);
  }
  // Without a schedule, the other cron fields have no meaning.
  if (after['cronSchedule'] === '') for (const name of ['cronOn', 'cronTimeZone', 'cronMessage']) delete after[name];
  return withVariables(after, environment);
};
