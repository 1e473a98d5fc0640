// What becomes of actors, aliases and configs when a user goes: another user takes over, and nothing is left that a later user of that name would inherit.
import { isFolderImage } from '../actors/image-reference.ts';
import { fieldsBeyondRoles, type IsSomebody, type Permissions, withoutEntry } from '../actors/permission.ts';
import type { UserRecord } from '../records/account-records.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import type { ConfigRecord } from '../records/resource-records.ts';

/** What an actor has that its new owner could not have registered, by wire names; none when all is well. */
export const beyondHeir = (actor: ActorRecord, heir: Pick<UserRecord, 'roles'>): readonly string[] => {
  const asked = { ...actor, queue: actor.queue === 'default' ? undefined : actor.queue };
  const fields = fieldsBeyondRoles(asked, heir.roles);
  return isFolderImage(actor.image) && !heir.roles.includes('admin') ? ['image', ...fields] : fields;
};

/** What has an owner and permissions: an actor, an alias, a config. */
interface Owned {
  readonly owner: string;
  readonly permissions: Permissions;
  readonly updatedAt: number;
}

/** Who goes, and who is there after that. */
export interface Departure {
  readonly username: string;
  /** Who becomes the owner in that user's place; needed only where the user owns something. */
  readonly heir: string | undefined;
  /** Whether there is a user of that name, the one who goes not counted. */
  readonly stays: IsSomebody;
  /** ms since the epoch. */
  readonly now: number;
}

/**
 * The actor with a link that its owner answers for, where it was a user who goes: events would end, or go on by leave of a
 * later user of that name. The same record when that user did not set it.
 */
export const withoutLinkSetter = (actor: ActorRecord, { username }: Departure): ActorRecord =>
  actor.linkSetBy === username && actor.owner !== username ? { ...actor, linkSetBy: actor.owner } : actor;

/** The config with a list of actors that its owner answers for, where it was a user who goes. The same record when it was not. */
export const withoutListSetter = (config: ConfigRecord, { username }: Departure): ConfigRecord =>
  config.listSetBy === username && config.owner !== username ? { ...config, listSetBy: config.owner } : config;

/**
 * The thing without any right of a user who goes; one that this user owned is the heir's then. Where the user was the last
 * who held UPDATE, it falls to the owner. The same record when the user has nothing to do with it.
 */
export const withoutUser = <T extends Owned>(thing: T, { username, heir, stays, now }: Departure): T => {
  const inherits = thing.owner === username && heir !== undefined;
  const owner = inherits ? heir : thing.owner;
  const left = withoutEntry(thing.permissions, username, owner, stays);
  if (!inherits && left === thing.permissions) return thing;
  return { ...thing, owner, permissions: inherits ? { ...left, [heir]: 'UPDATE' } : left, updatedAt: now };
};
