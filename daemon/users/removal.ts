// Deleting a user: everything that could still act in that name goes with it; actors go to an heir or stand in the way.
import type { QueryOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { beyondHeir, withoutUser } from '../domain/ownership.ts';
import { type ActorRecord, joinKey, type UserRecord } from '../domain/records.ts';
import { dropUser } from '../domain/revocation.ts';
import { reachedTenant } from '../domain/tenant.ts';
import type { Caller } from '../http/on.ts';
import type { Transaction } from '../ports/store.ts';
import { demandOtherAdmin, type UsersDependencies, unknownUser } from './service.ts';

type Removed = ResultOf<Operations['users.delete']>;

/** @throws Failure VALIDATION when that user cannot take over actors, NOT_FOUND when there is none */
const heirOf = (tx: Transaction, { tenant, username }: UserRecord, named: string | undefined) => {
  if (named === undefined) return undefined;
  const heir = tx.get('users', joinKey(tenant, named));
  if (heir === undefined) throw unknownUser(named, tenant);
  if (named === username) {
    throw new Failure('VALIDATION', 'reassignTo names the user who is being deleted. Name another one.', {
      field: 'reassignTo',
    });
  }
  return heir;
};

const refuseHeir = (heir: UserRecord, owned: readonly ActorRecord[]): void => {
  for (const actor of owned) {
    const beyond = beyondHeir(actor, heir);
    if (beyond.length === 0) continue;
    throw new Failure(
      'VALIDATION',
      `reassignTo: ${heir.username} lacks the role for what actor ${actor.id} has (${beyond.join(', ')}). Name another user, or give the role first.`,
      { field: 'reassignTo' },
    );
  }
};

/** Hands the actors over and takes the user's name off all others; answers how many were handed over. */
const settleActors = (tx: Transaction, user: UserRecord, heir: UserRecord | undefined, now: number): number => {
  const { tenant, username } = user;
  const actors = tx.by('actors', 'tenant', tenant);
  // One that is being deleted needs no owner any more.
  const owned = actors.filter(({ owner, status }) => owner === username && status !== 'SHUTTING_DOWN');
  if (heir === undefined && owned.length > 0) {
    throw new Failure(
      'IN_USE',
      `${username} owns ${owned.length === 1 ? 'an actor' : `${owned.length} actors`}. Delete them first, or name the user who takes over with reassignTo.`,
      { actors: owned.map(({ id }) => id) },
    );
  }
  if (heir !== undefined) refuseHeir(heir, owned);
  for (const actor of actors) {
    const settled = withoutUser(actor, username, heir?.username, now);
    if (settled !== actor) tx.put('actors', settled);
  }
  return owned.length;
};

/**
 * Deletes a user in one decision. Clients end with their owner and are never handed over: whoever holds their secrets
 * would act as the heir.
 * The returned function throws Failure FORBIDDEN, NOT_FOUND, VALIDATION, LAST_ADMIN, or IN_USE while the user owns actors.
 * @see auth.md C10, R84
 */
export const userRemoval =
  ({ store, clock, logger, endSessions }: Pick<UsersDependencies, 'store' | 'clock' | 'logger' | 'endSessions'>) =>
  async (caller: Caller, username: string, asked: QueryOf<Operations['users.delete']>): Promise<Removed> => {
    const tenant = reachedTenant(caller, asked.tenant, store.all('tenants'));
    const removed = await store.transact((tx) => {
      const user = tx.get('users', joinKey(tenant, username));
      if (user === undefined) throw unknownUser(username, tenant);
      demandOtherAdmin(tx, user);
      const reassigned = settleActors(tx, user, heirOf(tx, user, asked.reassignTo), clock.now());
      return { deleted: username, ...dropUser(tx, tenant, username), reassigned };
    });
    endSessions(tenant, username);
    const { deleted: user, ...counts } = removed;
    logger.info({ event: 'user-deleted', by: caller.username, tenant, user, ...counts }, 'user deleted');
    return removed;
  };
