// Registers, changes and deletes OAuth clients.
// @see docs/http-api.md#permissions, docs/conformance/security.md R06, R49, R78
import type { InputOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { toWireTime } from '../../src/contract/wire.ts';
import { Failure } from '../domain/failure.ts';
import { readGrants, readRedirectUris } from '../domain/oauth/client-description.ts';
import { secretDigests, withNewSecret } from '../domain/oauth/client-secret.ts';
import { dropClient, revokeClient, revokeLost } from '../domain/oauth/revocation.ts';
import { isValid } from '../domain/oauth/token-lifetime.ts';
import { demandUser } from '../domain/people/demand-user.ts';
import type { ClientRecord } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import type { Caller } from '../http/route-handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Logger } from '../ports/logger.ts';
import type { ReadView, Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

export interface ClientsDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly baseUrl: () => string;
}

type Registration = InputOf<Operations['clients.create']>;
type Change = InputOf<Operations['clients.update']>;
type Client = ResultOf<Operations['clients.create']>;

/** Makes a client id. Its characters need no encoding, and no username looks like it. @see docs/conformance/security.md C13, R78 */
export const newClientId = (ids: Ids): string => ids.id() + ids.id();

const isPublic = (client: ClientRecord): boolean => client.secretHash === '';

/** Refuses execution tokens: a client would outlive the execution. @see docs/conformance/security.md R154 */
const demandPerson = ({ executionId }: Caller): void => {
  if (executionId === undefined) return;
  throw new Failure(
    'FORBIDDEN',
    'The token of an execution cannot change clients, which outlive it. Use the token of a login.',
  );
};

/** Finds a client of the caller. Clients of other users are reported as not found. @throws Failure NOT_FOUND */
const demandOwnClient = (view: ReadView, { tenant, username }: Caller, name: string): ClientRecord => {
  const [client] = view.by('clients', 'name', joinKey(tenant, username, name));
  if (client === undefined) throw new Failure('NOT_FOUND', `You have no client named "${name}". Check the name.`);
  return client;
};

const refuse = (field: string, why: string): never => {
  throw new Failure('VALIDATION', `${field} ${why}`, { field });
};

/**
 * @throws Failure VALIDATION for a change of name or kind, which are fixed
 */
const demandSameKind = (client: ClientRecord, change: Change): void => {
  if ((change.clientName ?? client.name) !== client.name) {
    refuse('clientName', 'cannot be changed. Register another client instead.');
  }
  if ((change.public ?? isPublic(client)) !== isPublic(client)) {
    refuse('public', 'cannot be changed. Register another client instead.');
  }
};

export const clientsService = ({ store, vault, ids, clock, logger, baseUrl }: ClientsDependencies) => {
  /** Logs a change of client credentials, without any secret. @see docs/conformance/security.md R159 */
  const record = (event: string, { tenant, username }: Caller, client: string, revoked: number) =>
    logger.info({ event, tenant, user: username, client, revoked }, event.replace('-', ' '));

  const toClient = (client: ClientRecord): Client => {
    const self = `${baseUrl()}/clients/v2/${encodeURIComponent(client.name)}`;
    const { previousSecret } = client;
    const isInGrace = secretDigests(client, clock.now()).previous !== undefined;
    return {
      name: client.name,
      description: client.description,
      consumerKey: client.id,
      tier: client.tier,
      callbackUrl: client.redirectUris.join(','),
      grants: [...client.grants],
      public: isPublic(client),
      createTime: toWireTime(client.createdAt),
      ...(isInGrace && previousSecret && { previousValidUntil: toWireTime(previousSecret.validUntil) }),
      _links: { self },
    };
  };

  return {
    /** Registers a client. The returned secret is shown only once; the store contains only its digest. */
    create: async (caller: Caller, registration: Registration): Promise<Client> => {
      demandPerson(caller);
      const { tenant, username } = caller;
      const { clientName: name, public: withoutSecret = false } = registration;
      const consumerSecret = ids.secret();
      const client: ClientRecord = {
        id: newClientId(ids),
        tenant,
        owner: username,
        name,
        description: registration.description ?? '',
        tier: registration.tier || 'Unlimited',
        secretHash: withoutSecret ? '' : vault.digest(consumerSecret),
        redirectUris: readRedirectUris(registration.callbackUrl ?? ''),
        grants: readGrants(registration.grants, withoutSecret),
        createdAt: clock.now(),
      };
      await store.transact((tx) => {
        demandUser(tx, caller);
        if (tx.countBy('clients', 'name', joinKey(tenant, username, name)) > 0) {
          throw new Failure(
            'ALREADY_EXISTS',
            `A client named "${name}" already exists. Choose another name, or delete it first.`,
          );
        }
        tx.put('clients', client);
      });
      return withoutSecret ? toClient(client) : { ...toClient(client), consumerSecret };
    },

    /** The caller's own clients, oldest first. */
    list: ({ tenant, username }: Caller): Client[] =>
      store.by('clients', 'owner', joinKey(tenant, username)).map(toClient),

    show: (caller: Caller, name: string): ResultOf<Operations['clients.show']> => {
      const client = demandOwnClient(store, caller, name);
      const now = clock.now();
      const valid = store.by('tokens', 'client', client.id).filter((token) => isValid(token, now));
      const refresh = valid.filter(({ kind }) => kind === 'refresh').length;
      return { ...toClient(client), tokens: { access: valid.length - refresh, refresh } };
    },

    /** Updates a client. Omitted fields stay unchanged, so a request without `grants` does not enable other flows. */
    update: async (caller: Caller, name: string, change: Change): Promise<Client> => {
      demandPerson(caller);
      const updated = await store.transact((tx) => {
        const present = demandOwnClient(tx, caller, name);
        demandSameKind(present, change);
        const client: ClientRecord = {
          ...present,
          description: change.description ?? present.description,
          tier: change.tier || present.tier,
          redirectUris: change.callbackUrl === undefined ? present.redirectUris : readRedirectUris(change.callbackUrl),
          grants: change.grants?.length ? readGrants(change.grants, isPublic(present)) : present.grants,
        };
        tx.put('clients', client);
        revokeLost(tx, client);
        return client;
      });
      return toClient(updated);
    },

    remove: async (caller: Caller, name: string): Promise<ResultOf<Operations['clients.delete']>> => {
      demandPerson(caller);
      const { id, revoked } = await store.transact((tx) => {
        const client = demandOwnClient(tx, caller, name);
        return { id: client.id, revoked: dropClient(tx, client.id, clock.now()) };
      });
      record('client-deleted', caller, id, revoked);
      return { deleted: name, revoked };
    },

    /**
     * Gives the client a new secret. Without a grace period, the client's tokens are revoked, because the old secret
     * may be known to others. With a grace period (seconds), the old secret stays valid for that time and no token is
     * revoked.
     * @see docs/conformance/security.md C10
     */
    rotate: async (caller: Caller, name: string, grace: number): Promise<ResultOf<Operations['clients.rotate']>> => {
      demandPerson(caller);
      const consumerSecret = ids.secret();
      const { client, revoked } = await store.transact((tx) => {
        const present = demandOwnClient(tx, caller, name);
        if (isPublic(present)) {
          throw new Failure('VALIDATION', `"${name}" is a public client and has no secret to rotate.`);
        }
        const now = clock.now();
        const rotated = withNewSecret(present, vault.digest(consumerSecret), grace * 1_000, now);
        tx.put('clients', rotated);
        return { client: rotated, revoked: grace > 0 ? 0 : revokeClient(tx, present.id, now) };
      });
      record('secret-rotated', caller, client.id, revoked);
      return { ...toClient(client), consumerSecret, revoked };
    },
  };
};
