// What becomes of actors when a user goes: another user takes over, and nothing is left that a later user of that name would inherit.
import { isFolderImage } from './image-reference.ts';
import { fieldsBeyondRoles } from './permission.ts';
import type { ActorRecord, UserRecord } from './records.ts';

/** What an actor has that its new owner could not have registered, by wire names; none when all is well. */
export const beyondHeir = (actor: ActorRecord, heir: Pick<UserRecord, 'roles'>): readonly string[] => {
  const asked = { ...actor, queue: actor.queue === 'default' ? undefined : actor.queue };
  const fields = fieldsBeyondRoles(asked, heir.roles);
  return isFolderImage(actor.image) && !heir.roles.includes('admin') ? ['image', ...fields] : fields;
};

/**
 * The actor without any right of a user; an actor that this user owned is the heir's then. The same record when the user
 * has nothing to do with it.
 * @param now ms since the epoch
 */
export const withoutUser = (
  actor: ActorRecord,
  username: string,
  heir: string | undefined,
  now: number,
): ActorRecord => {
  const inherits = actor.owner === username && heir !== undefined;
  if (!inherits && !Object.hasOwn(actor.permissions, username)) return actor;
  const permissions = Object.fromEntries(Object.entries(actor.permissions).filter(([name]) => name !== username));
  if (!inherits) return { ...actor, permissions, updatedAt: now };
  return { ...actor, owner: heir, permissions: { ...permissions, [heir]: 'UPDATE' }, updatedAt: now };
};
