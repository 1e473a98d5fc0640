// Who may do what: levels of permission on an object, and the roles that a few fields of an actor need.

import { WORLD } from '../../../src/contract/actors/permissions.ts';
import { type Level, levels } from '../../../src/contract/operation.ts';
import type { Role } from '../../../src/contract/people/users.ts';
import { Failure } from '../failure.ts';

/** username (or `ABACO_WORLD`) → level. */
export type Permissions = Readonly<Record<string, Level>>;

/** Whether a level includes another: NONE < READ < EXECUTE < UPDATE. */
export const includesLevel = (has: Level, needed: Level): boolean => levels.indexOf(has) >= levels.indexOf(needed);

const entryOf = (permissions: Permissions, username: string): Level =>
  Object.hasOwn(permissions, username) ? (permissions[username] ?? 'NONE') : 'NONE';

/** The higher of a user's own entry and the world's; NONE when there is neither. Roles do not count here. */
export const effectiveLevel = (permissions: Permissions, username: string): Level => {
  const own = entryOf(permissions, username);
  const world = entryOf(permissions, WORLD);
  return includesLevel(own, world) ? own : world;
};

/** Whether the roles pass permission checks of single objects of the tenant (configs excepted, which ask for an entry). */
export const passesChecks = (roles: readonly Role[]): boolean => roles.includes('admin');

const privilegedFields = ['privileged', 'maxWorkers', 'memLimit', 'maxCpus', 'queue', 'useContainerUid'] as const;

/**
 * The fields of a registration or update that its sender's roles do not allow, by their wire names; none when all is well.
 * A field that asks for nothing (false, absent) is allowed to everyone. @see facts 5.3
 */
export const fieldsBeyondRoles = (
  input: Readonly<Partial<Record<(typeof privilegedFields)[number], unknown>>>,
  roles: readonly Role[],
): readonly string[] =>
  roles.includes('admin') || roles.includes('privileged') ? [] : privilegedFields.filter((field) => input[field]);

/** Whether an entry of UPDATE is somebody's: of the world, or of a user there is. */
export type IsSomebody = (username: string) => boolean;

const isHeld = (permissions: Permissions, isSomebody: IsSomebody): boolean =>
  Object.entries(permissions).some(([name, level]) => level === 'UPDATE' && (name === WORLD || isSomebody(name)));

/**
 * The permissions after a user was given a level in place of the one before; NONE takes it away, the entry stays.
 * The same object when that changes nothing.
 * @throws Failure LAST_HOLDER when nobody would hold UPDATE any more
 * @see facts 1.7, wire.md "Tenants, users, roles"
 */
export const withLevel = (
  permissions: Permissions,
  username: string,
  level: Level,
  isSomebody: IsSomebody,
): Permissions => {
  if (Object.hasOwn(permissions, username) && permissions[username] === level) return permissions;
  const changed = { ...permissions, [username]: level };
  if (entryOf(permissions, username) === 'UPDATE' && !isHeld(changed, isSomebody)) {
    throw new Failure(
      'LAST_HOLDER',
      `${username} is the last one who holds UPDATE, and nobody could change the permissions any more. Give UPDATE to another user first.`,
      { user: username },
    );
  }
  return changed;
};

/**
 * The permissions without any entry of a user who is going. Where nobody would hold UPDATE any more, it falls to `keeper`.
 * The same object when the user had no entry.
 */
export const withoutEntry = (
  permissions: Permissions,
  username: string,
  keeper: string,
  isSomebody: IsSomebody,
): Permissions => {
  if (!Object.hasOwn(permissions, username)) return permissions;
  const left = Object.fromEntries(Object.entries(permissions).filter(([name]) => name !== username));
  return isHeld(left, isSomebody) ? left : { ...left, [keeper]: 'UPDATE' };
};

/** Who is asked about. */
export interface Asked {
  readonly username: string;
  /** Of a user there is; undefined when there is no such user. The world has none. */
  readonly roles: readonly Role[] | undefined;
}

/** What somebody may do with a thing, and by what. */
export interface Verdict {
  readonly allowed: boolean;
  readonly has: Level;
  readonly needs: Level;
  readonly by: 'entry' | 'world' | 'role' | 'nothing' | 'nobody';
}

/**
 * Whether somebody has a level on a thing, and by what: the same rules as the guards of the routes.
 * @param rolesCount false for a config, which asks for an entry whatever the roles
 */
export const judge = (
  permissions: Permissions,
  { username, roles }: Asked,
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

/** A verdict as a sentence. @param thing `actor X` */
export const explain = (username: string, thing: string, { allowed, has, needs, by }: Verdict): string => {
  const source = {
    entry: `${username} has ${has} on ${thing}`,
    world: `everybody has ${has} on ${thing} (${WORLD})`,
    role: `${username} has the role admin, which passes every check of actors and aliases`,
    nothing: `${username} has no permission on ${thing}`,
    nobody: `there is no user ${username}`,
  }[by];
  return allowed ? `${source}.` : `${source}; ${needs} is needed.`;
};
