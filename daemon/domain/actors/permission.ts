// Permissions: levels on actors, aliases and configs, and the roles that some fields of an actor require.

import { WORLD } from '../../../src/contract/actors/permissions.ts';
import { type Level, levels } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { Failure } from '../failure.ts';
import { isFolderImage } from './image-reference.ts';

/** Level by username; the name `ABACO_WORLD` means every user. */
export type Permissions = Readonly<Record<string, Level>>;

/** The order of levels: NONE < READ < EXECUTE < UPDATE. */
export const includesLevel = (has: Level, needed: Level): boolean => levels.indexOf(has) >= levels.indexOf(needed);

const entryOf = (permissions: Permissions, username: string): Level =>
  Object.hasOwn(permissions, username) ? (permissions[username] ?? 'NONE') : 'NONE';

/**
 * The higher of the user's own level and the level of ABACO_WORLD; NONE without either entry. Roles are not considered.
 */
export const effectiveLevel = (permissions: Permissions, username: string): Level => {
  const own = entryOf(permissions, username);
  const world = entryOf(permissions, WORLD);
  return includesLevel(own, world) ? own : world;
};

/** True if these roles pass the permission checks of actors and aliases. Configs always require an entry. */
export const passesChecks = (roles: readonly Role[]): boolean => roles.includes('admin');

const privilegedFields = [
  'privileged',
  'maxWorkers',
  'memLimit',
  'maxCpus',
  'placement',
  'queue',
  'useContainerUid',
] as const;

type PrivilegedField = (typeof privilegedFields)[number];

const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** A value as text for comparison. The order of object members does not matter. */
const textOf = (value: unknown): string =>
  JSON.stringify(typeof value === 'object' && value !== null ? Object.entries(value).toSorted() : value);

/** True if a request leaves a field as it is. All values that count as not set are equal. */
const isSame = (asked: unknown, has: unknown): boolean =>
  isSet(asked) || isSet(has) ? textOf(asked) === textOf(has) : true;

const hasPrivilegedRole = (roles: readonly Role[]): boolean => roles.includes('admin') || roles.includes('privileged');

/**
 * Wire names of the fields in a registration or update that the sender's roles do not allow. Empty if all are allowed.
 * An absent field is always allowed, and so is a value that the actor already has.
 * @see docs/http-api.md#actors
 * @param has the actor before an update; for a registration nothing, so that false and empty values are allowed
 */
export const fieldsBeyondRoles = (
  input: Readonly<Partial<Record<PrivilegedField, unknown>>>,
  roles: readonly Role[],
  has: Readonly<Partial<Record<PrivilegedField, unknown>>> = {},
): readonly PrivilegedField[] =>
  hasPrivilegedRole(roles)
    ? []
    : privilegedFields.filter((field) => input[field] !== undefined && !isSame(input[field], has[field]));

/** True if the image needs a role that the sender lacks: a folder image runs on this machine without a container. */
export const isImageBeyondRoles = (image: string, roles: readonly Role[]): boolean =>
  isFolderImage(image) && !roles.includes('admin');

/**
 * True if these roles may decide which code an actor runs. Code in a folder image or in a privileged container controls
 * this machine, so a permission level on the actor is not enough.
 * @see docs/http-api.md#actors
 */
export const mayChooseCode = (
  { image, privileged }: { readonly image: string; readonly privileged: boolean },
  roles: readonly Role[],
): boolean => !isImageBeyondRoles(image, roles) && fieldsBeyondRoles({ privileged }, roles).length === 0;

const codeFields = ['image', 'default_environment', 'configEnvironment', 'senderVariables'] as const;
/** Fields of an actor that decide which code it runs, besides `privileged`. */
type CodeFields = Readonly<Record<(typeof codeFields)[number], unknown>> & { readonly image: string };

export type Before = Readonly<Partial<Record<PrivilegedField, unknown>>> & CodeFields;

/**
 * Wire names of the fields with which an update chooses the code of an actor that controls this machine, if the
 * sender's roles do not allow that. Empty if everything is allowed, or if the code stays the same.
 */
export const codeBeyondRoles = (
  after: CodeFields & { readonly privileged: boolean },
  before: CodeFields,
  roles: readonly Role[],
): readonly string[] =>
  mayChooseCode(after, roles) ? [] : codeFields.filter((field) => !isSame(after[field], before[field]));

/**
 * Completes an update: each omitted field that needs a role which the sender lacks gets the actor's current value. On
 * an actor whose code controls this machine, these fields include its environment.
 * @see docs/http-api.md#actors
 */
export const withKeptFields = <Input extends Partial<Before> & { readonly image: string }>(
  input: Input,
  before: Before,
  roles: readonly Role[],
): Input => {
  const kept = (fields: readonly (keyof Before)[]) =>
    Object.fromEntries(
      fields
        .filter((field) => input[field] === undefined && before[field] !== undefined)
        .map((field) => [field, before[field]]),
    );
  const own: Input = { ...input, ...(hasPrivilegedRole(roles) ? {} : kept(privilegedFields)) };
  const { image, privileged } = own;
  return mayChooseCode({ image, privileged: privileged === true }, roles) ? own : { ...own, ...kept(codeFields) };
};

export type UserExists = (username: string) => boolean;

const isUpdatable = (permissions: Permissions, userExists: UserExists): boolean =>
  Object.entries(permissions).some(([name, level]) => level === 'UPDATE' && (name === WORLD || userExists(name)));

/**
 * Sets the level of a user. NONE leaves an entry with that level. Returns the same object if nothing changes.
 * @throws Failure LAST_HOLDER when nobody would hold UPDATE any more
 * @see docs/http-api.md#permissions
 */
export const withLevel = (
  permissions: Permissions,
  username: string,
  level: Level,
  userExists: UserExists,
): Permissions => {
  if (Object.hasOwn(permissions, username) && permissions[username] === level) return permissions;
  const changed = { ...permissions, [username]: level };
  if (entryOf(permissions, username) === 'UPDATE' && !isUpdatable(changed, userExists)) {
    throw new Failure(
      'LAST_HOLDER',
      `User "${username}" is the last holder of UPDATE; without UPDATE nobody could change the permissions. Give UPDATE to another user first.`,
      { user: username },
    );
  }
  return changed;
};

/**
 * Removes a user's entry. If no holder of UPDATE remains, `keeper` gets UPDATE. Returns the same object if there was no
 * entry.
 */
export const withoutEntry = (
  permissions: Permissions,
  username: string,
  keeper: string,
  userExists: UserExists,
): Permissions => {
  if (!Object.hasOwn(permissions, username)) return permissions;
  const left = Object.fromEntries(Object.entries(permissions).filter(([name]) => name !== username));
  return isUpdatable(left, userExists) ? left : { ...left, [keeper]: 'UPDATE' };
};

export interface CheckedUser {
  readonly username: string;
  /** Roles of an existing user. Undefined if the user does not exist. ABACO_WORLD has no roles. */
  readonly roles: readonly Role[] | undefined;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly has: Level;
  readonly needs: Level;
  readonly by: 'entry' | 'world' | 'role' | 'nothing' | 'nobody';
}

/**
 * Explains whether a user has a level on an object, by the same rules as requests.
 * @param rolesCount false for a config, which requires an entry whatever the roles
 */
export const checkPermission = (
  permissions: Permissions,
  { username, roles }: CheckedUser,
  needs: Level,
  rolesCount: boolean,
): Verdict => {
  const verdict = (has: Level, by: Verdict['by']): Verdict => ({ allowed: includesLevel(has, needs), has, needs, by });
  if (roles === undefined && username !== WORLD) return { ...verdict('NONE', 'nobody'), allowed: false };
  if (rolesCount && passesChecks(roles ?? [])) return verdict('UPDATE', 'role');
  const has = effectiveLevel(permissions, username);
  if (has === 'NONE') return verdict(has, 'nothing');
  return verdict(has, entryOf(permissions, username) === has ? 'entry' : 'world');
};

export const explainVerdict = (username: string, thing: string, { allowed, has, needs, by }: Verdict): string => {
  const reason = {
    entry: `${username} has ${has} on ${thing}`,
    world: `everybody has ${has} on ${thing} (${WORLD})`,
    role: `${username} has the role admin, which passes every check of actors and aliases`,
    nothing: `${username} has no permission on ${thing}`,
    nobody: `there is no user "${username}"`,
  }[by];
  return allowed ? `${reason}.` : `${reason}; ${needs} is needed.`;
};
