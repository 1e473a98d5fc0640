// Creates, lists, changes and deletes aliases. Each change is checked and written in one transaction.
import type { InputOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { findActor } from '../../domain/actors/actor-reference.ts';
import { demandAliasName } from '../../domain/actors/alias.ts';
import { Failure } from '../../domain/failure.ts';
import { demandUser } from '../../domain/people/demand-user.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { type AliasRecord, nameKey } from '../../domain/records/resource-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import { canRead, hasLevel, levelOn, resourceAccess } from '../access.ts';
import { deleteAliasCascade } from '../cascade-delete.ts';
import { sharesMore } from '../configs/injection.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { refuseLoop } from '../link-loops.ts';
import { demandOwner } from '../quotas.ts';

type Registration = InputOf<Operations['aliases.create']>;
type Update = InputOf<Operations['aliases.update']>;

/** The result of an alias change. The previous actor id is absent if nothing changed. */
export interface Pointed {
  readonly alias: AliasRecord;
  readonly previous?: string;
}

/** Clients compare this text, so it must not change. @see docs/http-api.md#errors */
const NO_UPDATE_ON_TARGET = 'you do not have UPDATE access to the actor you want to associate with this alias';

const unknownTarget = (actor: ActorRecord | undefined): Failure =>
  new Failure('NOT_FOUND', 'You may read no actor with that id or alias.', {
    field: 'actorId',
    ...(actor !== undefined && { denied: NO_UPDATE_ON_TARGET }),
  });

/**
 * Resolves the actor that an alias will point to, given its id or another alias. The new alias stores the id, so a
 * later change of the other alias does not move it.
 * @throws Failure NOT_FOUND, FORBIDDEN, ACTOR_BUSY
 */
const demandTarget = (tx: Transaction, caller: Caller, idOrAlias: string): ActorRecord => {
  const actor = findActor(tx, caller.tenant, idOrAlias);
  if (actor === undefined || !hasLevel(actor, caller, 'READ')) throw unknownTarget(actor);
  if (!hasLevel(actor, caller, 'UPDATE')) {
    throw new Failure('FORBIDDEN', `${NO_UPDATE_ON_TARGET}. Ask its owner for it.`, {
      needed: 'UPDATE',
      has: levelOn(actor, caller),
    });
  }
  if (actor.status === 'SHUTTING_DOWN') {
    throw new Failure(
      'ACTOR_BUSY',
      'The alias cannot point to this actor: the actor is being deleted. Choose another actor.',
    );
  }
  return actor;
};

const refuseStale = ({ alias, actorId }: AliasRecord, expected: string | undefined): void => {
  if (expected === undefined || expected === actorId) return;
  throw new Failure(
    'STALE_VERSION',
    `The alias "${alias}" was not changed: it points to ${actorId}, not to ${expected}. Read it again before you change it.`,
    { actorId },
  );
};

export const aliases = ({ store, clock, quotas }: Pick<ActorsDependencies, 'store' | 'clock' | 'quotas'>) => ({
  /** @throws Failure VALIDATION, NOT_FOUND, FORBIDDEN, ALREADY_EXISTS, LINK_CYCLE, ACTOR_BUSY when the actor is being deleted */
  create: async (caller: Caller, { alias: name, actorId }: Registration): Promise<AliasRecord> => {
    demandAliasName(name);
    return store.transact((tx) => {
      const { tenant, username } = caller;
      // The permission is checked before the name, so a caller without permission cannot find out which names are
      // taken.
      const { id } = demandTarget(tx, caller, actorId);
      if (tx.get('aliases', nameKey(tenant, name)) !== undefined) {
        throw new Failure(
          'ALREADY_EXISTS',
          `An alias "${name}" already exists. Choose another name, or point that alias to the actor.`,
          { alias: name },
        );
      }
      demandOwner(tx, caller, 'aliases', quotas);
      refuseLoop(tx, caller, { alias: name, actorId: id });
      const now = clock.now();
      const made: AliasRecord = {
        tenant,
        alias: name,
        actorId: id,
        pointedBy: username,
        owner: username,
        permissions: { [username]: 'UPDATE' },
        createdAt: now,
        updatedAt: now,
      };
      tx.put('aliases', made);
      return made;
    });
  },

  /** The aliases on which the caller or the world has READ, oldest first. Roles do not count. */
  list: (caller: Caller): readonly AliasRecord[] =>
    store.by('aliases', 'tenant', caller.tenant).filter((alias) => canRead(alias, caller)),

  /**
   * Points the alias to an actor. A request that names the current actor usually changes nothing. It changes the user
   * recorded as having pointed the alias if this shares more configs, or if no such user was recorded.
   * @throws Failure VALIDATION, NOT_FOUND, FORBIDDEN, STALE_VERSION, LINK_CYCLE, ACTOR_BUSY when the actor is being deleted,
   * AUTH_FAILED if the caller has been deleted
   */
  point: (caller: Caller, name: string, { actorId, ifActorId, alias: newName }: Update): Promise<Pointed> =>
    store.transact((tx) => {
      if (newName !== undefined) {
        throw new Failure('VALIDATION', 'alias cannot be changed. Create another alias instead.', { field: 'alias' });
      }
      const present = resourceAccess({ store: tx }).alias(caller, name, 'UPDATE');
      refuseStale(present, ifActorId && (findActor(tx, caller.tenant, ifActorId)?.id ?? ifActorId));
      const { id } = demandTarget(tx, caller, actorId);
      if (id === present.actorId && !sharesMore(tx, present, caller.username)) return { alias: present };
      demandUser(tx, caller);
      refuseLoop(tx, caller, { alias: name, actorId: id });
      const alias = { ...present, actorId: id, pointedBy: caller.username, updatedAt: clock.now() };
      tx.put('aliases', alias);
      return { alias, previous: present.actorId };
    }),

  /**
   * Deletes the alias and returns how many nonces were deleted with it.
   * @throws Failure NOT_FOUND, FORBIDDEN
   */
  remove: (caller: Caller, name: string): Promise<number> =>
    store.transact((tx) => {
      // Checked again in the transaction: since the guard ran, the alias may have been deleted and created by another
      // user.
      const { tenant, alias } = resourceAccess({ store: tx }).alias(caller, name, 'UPDATE');
      return deleteAliasCascade(tx, tenant, alias);
    }),
});
