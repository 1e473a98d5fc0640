// Finds a client by its id: a stored one, or the public client of the command line, which every tenant has.
import { CALLBACK_PORTS, cliClientId, redirectUriOf, tenantOfCliClient } from '../../../src/contract/cli-client.ts';
import type { ReadView } from '../../ports/store.ts';
import type { ClientRecord } from '../records/account-records.ts';

/**
 * The client is not stored, so nobody can list, change or delete it, and data of every age have it.
 * @see docs/conformance/security.md C31
 */
const cliClientOf = (tenant: string): ClientRecord => ({
  id: cliClientId(tenant),
  tenant,
  owner: '',
  name: 'actorctl',
  description: 'The command line',
  tier: 'Unlimited',
  secretHash: '',
  redirectUris: CALLBACK_PORTS.map(redirectUriOf),
  grants: ['authorization_code', 'refresh_token'],
  createdAt: 0,
});

/** The client with this id. A stored client never takes the place of a client of the command line. */
export const findClient = (view: Pick<ReadView, 'get'>, id: string): ClientRecord | undefined => {
  const tenant = tenantOfCliClient(id);
  if (tenant === undefined) return view.get('clients', id);
  return view.get('tenants', tenant) === undefined ? undefined : cliClientOf(tenant);
};
