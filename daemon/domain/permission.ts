// Who may do what: levels of permission on an object, and the roles that a few fields of an actor need.
import { type Level, levels } from '../../src/contract/operation.ts';
import type { Role } from '../../src/contract/users.ts';

/** The pseudo-user whose entry opens an object to every user of the tenant at its level. @see wire.md "Tenants, users, roles" */
export const WORLD = 'ABACO_WORLD';

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
