// The OAuth client of the dashboard: the page that the daemon serves at its own address.
import type { ClientRecord } from '../records/account-records.ts';

/** Prefix of dashboard client ids. Ids of other clients are random letters and digits, so none begins with it. */
const ID_START = 'actorctl-dashboard.';

/** A client serves the users of its own tenant only. */
export const dashboardClientId = (tenant: string): string => `${ID_START}${tenant}`;

/** The client belongs to no user, so nobody can change or delete it. Its only redirect URI is the dashboard page. */
export const dashboardClient = (tenant: string, baseUrl: string, createdAt: number): ClientRecord => ({
  id: dashboardClientId(tenant),
  tenant,
  owner: '',
  name: 'actorctl dashboard',
  description: 'The dashboard of this service',
  tier: 'Unlimited',
  secretHash: '',
  redirectUris: [`${baseUrl}/`],
  grants: ['authorization_code', 'refresh_token'],
  createdAt,
});

/**
 * True for the dashboard, which needs no consent because it is a page of the service itself.
 * @see docs/conformance/security.md C28
 */
export const isDashboard = (clientId: string): boolean => clientId.startsWith(ID_START);
