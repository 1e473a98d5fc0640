// OAuth clients: registration and list. @see wire.md "Clients, users, tenants", auth.md R06, R49, R78
import type { InputOf, ResultOf } from '../../src/contract/operation.ts';
import type { Operations } from '../../src/contract/operations.ts';
import { Failure } from '../domain/failure.ts';
import { type ClientRecord, type Grant, joinKey } from '../domain/records.ts';
import { redirectUriFault } from '../domain/redirect-uri.ts';
import type { Caller } from '../http/on.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';

export interface ClientsDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly ids: Ids;
  readonly clock: Clock;
  /** The origin of the links, without a slash at its end. */
  readonly baseUrl: () => string;
}

type Registration = InputOf<Operations['clients.create']>;
type Client = ResultOf<Operations['clients.create']>;

/** All flows, the default of a registration. */
export const allGrants: readonly Grant[] = [
  'authorization_code',
  'implicit',
  'password',
  'client_credentials',
  'refresh_token',
];

const isGrant = (word: string): word is Grant => allGrants.some((grant) => grant === word);

/** A client id in the alphabet that every encoding leaves alone; generated, so that it never looks like a user. @see auth.md C13, R78 */
export const newClientId = (ids: Ids): string => ids.id() + ids.id();

const split = (text: string, separator: RegExp | string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

const redirectUris = (callbackUrl: string): string[] => {
  const uris = [...new Set(split(callbackUrl, ','))];
  for (const [index, uri] of uris.entries()) {
    const fault = redirectUriFault(uri);
    if (fault === undefined) continue;
    // By its number: a URI that is refused may hold a password.
    throw new Failure('VALIDATION', `callbackUrl: URI ${index + 1} ${fault}.`, { field: 'callbackUrl' });
  }
  return uris;
};

const grantsOf = (given: Registration['grants']): readonly Grant[] => {
  const words = typeof given === 'string' ? split(given, /[\s,]+/) : (given ?? []);
  if (words.length === 0) return allGrants;
  const grants = new Set<Grant>();
  for (const word of words) {
    if (!isGrant(word)) {
      throw new Failure('VALIDATION', `grants must be among ${allGrants.join(', ')}.`, { field: 'grants' });
    }
    grants.add(word);
  }
  return [...grants];
};

export const clientsService = ({ store, vault, ids, clock, baseUrl }: ClientsDependencies) => {
  const toClient = (client: ClientRecord): Client => {
    const self = `${baseUrl()}/clients/v2/${encodeURIComponent(client.name)}`;
    return {
      name: client.name,
      description: client.description,
      consumerKey: client.id,
      tier: client.tier,
      callbackUrl: client.redirectUris.join(','),
      grants: [...client.grants],
      _links: { self, subscriptions: `${self}/subscriptions` },
    };
  };
  return {
    /** The secret is in this answer only; what is kept is its digest. @throws Failure VALIDATION, FORBIDDEN, ALREADY_EXISTS */
    create: async ({ tenant, username, executionId }: Caller, registration: Registration): Promise<Client> => {
      if (executionId !== undefined) {
        throw new Failure(
          'FORBIDDEN',
          'The token of an execution cannot register a client, which would outlive it. Register it as yourself.',
        );
      }
      const name = registration.clientName;
      const consumerSecret = ids.secret();
      const client: ClientRecord = {
        id: newClientId(ids),
        tenant,
        owner: username,
        name,
        description: registration.description ?? '',
        tier: registration.tier || 'Unlimited',
        secretHash: vault.digest(consumerSecret),
        redirectUris: redirectUris(registration.callbackUrl ?? ''),
        grants: grantsOf(registration.grants),
        createdAt: clock.now(),
      };
      await store.transact((tx) => {
        if (tx.countBy('clients', 'name', joinKey(tenant, username, name)) > 0) {
          throw new Failure(
            'ALREADY_EXISTS',
            `A client ${name} already exists. Choose another name, or delete it first.`,
          );
        }
        tx.put('clients', client);
      });
      return { ...toClient(client), consumerSecret };
    },
    /** The caller's own clients, oldest first. */
    list: ({ tenant, username }: Caller): Client[] =>
      store.by('clients', 'owner', joinKey(tenant, username)).map(toClient),
  };
};
