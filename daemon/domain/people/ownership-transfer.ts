// Transfers the actors, aliases and configs of a deleted user to another owner, so that a later user with the same name
// inherits nothing.
import {
  fieldsBeyondRoles,
  isImageBeyondRoles,
  type Permissions,
  type UserExists,
  withoutEntry,
} from '../actors/permission.ts';
import type { UserRecord } from '../records/account-records.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import type { AliasRecord, ConfigRecord } from '../records/resource-records.ts';

/** Wire names of the actor's fields that its new owner could not have set. Empty if the transfer is allowed. */
export const fieldsBeyondHeir = (actor: ActorRecord, heir: Pick<UserRecord, 'roles'>): readonly string[] => {
  const asked = { ...actor, queue: actor.queue === 'default' ? undefined : actor.queue };
  const fields = fieldsBeyondRoles(asked, heir.roles);
  return isImageBeyondRoles(actor.image, heir.roles) ? ['image', ...fields] : fields;
};

interface Owned {
  readonly owner: string;
  readonly permissions: Permissions;
  readonly updatedAt: number;
}

export interface UserRemoval {
  readonly username: string;
  /** The new owner. Required only if the deleted user owns something. */
  readonly heir: string | undefined;
  /** True if a user with this name exists after the deletion. */
  readonly stays: UserExists;
  /** ms since the epoch. */
  readonly now: number;
}

/**
 * Makes the owner responsible for a link that the deleted user had set. Otherwise the link would fail, or would work
 * with the permissions of a later user with the same name. Returns the same record if another user set the link.
 */
export const withoutLinkSetter = (actor: ActorRecord, { username }: UserRemoval): ActorRecord =>
  actor.linkSetBy === username && actor.owner !== username ? { ...actor, linkSetBy: actor.owner } : actor;

/**
 * Makes the owner responsible for a config's actor list that the deleted user had set. Otherwise returns the same
 * record.
 */
export const withoutListSetter = (config: ConfigRecord, { username }: UserRemoval): ConfigRecord =>
  config.listSetBy === username && config.owner !== username ? { ...config, listSetBy: config.owner } : config;

/**
 * Clears which user pointed the alias, so that no config follows it until a user points it again. Nobody else becomes
 * responsible, because the deleted user may have chosen the target. Returns the same record if another user pointed the
 * alias.
 */
export const withoutPointer = (alias: AliasRecord, { username }: UserRemoval): AliasRecord => {
  if (alias.pointedBy !== username) return alias;
  const { pointedBy: _, ...rest } = alias;
  return rest;
};

/**
 * Transfers a record to the heir. If no holder of UPDATE remains, the owner gets UPDATE. Returns the same record if
 * nothing changes.
 */
export const withoutUser = <T extends Owned>(thing: T, { username, heir, stays, now }: UserRemoval): T => {
  const inherits = thing.owner === username && heir !== undefined;
  const owner = inherits ? heir : thing.owner;
  const left = withoutEntry(thing.permissions, username, owner, stays);
  if (!inherits && left === thing.permissions) return thing;
  return { ...thing, owner, permissions: inherits ? { ...left, [heir]: 'UPDATE' } : left, updatedAt: now };
};
