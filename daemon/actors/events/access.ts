// Decides which events a caller may read. Each event is checked, because permissions can change during a stream.
import { findActor } from '../../domain/actors/actor-reference.ts';
import type { EventRecord } from '../../domain/records/event-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ReadView } from '../../ports/store.ts';
import { canRead, hasLevel, unknownActor } from '../access.ts';

/** The fields of an event or a delivery that decide who may read it. */
export type EventSubject = Pick<EventRecord, 'tenant' | 'actorId' | 'owner' | 'at'>;

/**
 * Returns a function that is true for events that match the query and that the caller may read now. Create a new filter
 * after every pause, because permissions may have changed.
 */
export type EventFilter = (caller: Caller) => (event: EventRecord) => boolean;

/** True if the caller owned the deleted actor of the event. False for a later user with the same name. */
const wasOwner = (store: ReadView, caller: Caller, event: EventSubject): boolean => {
  if (event.tenant !== caller.tenant || event.owner !== caller.username) return false;
  const user = store.get('users', joinKey(caller.tenant, caller.username));
  return user !== undefined && user.createdAt <= event.at;
};

/**
 * Returns a function that says whether the caller may read an event, which requires READ on its actor. Admins pass the
 * check for a single event or for named actors, but a listing contains only what was shared. The function caches the
 * result for each actor, so it must not be reused for later events.
 * @see docs/http-api.md#permissions, docs/http-api.md#events
 */
export const eventAccess = (
  store: ReadView,
  caller: Caller,
  isListing: boolean,
): ((event: EventSubject) => boolean) => {
  const readable = new Map<string, boolean>();
  return (event) => {
    if (event.tenant !== caller.tenant) return false;
    const known = readable.get(event.actorId);
    if (known !== undefined) return known;
    const actor = store.get('actors', event.actorId);
    // The result for a deleted actor depends on the time of the event.
    if (actor === undefined) return wasOwner(store, caller, event);
    const may = isListing ? canRead(actor, caller) : hasLevel(actor, caller, 'READ');
    readable.set(event.actorId, may);
    return may;
  };
};

/** Names are ids or aliases. A deleted actor resolves for its former owner. */
export const readableActorIds = (store: ReadView, caller: Caller, names: readonly string[]): ReadonlySet<string> => {
  const idOf = (name: string): string => {
    const actor = findActor(store, caller.tenant, name);
    if (actor !== undefined) {
      if (hasLevel(actor, caller, 'READ')) return actor.id;
    } else {
      // The newest event decides: the owner of an actor never changes, and no other event is as late.
      const [newest] = store.page('events', 'actor', name, { limit: 1, newestFirst: true });
      if (newest !== undefined && wasOwner(store, caller, newest)) return name;
    }
    throw unknownActor();
  };
  return new Set(names.map(idOf));
};
