// The OAuth client of the command line. It is created once and gets a new secret if the command line has lost its
// secret.

import { CALLBACK_PORTS, redirectUriOf } from '../../src/contract/cli-client.ts';
import { grants } from '../../src/contract/oauth/grants.ts';
import { Failure } from '../domain/failure.ts';
import type { ClientRecord } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { newClientId } from './service.ts';

const NAME = 'actorctl-cli';

export interface CliClientDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
}

export interface CliClient {
  readonly client_id: string;
  readonly client_secret: string;
}

/**
 * Creates the client `actorctl-cli` of the first admin, or gives it a new secret. The old secret and the refresh tokens
 * of the client become invalid. Reachable only through the management socket, whose callers own the files of the
 * daemon.
 * @throws Failure NOT_FOUND if there is no admin
 * @see docs/conformance/security.md C10
 */
export const cliClient = async ({ store, vault, ids, clock }: CliClientDependencies): Promise<CliClient> => {
  const secret = ids.secret();
  const id = await store.transact((tx) => {
    const admin = [...tx.all('users')].find(({ roles }) => roles.includes('admin'));
    if (admin === undefined) {
      throw new Failure('NOT_FOUND', 'There is no admin user yet. Run `actorctl up`, which creates one.');
    }
    const [present] = tx.by('clients', 'name', joinKey(admin.tenant, admin.username, NAME));
    const client: ClientRecord = {
      id: present?.id ?? newClientId(ids),
      tenant: admin.tenant,
      owner: admin.username,
      name: NAME,
      description: 'The command line actorctl',
      tier: 'Unlimited',
      secretHash: vault.digest(secret),
      redirectUris: CALLBACK_PORTS.map(redirectUriOf),
      grants,
      createdAt: present?.createdAt ?? clock.now(),
    };
    tx.put('clients', client);
    for (const token of tx.by('tokens', 'client', client.id)) {
      if (token.kind === 'refresh') tx.delete('tokens', token.hash);
    }
    return client.id;
  });
  return { client_id: id, client_secret: secret };
};
