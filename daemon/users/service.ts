// The local user store: create and list. @see wire.md "Clients, users, tenants"
import type { InputOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import type { Role } from '../../src/contract/users.ts';
import { Failure } from '../domain/failure.ts';
import { toProfile } from '../domain/profile.ts';
import { joinKey, type UserRecord } from '../domain/records.ts';
import type { Caller } from '../http/on.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

export interface UsersDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  /** The origin of the links, without a slash at its end. */
  readonly baseUrl: () => string;
}

type Registration = InputOf<Operations['users.create']>;
type User = ResultOf<Operations['users.create']>;

/** Names with a meaning of their own. @see wire.md "Tenants, users, roles" */
const RESERVED = new Set(['ABACO_WORLD', 'me', '__proto__', 'constructor', 'prototype']);

const DEFAULT_ROLES: readonly Role[] = ['user'];

const nameTaken = (username: string, tenant: string) =>
  new Failure('ALREADY_EXISTS', `A user ${username} already exists in tenant ${tenant}. Choose another name.`);

export const usersService = ({ store, vault, clock, baseUrl }: UsersDependencies) => {
  const toUser = (user: UserRecord): User => ({
    ...toProfile(user, baseUrl()),
    roles: [...user.roles],
    tenant: user.tenant,
  });

  /** An admin rules in the own tenant; the admins of the first tenant rule in all. */
  const demandReach = (caller: Caller, tenant: string) => {
    const [first] = store.all('tenants');
    if (tenant === caller.tenant) return;
    if (caller.tenant !== first?.id) throw new Failure('FORBIDDEN', 'You can create users in your own tenant only.');
    if (store.get('tenants', tenant) === undefined) throw new Failure('NOT_FOUND', `There is no tenant ${tenant}.`);
  };

  return {
    /** @throws Failure VALIDATION, ALREADY_EXISTS, FORBIDDEN, NOT_FOUND (tenant) */
    create: async (caller: Caller, registration: Registration): Promise<User> => {
      const { username, tenant = caller.tenant } = registration;
      if (RESERVED.has(username)) throw new Failure('VALIDATION', `username ${username} is reserved. Choose another.`);
      demandReach(caller, tenant);
      const key = joinKey(tenant, username);
      // Asked before the slow hash as well as in the decision.
      if (store.get('users', key) !== undefined) throw nameTaken(username, tenant);
      const passwordHash = await vault.hashPassword(registration.password);
      const created = await store.transact((tx) => {
        if (tx.get('users', key) !== undefined) throw nameTaken(username, tenant);
        const user: UserRecord = {
          tenant,
          username,
          passwordHash,
          roles: [...new Set(registration.roles ?? DEFAULT_ROLES)],
          uid: tx.nextSequence(),
          profile: {
            email: registration.email ?? '',
            firstName: registration.first_name ?? '',
            lastName: registration.last_name ?? '',
            phone: registration.phone ?? '',
            mobilePhone: registration.mobile_phone ?? '',
          },
          createdAt: clock.now(),
        };
        tx.put('users', user);
        return user;
      });
      return toUser(created);
    },
    /** The users of the caller's tenant, oldest first. */
    list: ({ tenant }: Caller): User[] => store.by('users', 'tenant', tenant).map(toUser),
  };
};
