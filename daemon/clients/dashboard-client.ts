// Registers the OAuth client of the dashboard, once per tenant and address.
import { dashboardClient, dashboardClientId } from '../domain/oauth/dashboard-client.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export interface DashboardClientDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly baseUrl: () => string;
}

/**
 * Returns the client id of the dashboard for a tenant, by default the tenant of the first admin. Registers the client,
 * or changes its redirect URI if the daemon now listens at another address. Undefined if there is no such tenant.
 */
export const ensureDashboardClient = async (
  { store, clock, baseUrl }: DashboardClientDependencies,
  wanted: string | undefined,
): Promise<string | undefined> => {
  const tenant = wanted ?? [...store.all('users')].find(({ roles }) => roles.includes('admin'))?.tenant;
  if (tenant === undefined || store.get('tenants', tenant) === undefined) return undefined;
  const id = dashboardClientId(tenant);
  const isCurrent = (client: { readonly redirectUris: readonly string[] } | undefined) =>
    client?.redirectUris[0] === `${baseUrl()}/`;
  if (isCurrent(store.get('clients', id))) return id;
  await store.transact((tx) => {
    const present = tx.get('clients', id);
    if (!isCurrent(present)) tx.put('clients', dashboardClient(tenant, baseUrl(), present?.createdAt ?? clock.now()));
  });
  return id;
};
