// Rules of tenants: which tenant is the first, and which tenants an admin manages. @see docs/http-api.md#permissions

import { timedFlows } from '../../../src/contract/oauth/grants.ts';
import type { InputOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { Failure } from '../failure.ts';
import { tokenLifetime } from '../oauth/token-lifetime.ts';
import type { TenantRecord } from '../records/account-records.ts';

/** An admin of a tenant. Admins manage their own tenant; admins of the first tenant manage all tenants. */
export interface TenantAdmin {
  readonly tenant: string;
}

/** @param tenants oldest first */
export const isFirstTenant = (id: string, tenants: Iterable<TenantRecord>): boolean => {
  for (const first of tenants) return first.id === id;
  return false;
};

/**
 * The tenant that a request concerns: the named one, or the admin's own if none is named.
 * @param tenants oldest first
 * @throws Failure FORBIDDEN for another tenant, whether or not it exists; NOT_FOUND, which only admins of the first
 * tenant can receive
 */
export const managedTenant = (
  { tenant: own }: TenantAdmin,
  named: string | undefined,
  tenants: Iterable<TenantRecord>,
): string => {
  if (named === undefined || named === own) return own;
  const all = [...tenants];
  if (!isFirstTenant(own, all)) {
    throw new Failure(
      'FORBIDDEN',
      'You can manage only your own tenant. Leave the tenant out, or ask an admin of the first tenant.',
    );
  }
  if (!all.some(({ id }) => id === named)) throw new Failure('NOT_FOUND', `There is no tenant "${named}".`);
  return named;
};

type GivenLifetimes = NonNullable<InputOf<Operations['tenants.create']>['lifetimes']>;

/**
 * Merges the given lifetimes (seconds) into those of a tenant, limited to the allowed range.
 * @see docs/conformance/security.md C9, R38
 */
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
