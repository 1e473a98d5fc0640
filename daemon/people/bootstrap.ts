// Creates the first tenant and the first user when the store has no user.
import * as z from 'zod/mini';
import { userRegistration } from '../../src/contract/people/users.ts';
import { Failure } from '../domain/failure.ts';
import { isReservedUsername } from '../domain/people/username.ts';
import type { TenantRecord, UserRecord } from '../domain/records/account-records.ts';
import { nextSerial } from '../domain/records/next-serial.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { ReadView, Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

/** @see docs/http-api.md#permissions */
const FIRST_TENANT = 'DEV';
const FIRST_USER = 'admin';
/** Characters of a generated password: 120 random bits. */
const GENERATED = 20;

export interface BootstrapDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
}

export interface Bootstrapped {
  readonly created: boolean;
  readonly username: string;
  readonly tenant: string;
  /** Present only if the password was generated. It is shown only once. */
  readonly password?: string;
}

/** The oldest user with the role admin. */
const firstAdmin = (view: ReadView): UserRecord | undefined => {
  for (const user of view.all('users')) if (user.roles.includes('admin')) return user;
  return undefined;
};

const demandUsable = (given: { readonly username: string; readonly password: string }) => {
  if (isReservedUsername(given.username))
    throw new Failure('VALIDATION', `username "${given.username}" is reserved. Choose another one.`);
  const result = z.safeParse(userRegistration, given);
  if (result.success) return;
  const [issue] = result.error.issues;
  throw new Failure('VALIDATION', `${String(issue?.path[0])} ${issue?.message}.`);
};

/**
 * Creates the first user. If there is already a user, changes nothing and returns the first admin.
 * @throws Failure VALIDATION
 */
export const bootstrap = async (
  { store, vault, ids, clock }: BootstrapDependencies,
  given: { readonly username?: string; readonly password?: string } = {},
): Promise<Bootstrapped> => {
  const existing = (view: ReadView): Bootstrapped | undefined => {
    if (view.count('users') === 0) return undefined;
    const admin = firstAdmin(view);
    return { created: false, username: admin?.username ?? '', tenant: admin?.tenant ?? FIRST_TENANT };
  };
  const already = existing(store);
  if (already !== undefined) return already;
  const username = given.username ?? FIRST_USER;
  const password = given.password ?? ids.secret().slice(0, GENERATED);
  demandUsable({ username, password });
  const passwordHash = await vault.hashPassword(password);
  return store.transact((tx) => {
    const meanwhile = existing(tx);
    if (meanwhile !== undefined) return meanwhile;
    const now = clock.now();
    const tenant: TenantRecord = { id: FIRST_TENANT, name: 'Development', lifetimes: {}, createdAt: now };
    if (tx.get('tenants', FIRST_TENANT) === undefined) tx.put('tenants', tenant);
    tx.put('users', {
      tenant: FIRST_TENANT,
      username,
      passwordHash,
      roles: ['admin'],
      uid: nextSerial(tx, FIRST_TENANT, 'users'),
      profile: { email: '', firstName: '', lastName: '', phone: '', mobilePhone: '' },
      createdAt: now,
    });
    const created = { created: true, username, tenant: FIRST_TENANT };
    return given.password === undefined ? { ...created, password } : created;
  });
};
