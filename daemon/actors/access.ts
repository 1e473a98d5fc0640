// Finds the actor, alias or config that a path names and checks the caller's level on it.
import type { Level } from '../../src/contract/operation.ts';
import { findActor } from '../domain/actors/actor-reference.ts';
import { hasIdForm } from '../domain/actors/alias.ts';
import { effectiveLevel, includesLevel, type Permissions, passesChecks } from '../domain/actors/permission.ts';
import { beyondOwn, ownPlaceOf, type Place, refuseGranting } from '../domain/executions/token-reach.ts';
import { Failure } from '../domain/failure.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import { type AliasRecord, nameKey } from '../domain/records/resource-records.ts';
import type { ResourceAccess } from '../http/guard.ts';
import type { Caller } from '../http/route-handler.ts';
import type { ReadView } from '../ports/store.ts';

export type PermissionHolder = { readonly tenant: string; readonly permissions: Permissions };

/**
 * Failure detail for an object that the caller may not read. Only listeners that reveal the existence of such objects
 * send it; the main listener never does.
 */
interface Hidden extends Readonly<Record<string, unknown>> {
  /** The refusal in the wording of the hosted platform. */
  readonly denied: string;
}

/** A missing and an unreadable actor have the same text, so that the answer does not reveal which one applies. */
export const unknownActor = (detail?: Hidden): Failure =>
  new Failure(
    'NOT_FOUND',
    'There is no such actor. Check the id or alias. The list of actors shows the actors that you may read.',
    detail,
  );

export const unknownAlias = (detail?: Hidden): Failure =>
  new Failure('NOT_FOUND', 'There is no such alias. The list of aliases shows the aliases that you may read.', detail);

const unknownConfig = (detail?: Hidden): Failure =>
  new Failure('NOT_FOUND', 'There is no such config. The list of configs shows the configs that you may read.', detail);

/** The caller's level on an object by its permissions alone, without roles. NONE on an object of another tenant. */
export const levelOn = (thing: PermissionHolder, caller: Pick<Caller, 'tenant' | 'username'>): Level =>
  thing.tenant === caller.tenant ? effectiveLevel(thing.permissions, caller.username) : 'NONE';

/** True if a permission entry for the user or for everybody gives READ on the object. Roles do not count. */
export const canRead = (thing: PermissionHolder, caller: Pick<Caller, 'tenant' | 'username'>): boolean =>
  includesLevel(levelOn(thing, caller), 'READ');

/** True if the caller has the level on the object, or a role that passes the checks of actors and aliases. */
export const hasLevel = (
  thing: PermissionHolder,
  caller: Pick<Caller, 'tenant' | 'username' | 'roles'>,
  level: Level,
): boolean => passesChecks(caller.roles) || includesLevel(levelOn(thing, caller), level);

/** A caller with a nonce may not see messages, because the nonce's level can be lower than its owner's. */
export const maySeeMessage = (actor: ActorRecord, caller: Caller): boolean =>
  caller.nonceId === undefined && hasLevel(actor, caller, 'EXECUTE');

/** The objects on which the caller or the world has READ, oldest first. Roles do not count. @see docs/http-api.md#permissions */
export const readableActors = (
  view: Pick<ReadView, 'by'>,
  caller: Pick<Caller, 'tenant' | 'username'>,
  name?: string,
): readonly ActorRecord[] =>
  view
    .by('actors', 'tenant', caller.tenant)
    .filter((actor) => (name === undefined || actor.name === name) && canRead(actor, caller));

export const demandActor = (view: Pick<ReadView, 'get'>, actorId: string): ActorRecord => {
  const actor = view.get('actors', actorId);
  if (actor === undefined) throw unknownActor();
  return actor;
};

/**
 * The actor with this id, if it is not being deleted.
 * @param refusal message of the failure for an actor that is being deleted
 * @throws Failure NOT_FOUND, ACTOR_BUSY
 */
export const demandLiveActor = (view: Pick<ReadView, 'get'>, actorId: string, refusal: string): ActorRecord => {
  const actor = demandActor(view, actorId);
  if (actor.status === 'SHUTTING_DOWN') throw new Failure('ACTOR_BUSY', refusal);
  return actor;
};

/**
 * Checks the execution of a token in the transaction that writes the effect of a request. What an execution causes is
 * then written before its end.
 * @throws Failure AUTH_FAILED if the execution has ended since the request was authenticated
 */
export const demandRunning = (tx: Pick<ReadView, 'get'>, executionId: string | undefined): void => {
  if (executionId === undefined || tx.get('executions', executionId)?.status === 'RUNNING') return;
  throw new Failure('AUTH_FAILED', 'The access token has ended with its execution. Nothing was changed.');
};

const deniedTo = (words: string): string => `you do not have access to ${words}`;

/** @throws Failure `unknown` if the caller may not read the object, FORBIDDEN if the caller's level is too low */
const demandLevel = (
  thing: PermissionHolder,
  caller: Caller,
  level: Level,
  { words, unknown }: { readonly words: string; readonly unknown: (detail: Hidden) => Failure },
): void => {
  const has = levelOn(thing, caller);
  if (!includesLevel(has, 'READ')) throw unknown({ denied: deniedTo(words) });
  if (includesLevel(has, level)) return;
  throw new Failure(
    'FORBIDDEN',
    `${deniedTo(words)}: the level ${level} is needed and you have ${has}. Ask the owner to grant it.`,
    { needed: level, has },
  );
};

/**
 * Resolves a name in a path for a caller who may use names. Anybody can publish aliases and names, so those of the
 * caller take precedence.
 * @see docs/http-api.md#aliases-and-names
 */
const actorNamed = (store: ReadView, caller: Caller, text: string): string => {
  const known = findActor(store, caller.tenant, text);
  if (hasIdForm(text) || known?.id === text) return text;
  const isReadable = known !== undefined && hasLevel(known, caller, 'READ');
  const isOwn = ({ owner }: { readonly owner: string }) => owner === caller.username;
  const alias = store.get('aliases', nameKey(caller.tenant, text));
  if (isReadable && (isOwn(known) || (alias !== undefined && isOwn(alias)))) return text;
  const named = readableActors(store, caller, text);
  const own = named.filter(isOwn);
  if (own.length > 1 && isReadable) throw unknownActor();
  const [only, ...others] = own.length > 0 || isReadable ? own : named;
  return only === undefined || others.length > 0 ? text : only.id;
};

/** True if the path of a request names the caller's own execution, its actor or the link of that actor. */
const isOwn = (
  store: ReadView,
  { tenant, executionId = '' }: Caller,
  place: Place | undefined,
  params: Readonly<Record<string, string>>,
): boolean => {
  if (place === undefined || place === 'anything') return place !== undefined;
  const own = store.get('actors', store.get('executions', executionId)?.actorId ?? '');
  if (own === undefined || (place === 'execution' && params['executionId'] !== executionId)) return false;
  const { actorId } = params;
  if (actorId === undefined) return place === 'execution';
  const expected = place === 'link' ? own.link && findActor(store, tenant, own.link)?.id : own.id;
  return expected !== undefined && findActor(store, tenant, actorId)?.id === expected;
};

/**
 * Makes the guards of all routes below an actor, an alias or a config. The tenant is compared first, so that even an
 * admin sees nothing of another tenant. Admins pass the checks of actors and aliases, but a config needs an entry for
 * the caller. Each guard throws Failure NOT_FOUND if the caller may not read the object, FORBIDDEN if the caller's
 * level is too low.
 * @see docs/http-api.md#permissions
 */
export const resourceAccess = ({ store }: { readonly store: ReadView }): ResourceAccess => {
  const demand = (
    thing: PermissionHolder,
    caller: Caller,
    level: Level,
    how: { readonly words: string; readonly unknown: (detail: Hidden) => Failure },
  ) => {
    if (!passesChecks(caller.roles)) demandLevel(thing, caller, level, how);
  };
  const findAlias = (caller: Caller, name: string): AliasRecord => {
    const alias = store.get('aliases', nameKey(caller.tenant, name));
    if (alias === undefined) throw unknownAlias();
    return alias;
  };
  return {
    withinReach(caller, operation, params) {
      if (caller.reach === 'owner') refuseGranting(operation);
      if (caller.reach === 'own' && !isOwn(store, caller, ownPlaceOf(operation.id), params)) throw beyondOwn();
    },
    actor(caller, idOrAlias, level) {
      const actor = findActor(store, caller.tenant, idOrAlias);
      if (actor === undefined) {
        // An id that does not exist must look like one that the caller may not read, except to an admin.
        const isHidden = hasIdForm(idOrAlias) && !passesChecks(caller.roles);
        throw unknownActor(isHidden ? { denied: deniedTo('this actor') } : undefined);
      }
      demand(actor, caller, level, { words: 'this actor', unknown: unknownActor });
      return actor;
    },
    idOrText(caller, text, ownOnly) {
      const id = actorNamed(store, caller, text);
      if (ownOnly && findActor(store, caller.tenant, id)?.owner !== caller.username) throw unknownActor();
      return id;
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
