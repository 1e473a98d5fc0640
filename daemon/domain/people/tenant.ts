// Tenants: which is the first, and whose admins look after which. @see wire.md "Tenants, users, roles"
import type { InputOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { timedFlows } from '../../../src/contract/people/tenants.ts';
import { Failure } from '../failure.ts';
import { tokenLifetime } from '../oauth/token-lifetime.ts';
import type { TenantRecord } from '../records/account-records.ts';

/** An admin looks after the own tenant; the admins of the first one look after all. */
export interface Steward {
  readonly tenant: string;
}

/** Whether users of that tenant look after every tenant. @param tenants oldest first */
export const isFirstTenant = (id: string, tenants: Iterable<TenantRecord>): boolean => {
  for (const first of tenants) return first.id === id;
  return false;
};

/**
 * The tenant that was named, the steward's own if none was.
 * @param tenants oldest first
 * @throws Failure FORBIDDEN for another tenant than the own, whether it exists or not; NOT_FOUND, which only admins of the first tenant learn
 */
export const reachedTenant = (
  { tenant: own }: Steward,
  named: string | undefined,
  tenants: Iterable<TenantRecord>,
): string => {
  if (named === undefined || named === own) return own;
  const all = [...tenants];
  if (!isFirstTenant(own, all)) {
    throw new Failure(
      'FORBIDDEN',
      'You look after your own tenant only. Leave the tenant out, or ask an admin of the first one.',
    );
  }
  if (!all.some(({ id }) => id === named)) throw new Failure('NOT_FOUND', `There is no tenant ${named}.`);
  return named;
};

type GivenLifetimes = NonNullable<InputOf<Operations['tenants.create']>['lifetimes']>;

/** The lifetimes (s) that were given, in their limits, over those that a tenant has already. @see auth.md C9, R38 */
export const withLifetimes = (
  present: TenantRecord['lifetimes'],
  given: GivenLifetimes = {},
): TenantRecord['lifetimes'] => {
  const lifetimes = { ...present };
  for (const flow of timedFlows) {
    const seconds = given[flow];
    if (seconds !== undefined) lifetimes[flow] = tokenLifetime({ [flow]: seconds }, flow);
  }
  return lifetimes;
};
