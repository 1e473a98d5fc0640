// The permissions of an object that a project changes.
import type { Level } from '../../../contract/operation.ts';
import type { Permissions, Thing } from './desired-state.ts';
import type { Change, Task } from './tasks.ts';

interface Grants {
  readonly changes: readonly Change[];
  readonly tasks: readonly Task[];
  /** Users whose level the file mentions, for the record. */
  readonly users: readonly string[];
}

/**
 * Users in the file get the level from the file. Users that an earlier version of the file mentioned lose their
 * level. Other users keep their level.
 */
export const planGrants = (
  on: Thing,
  wanted: Permissions,
  recorded: readonly string[],
  present: Permissions,
  owner: string,
): Grants => {
  const dropped = recorded.filter((user) => !Object.hasOwn(wanted, user) && user !== owner);
  const levels: readonly (readonly [string, Level])[] = [
    ...Object.entries(wanted),
    ...dropped.map((user) => [user, 'NONE'] as const),
  ];
  const grants = levels
    .map(([user, level]) => ({ user, level, before: present[user] ?? 'NONE' }))
    .filter(({ level, before }) => level !== before);
  return {
    changes: grants.map(({ user, level, before }) => ({ field: `permissions.${user}`, before, after: level })),
    tasks: grants.map(({ user, level }) => ({ do: 'grant', on, user, level })),
    users: Object.keys(wanted),
  };
};
