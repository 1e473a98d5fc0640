// Whose events a caller may read, now: asked of every event anew, because permissions change while a stream runs.
import { findActor } from '../../domain/actors/actor-reference.ts';
import type { EventRecord } from '../../domain/records/event-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ReadView } from '../../ports/store.ts';
import { canRead, hasLevel, unknownActor } from '../access.ts';

/** What of an event, or of its delivery, says who may read it. */
export type EventSubject = Pick<EventRecord, 'tenant' | 'actorId' | 'owner' | 'at'>;

/** Of an actor that is gone the one who owned it; not somebody who was given the same name later. */
const wasOwner = (store: ReadView, caller: Caller, event: EventSubject): boolean => {
  if (event.tenant !== caller.tenant || event.owner !== caller.username) return false;
  const user = store.get('users', joinKey(caller.tenant, caller.username));
  return user !== undefined && user.createdAt <= event.at;
};

/**
 * Whether a caller may read an event: with READ on its actor. A look at one event, or at actors that were named, is a check of single objects,
 * which admins pass; a listing shows only what was shared. @see wire.md "Tenants, users, roles", "Events"
 */
export const mayReadEvent = (store: ReadView, caller: Caller, event: EventSubject, isListing: boolean): boolean => {
  if (event.tenant !== caller.tenant) return false;
  const actor = store.get('actors', event.actorId);
  if (actor === undefined) return wasOwner(store, caller, event);
  return isListing ? canRead(actor, caller) : hasLevel(actor, caller, 'READ');
};

/**
 * The ids of the actors that are named, each by id or alias; also of one that is gone, for who owned it.
 * @throws Failure NOT_FOUND when there is none of that name, or none that the caller may read
 */
export const readableActorIds = (store: ReadView, caller: Caller, names: readonly string[]): ReadonlySet<string> => {
  const idOf = (name: string): string => {
    const actor = findActor(store, caller.tenant, name);
    if (actor !== undefined) {
      if (hasLevel(actor, caller, 'READ')) return actor.id;
    } else if (store.by('events', 'actor', name).some((event) => wasOwner(store, caller, event))) return name;
    throw unknownActor();
  };
  return new Set(names.map(idOf));
};
