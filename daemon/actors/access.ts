// From the actor id of a path to the actor itself, for callers who hold the level that the route asks for.
import type { Level } from '../../src/contract/operation.ts';
import { Failure } from '../domain/failure.ts';
import { effectiveLevel, includesLevel, passesChecks } from '../domain/permission.ts';
import type { ActorRecord } from '../domain/records.ts';
import type { Caller } from '../http/on.ts';
import type { Store } from '../ports/store.ts';

/** Hands out the actor that a path names, if the caller holds `level` on it. */
export type ActorAccess = (caller: Caller, actorId: string, level: Level) => ActorRecord;

/** The refusal for an actor that does not exist, or that the caller may not learn of: one text for both. */
export const unknownActor = (): Failure =>
  new Failure(
    'NOT_FOUND',
    'There is no such actor. Check the id; the list of actors shows the ones that you may read.',
  );

/** The level of a caller on an actor of the same tenant, roles not counted; NONE on an actor of another tenant. */
export const levelOn = (actor: ActorRecord, caller: Caller): Level =>
  actor.tenant === caller.tenant ? effectiveLevel(actor.permissions, caller.username) : 'NONE';

/**
 * The guard of all routes below an actor. The tenant is compared first: even an admin sees nothing of another tenant.
 * The returned function throws Failure NOT_FOUND when the caller may not learn of the actor, FORBIDDEN when the level is too low.
 * @see wire.md "Tenants, users, roles"
 */
export const actorAccess =
  ({ store }: { readonly store: Store }): ActorAccess =>
  (caller, actorId, level) => {
    const actor = store.get('actors', actorId);
    if (actor === undefined || actor.tenant !== caller.tenant) throw unknownActor();
    if (passesChecks(caller.roles)) return actor;
    const has = levelOn(actor, caller);
    if (!includesLevel(has, 'READ')) throw unknownActor();
    if (!includesLevel(has, level)) {
      throw new Failure(
        'FORBIDDEN',
        `you do not have access to this actor: the level ${level} is needed and you have ${has}. Ask its owner for it.`,
        { needed: level, has },
      );
    }
    return actor;
  };
