// Lists, creates, shows and changes tenants. @see docs/http-api.md#permissions
import { perFlow } from '../../src/contract/oauth/grants.ts';
import type { InputOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { tokenLifetime } from '../domain/oauth/token-lifetime.ts';
import { isFirstTenant, managedTenant, withLifetimes } from '../domain/people/tenant.ts';
import type { TenantRecord } from '../domain/records/account-records.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReadView, Store } from '../ports/store.ts';

export interface TenantsDependencies {
  readonly store: Store;
  readonly clock: Clock;
  /** The base URL, which all tenants share, without a trailing slash. */
  readonly baseUrl: () => string;
}

type Entry = ResultOf<Operations['tenants.list']>[number];
type Tenant = ResultOf<Operations['tenants.show']>;

export const tenantsService = ({ store, clock, baseUrl }: TenantsDependencies) => {
  const toEntry = ({ id, name }: TenantRecord): Entry => ({ code: id, name, baseUrl: baseUrl() });

  const toTenant = (tenant: TenantRecord): Tenant => {
    return { ...toEntry(tenant), lifetimes: perFlow((flow) => tokenLifetime(tenant.lifetimes, flow)) };
  };

  const demandReachable = (view: ReadView, caller: Caller, named: string): TenantRecord => {
    const id = managedTenant(caller, named, view.all('tenants'));
    const tenant = view.get('tenants', id);
    if (tenant === undefined) throw new Failure('NOT_FOUND', `There is no tenant "${id}". Check the id.`);
    return tenant;
  };

  return {
    list: (): Entry[] => [...store.all('tenants')].map(toEntry),

    show: (caller: Caller, id: string): Tenant => toTenant(demandReachable(store, caller, id)),

    /** @throws Failure FORBIDDEN, ALREADY_EXISTS if an existing id is equal or differs only in case */
    create: async (caller: Caller, { id, name, lifetimes }: InputOf<Operations['tenants.create']>): Promise<Tenant> => {
      if (!isFirstTenant(caller.tenant, store.all('tenants'))) {
        throw new Failure('FORBIDDEN', 'Only admins of the first tenant can create tenants. Ask one of them.');
      }
      const created = await store.transact((tx) => {
        const taken = [...tx.all('tenants')].find((present) => present.id.toLowerCase() === id.toLowerCase());
        if (taken !== undefined) {
          throw new Failure('ALREADY_EXISTS', `A tenant "${taken.id}" already exists. Choose another id.`);
        }
        const tenant = { id, name: name || id, lifetimes: withLifetimes({}, lifetimes), createdAt: clock.now() };
        tx.put('tenants', tenant);
        return tenant;
      });
      return toTenant(created);
    },

    /** Updates a tenant. Omitted fields stay unchanged. @throws Failure FORBIDDEN, NOT_FOUND */
    update: async (
      caller: Caller,
      tenantId: string,
      { name, lifetimes }: InputOf<Operations['tenants.update']>,
    ): Promise<Tenant> => {
      const updated = await store.transact((tx) => {
        const present = demandReachable(tx, caller, tenantId);
        const tenant = {
          ...present,
          name: name || present.name,
          lifetimes: withLifetimes(present.lifetimes, lifetimes),
        };
        tx.put('tenants', tenant);
        return tenant;
      });
      return toTenant(updated);
    },
  };
};
