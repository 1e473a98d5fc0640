// From the name in a path to the thing itself, for callers who hold the level that the route asks for.
import type { Level } from '../../src/contract/operation.ts';
import { findActor } from '../domain/actors/actor-reference.ts';
import { effectiveLevel, includesLevel, type Permissions, passesChecks } from '../domain/actors/permission.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import { type AliasRecord, nameKey } from '../domain/records/resource-records.ts';
import type { ResourceAccess } from '../http/guard.ts';
import type { Caller } from '../http/route-handler.ts';
import type { ReadView } from '../ports/store.ts';

/** Anything that has permissions. */
export type PermissionHolder = { readonly tenant: string; readonly permissions: Permissions };

/** The refusal for an actor that does not exist, or that the caller may not learn of: one text for both. */
export const unknownActor = (): Failure =>
  new Failure(
    'NOT_FOUND',
    'There is no such actor. Check the id or alias; the list of actors shows the ones that you may read.',
  );

/** The same for aliases. */
export const unknownAlias = (): Failure =>
  new Failure('NOT_FOUND', 'There is no such alias. The list of aliases shows the ones that you may read.');

/** The same for configs. */
const unknownConfig = (): Failure =>
  new Failure('NOT_FOUND', 'There is no such config. The list of configs shows the ones that you may read.');

/** The level of a caller on a thing of the same tenant, roles not counted; NONE on a thing of another tenant. */
export const levelOn = (thing: PermissionHolder, caller: Pick<Caller, 'tenant' | 'username'>): Level =>
  thing.tenant === caller.tenant ? effectiveLevel(thing.permissions, caller.username) : 'NONE';

/** True if the caller has READ on the object by an entry, for the user or for everybody. Roles do not count. */
export const canRead = (thing: PermissionHolder, caller: Pick<Caller, 'tenant' | 'username'>): boolean =>
  includesLevel(levelOn(thing, caller), 'READ');

/** True if the caller has the level on the object, or a role that passes the checks of actors and aliases. */
export const hasLevel = (thing: PermissionHolder, caller: Caller, level: Level): boolean =>
  passesChecks(caller.roles) || includesLevel(levelOn(thing, caller), level);

/** The actor of an id. @throws Failure NOT_FOUND */
export const demandActor = (view: Pick<ReadView, 'get'>, actorId: string): ActorRecord => {
  const actor = view.get('actors', actorId);
  if (actor === undefined) throw unknownActor();
  return actor;
};

/**
 * The actor of an id, if it is not being deleted.
 * @param refusal message of the failure for an actor that is being deleted
 * @throws Failure NOT_FOUND, ACTOR_BUSY
 */
export const demandLiveActor = (view: Pick<ReadView, 'get'>, actorId: string, refusal: string): ActorRecord => {
  const actor = demandActor(view, actorId);
  if (actor.status === 'SHUTTING_DOWN') throw new Failure('ACTOR_BUSY', refusal);
  return actor;
};

/** @throws Failure `unknown` when the caller may not learn of the thing, FORBIDDEN when the level is too low */
const demandLevel = (
  thing: PermissionHolder,
  caller: Caller,
  level: Level,
  { words, unknown }: { readonly words: string; readonly unknown: () => Failure },
): void => {
  const has = levelOn(thing, caller);
  if (!includesLevel(has, 'READ')) throw unknown();
  if (includesLevel(has, level)) return;
  throw new Failure(
    'FORBIDDEN',
    `you do not have access to ${words}: the level ${level} is needed and you have ${has}. Ask its owner for it.`,
    { needed: level, has },
  );
};

/**
 * The guards of all routes below an actor, an alias or a config. The tenant is compared first: even an admin sees nothing of
 * another tenant. Admins pass the checks of actors and aliases; a config is for those with an entry alone (spec 5.6).
 * Each throws Failure NOT_FOUND when the caller may not learn of the thing, FORBIDDEN when the level is too low.
 * @see wire.md "Tenants, users, roles"
 */
export const resourceAccess = ({ store }: { readonly store: ReadView }): ResourceAccess => {
  const demand = (
    thing: PermissionHolder,
    caller: Caller,
    level: Level,
    how: { readonly words: string; readonly unknown: () => Failure },
  ) => {
    if (!passesChecks(caller.roles)) demandLevel(thing, caller, level, how);
  };
  const findAlias = (caller: Caller, name: string): AliasRecord => {
    const alias = store.get('aliases', nameKey(caller.tenant, name));
    if (alias === undefined) throw unknownAlias();
    return alias;
  };
  return {
    actor(caller, idOrAlias, level) {
      const actor = findActor(store, caller.tenant, idOrAlias);
      if (actor === undefined) throw unknownActor();
      demand(actor, caller, level, { words: 'this actor', unknown: unknownActor });
      return actor;
    },
    alias(caller, name, level) {
      const alias = findAlias(caller, name);
      demand(alias, caller, level, { words: 'this alias', unknown: unknownAlias });
      return alias;
    },
    aliasAndActor(caller, name, level) {
      const alias = findAlias(caller, name);
      const actor = store.get('actors', alias.actorId);
      if (actor === undefined) throw unknownActor();
      const how = { words: 'this alias and actor', unknown: unknownAlias };
      demand(alias, caller, level, how);
      demand(actor, caller, level, how);
      return { alias, actor };
    },
    config(caller, name, level) {
      const config = store.get('configs', nameKey(caller.tenant, name));
      if (config === undefined) throw unknownConfig();
      demandLevel(config, caller, level, { words: 'this config', unknown: unknownConfig });
      return config;
    },
  };
};
