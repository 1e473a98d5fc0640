// Creates, lists, shows and changes local users. @see docs/http-api.md#permissions
import type { InputOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import type { Role } from '../../src/contract/people/users.ts';
import { Failure } from '../domain/failure.ts';
import { revokeUser } from '../domain/oauth/revocation.ts';
import { toProfile } from '../domain/people/profile.ts';
import { managedTenant } from '../domain/people/tenant.ts';
import { isReservedUsername } from '../domain/people/username.ts';
import type { UserRecord } from '../domain/records/account-records.ts';
import { nextSerial } from '../domain/records/next-serial.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store, Transaction } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

export interface UsersDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly baseUrl: () => string;
}

type Registration = InputOf<Operations['users.create']>;
type Change = InputOf<Operations['users.update']>;
type User = ResultOf<Operations['users.show']>;
type ChangedUser = ResultOf<Operations['users.update']>;

const DEFAULT_ROLES: readonly Role[] = ['user'];

const unique = (roles: readonly Role[]): readonly Role[] => [...new Set(roles)];

const nameTaken = (username: string, tenant: string) =>
  new Failure(
    'ALREADY_EXISTS',
    `A user named "${username}" already exists in tenant "${tenant}". Choose another name.`,
  );

export const unknownUser = (username: string, tenant: string): Failure =>
  new Failure('NOT_FOUND', `There is no user "${username}" in tenant "${tenant}". Check the name.`);

/** Refuses to remove the last admin of a tenant, because nobody could then manage it. @throws Failure LAST_ADMIN */
export const demandOtherAdmin = (tx: Transaction, { tenant, username, roles }: UserRecord): void => {
  const isOther = (user: UserRecord) => user.username !== username && user.roles.includes('admin');
  if (!roles.includes('admin') || tx.by('users', 'tenant', tenant).some(isOther)) return;
  throw new Failure(
    'LAST_ADMIN',
    `"${username}" is the last admin of tenant "${tenant}". Make another user an admin first.`,
  );
};

const profileOf = (given: Change, present?: UserRecord['profile']): UserRecord['profile'] => ({
  email: given.email ?? present?.email ?? '',
  firstName: given.first_name ?? present?.firstName ?? '',
  lastName: given.last_name ?? present?.lastName ?? '',
  phone: given.phone ?? present?.phone ?? '',
  mobilePhone: given.mobile_phone ?? present?.mobilePhone ?? '',
});

export const usersService = ({ store, vault, clock, logger, baseUrl }: UsersDependencies) => {
  const toUser = (user: UserRecord): User => ({
    ...toProfile(user, baseUrl()),
    roles: [...user.roles],
    tenant: user.tenant,
  });

  const tenantOf = (caller: Caller, named: string | undefined) => managedTenant(caller, named, store.all('tenants'));

  return {
    create: async (caller: Caller, registration: Registration): Promise<User> => {
      const { username } = registration;
      if (isReservedUsername(username)) {
        throw new Failure('VALIDATION', `username "${username}" is reserved. Choose another one.`, {
          field: 'username',
        });
      }
      const tenant = tenantOf(caller, registration.tenant);
      const key = joinKey(tenant, username);
      // The name is checked before the slow password hash, and again in the transaction.
      if (store.get('users', key) !== undefined) throw nameTaken(username, tenant);
      const passwordHash = await vault.hashPassword(registration.password);
      const created = await store.transact((tx) => {
        if (tx.get('users', key) !== undefined) throw nameTaken(username, tenant);
        const user: UserRecord = {
          tenant,
          username,
          passwordHash,
          roles: unique(registration.roles ?? DEFAULT_ROLES),
          uid: nextSerial(tx, tenant, 'users'),
          profile: profileOf(registration),
          createdAt: clock.now(),
        };
        tx.put('users', user);
        return user;
      });
      return toUser(created);
    },

    /** The users of a tenant, oldest first. @throws Failure FORBIDDEN, NOT_FOUND (tenant) */
    list: (caller: Caller, tenant?: string): User[] =>
      store.by('users', 'tenant', tenantOf(caller, tenant)).map(toUser),

    show: (caller: Caller, username: string, named?: string): User => {
      const tenant = tenantOf(caller, named);
      const user = store.get('users', joinKey(tenant, username));
      if (user === undefined) throw unknownUser(username, tenant);
      return toUser(user);
    },

    /**
     * Updates a user. Omitted fields stay unchanged. A new password ends all tokens and sessions.
     * @see docs/conformance/security.md C10
     */
    update: async (caller: Caller, username: string, change: Change, named?: string): Promise<ChangedUser> => {
      const tenant = tenantOf(caller, named);
      const key = joinKey(tenant, username);
      if (store.get('users', key) === undefined) throw unknownUser(username, tenant);
      if (change.username !== undefined && change.username !== username) {
        throw new Failure('VALIDATION', 'username cannot be changed. Create another user instead.', {
          field: 'username',
        });
      }
      const passwordHash = change.password === undefined ? undefined : await vault.hashPassword(change.password);
      const { user, revoked } = await store.transact((tx) => {
        const present = tx.get('users', key);
        if (present === undefined) throw unknownUser(username, tenant);
        const roles = change.roles === undefined ? present.roles : unique(change.roles);
        if (!roles.includes('admin')) demandOtherAdmin(tx, present);
        const user: UserRecord = {
          ...present,
          roles,
          profile: profileOf(change, present.profile),
          ...(passwordHash !== undefined && { passwordHash }),
        };
        tx.put('users', user);
        const revoked = passwordHash === undefined ? undefined : revokeUser(tx, tenant, username, clock.now());
        return { user, revoked };
      });
      if (revoked === undefined) return toUser(user);
      logger.info(
        { event: 'password-changed', by: caller.username, tenant, user: username, revoked },
        'password changed',
      );
      return { ...toUser(user), revoked };
    },
  };
};
