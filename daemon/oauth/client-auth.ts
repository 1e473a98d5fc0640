// Authenticates the client of a request: id and secret by Basic or in the body, but not both.
// @see RFC 6749 2.3.1
import type { IncomingMessage } from 'node:http';
import { secretDigests } from '../domain/oauth/client-secret.ts';
import { findClient } from '../domain/oauth/find-client.ts';
import type { ClientRecord } from '../domain/records/account-records.ts';
import { readAuthorization, splitBasic } from '../http/authenticate.ts';
import { decodeFormPart } from '../http/request/form.ts';
import { addressOf } from '../http/request/owner.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { invalidClient, oauthFailure } from './token-error.ts';
import type { Parameters } from './token-form.ts';

/** Both parts of the Basic credentials are form-urlencoded. @see RFC 6749 2.3.1, appendix B */
const decode = (part: string): string => {
  const decoded = decodeFormPart(part);
  if (decoded === undefined) {
    throw oauthFailure('invalid_request', 'The Basic credentials contain a broken percent-escape.');
  }
  return decoded;
};

const fromHeader = (request: IncomingMessage): readonly [id: string, secret: string] | undefined => {
  const credentials = readAuthorization(request);
  if (credentials === undefined) return undefined;
  if (credentials.scheme !== 'basic') throw invalidClient();
  const parts = splitBasic(credentials.value);
  if (parts === undefined) {
    throw oauthFailure('invalid_request', 'The Authorization header is not BASE64(client_id:client_secret).');
  }
  return [decode(parts[0]), decode(parts[1])];
};

const fromBody = (parameters: Parameters): readonly [id: string, secret: string] | undefined => {
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  return id === undefined || secret === undefined ? undefined : [id, secret];
};

export interface ClientAuthDependencies {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Returns the authenticated client, or a public client, which has no secret, if `takesPublic` allows it. An unknown id
 * and a wrong secret take the same time and get the same response.
 * @throws Failure invalid_client; invalid_request for two methods at once, two different ids, or a malformed header
 * @see docs/conformance/security.md#client-authentication
 */
export const authenticateClient = (
  { store, vault, clock, logger }: ClientAuthDependencies,
  request: IncomingMessage,
  parameters: Parameters,
  { takesPublic }: { readonly takesPublic: boolean },
): ClientRecord => {
  const header = fromHeader(request);
  if (header !== undefined && parameters.has('client_secret')) {
    throw oauthFailure('invalid_request', 'Authenticate the client by header or in the body, not both.');
  }
  const [id, secret] = header ?? fromBody(parameters) ?? [parameters.get('client_id') ?? '', ''];
  if (header !== undefined && (parameters.get('client_id') ?? id) !== id) {
    throw oauthFailure('invalid_request', 'The client_id in the body differs from the client_id in the header.');
  }
  const client = findClient(store, id);
  // A public client has no secret. Its code or refresh token is the proof.
  if (takesPublic && header === undefined && secret === '' && client?.secretHash === '') return client;
  const { current, previous } = secretDigests(client, clock.now());
  // Both secrets are always compared, so that the time does not reveal which of them exist.
  const matches = [vault.matches(secret, current), vault.matches(secret, previous)];
  if (matches.includes(true) && client !== undefined) return client;
  logger.warn(
    { event: 'client-refused', known: client !== undefined, source: addressOf(request) },
    'client authentication failed',
  );
  throw invalidClient();
};
