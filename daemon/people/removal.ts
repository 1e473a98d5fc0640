// Deletes a user with all credentials. What the user owns is reassigned to an heir, or the deletion is refused.
import type { QueryOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { dropUser } from '../domain/oauth/revocation.ts';
import {
  fieldsBeyondHeir,
  withoutLinkSetter,
  withoutListSetter,
  withoutPointer,
  withoutUser,
} from '../domain/people/ownership-transfer.ts';
import { managedTenant } from '../domain/people/tenant.ts';
import type { UserRecord } from '../domain/records/account-records.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Transaction } from '../ports/store.ts';
import { demandOtherAdmin, type UsersDependencies, unknownUser } from './users-service.ts';

type Removed = ResultOf<Operations['users.delete']>;

/** @throws Failure VALIDATION if the heir is the deleted user, NOT_FOUND if there is no such user */
const findHeir = (tx: Transaction, { tenant, username }: UserRecord, named: string | undefined) => {
  if (named === undefined) return undefined;
  const heir = tx.get('users', joinKey(tenant, named));
  if (heir === undefined) throw unknownUser(named, tenant);
  if (named === username) {
    throw new Failure('VALIDATION', 'reassignTo names the user who is being deleted. Name another user.', {
      field: 'reassignTo',
    });
  }
  return heir;
};

const refuseHeir = (heir: UserRecord, owned: readonly ActorRecord[]): void => {
  for (const actor of owned) {
    const missing = fieldsBeyondHeir(actor, heir);
    if (missing.length === 0) continue;
    throw new Failure(
      'VALIDATION',
      `reassignTo: "${heir.username}" lacks the role that actor ${actor.id} needs for ${missing.join(', ')}. Name another user, or grant the role first.`,
      { field: 'reassignTo' },
    );
  }
};

/** The objects that a user owns, without actors that are being deleted. */
const ownedBy = (tx: Transaction, { tenant, username }: UserRecord) => {
  const isOwn = ({ owner }: { readonly owner: string }) => owner === username;
  return {
    actors: tx.by('actors', 'tenant', tenant).filter((actor) => isOwn(actor) && actor.status !== 'SHUTTING_DOWN'),
    aliases: tx.by('aliases', 'tenant', tenant).filter(isOwn),
    configs: tx.by('configs', 'tenant', tenant).filter(isOwn),
  };
};

type Owned = ReturnType<typeof ownedBy>;

const refuseOwner = (username: string, { actors, aliases, configs }: Owned): void => {
  const counted = [
    [actors.length, 'actor', 'actors'],
    [aliases.length, 'alias', 'aliases'],
    [configs.length, 'config', 'configs'],
  ] as const;
  const what = counted.flatMap(([count, one, many]) => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]));
  if (what.length === 0) return;
  throw new Failure(
    'IN_USE',
    `"${username}" owns ${what.join(' and ')}. Delete them first, or name the user who takes over with reassignTo.`,
    {
      actors: actors.map(({ id }) => id),
      aliases: aliases.map(({ alias }) => alias),
      configs: configs.map(({ name }) => name),
    },
  );
};

/** Reassigns the objects of the user and removes the user from all permissions. Returns the reassigned objects. */
const transferOwnership = (tx: Transaction, user: UserRecord, heir: UserRecord | undefined, now: number): Owned => {
  const { tenant, username } = user;
  const owned = ownedBy(tx, user);
  if (heir === undefined) refuseOwner(username, owned);
  else refuseHeir(heir, owned.actors);
  const stays = (name: string) => name !== username && tx.get('users', joinKey(tenant, name)) !== undefined;
  const departure = { username, heir: heir?.username, stays, now };
  for (const actor of tx.by('actors', 'tenant', tenant)) {
    const settled = withoutLinkSetter(withoutUser(actor, departure), departure);
    if (settled !== actor) tx.put('actors', settled);
  }
  for (const alias of tx.by('aliases', 'tenant', tenant)) {
    const settled = withoutPointer(withoutUser(alias, departure), departure);
    if (settled !== alias) tx.put('aliases', settled);
  }
  for (const config of tx.by('configs', 'tenant', tenant)) {
    const settled = withoutListSetter(withoutUser(config, departure), departure);
    if (settled !== config) tx.put('configs', settled);
  }
  return owned;
};

/** Deletes every nonce of a user and returns how many there were. A nonce acts in the name of its owner. */
const endNonces = (tx: Transaction, { tenant, username }: UserRecord): number => {
  const nonces = tx.by('nonces', 'owner', joinKey(tenant, username));
  for (const { id } of nonces) tx.delete('nonces', id);
  return nonces.length;
};

/**
 * Makes the deletion of a user, which runs in one transaction. Clients and nonces are deleted and never reassigned,
 * because anyone with their secrets would then act as the heir. The returned function throws Failure FORBIDDEN,
 * NOT_FOUND, VALIDATION, LAST_ADMIN, or IN_USE while the user owns actors, aliases or configs.
 * @see docs/conformance/security.md C10, R84
 */
export const userRemoval =
  ({ store, clock, logger }: Pick<UsersDependencies, 'store' | 'clock' | 'logger'>) =>
  async (caller: Caller, username: string, asked: QueryOf<Operations['users.delete']>): Promise<Removed> => {
    const tenant = managedTenant(caller, asked.tenant, store.all('tenants'));
    const removed = await store.transact((tx) => {
      const user = tx.get('users', joinKey(tenant, username));
      if (user === undefined) throw unknownUser(username, tenant);
      demandOtherAdmin(tx, user);
      const now = clock.now();
      const { actors, aliases, configs } = transferOwnership(tx, user, findHeir(tx, user, asked.reassignTo), now);
      return {
        deleted: username,
        ...dropUser(tx, tenant, username, now),
        nonces: endNonces(tx, user),
        reassigned: actors.length,
        reassignedAliases: aliases.length,
        reassignedConfigs: configs.length,
      };
    });
    const { deleted: user, ...counts } = removed;
    logger.info({ event: 'user-deleted', by: caller.username, tenant, user, ...counts }, 'user deleted');
    return removed;
  };
