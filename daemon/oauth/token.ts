// The token endpoint: authenticates the client, applies the grant and issues tokens, which are durable before the
// response.
// @see docs/oauth.md#flows, RFC 6749 3.2

import type { Grant } from '../../src/contract/oauth/grants.ts';
import { Failure } from '../domain/failure.ts';
import { isStillProven } from '../domain/oauth/client-secret.ts';
import { findClient } from '../domain/oauth/find-client.ts';
import type { ClientRecord } from '../domain/records/account-records.ts';
import { isFromOtherSite } from '../http/request/origin.ts';
import { addressOf } from '../http/request/owner.ts';
import type { Handlers } from '../http/route-handler.ts';
import { authenticateClient } from './client-auth.ts';
import { authorizationCodeGrant } from './grants/authorization-code.ts';
import { clientCredentialsGrant } from './grants/client-credentials.ts';
import type { GrantDependencies, GrantEntry } from './grants/grant.ts';
import { passwordGrant } from './grants/password.ts';
import { refreshTokenGrant } from './grants/refresh-token.ts';
import type { Issuer } from './issue.ts';
import { invalidClient, oauthFailure } from './token-error.ts';
import { readParameters, required } from './token-form.ts';

export interface TokenDependencies extends GrantDependencies {
  readonly issue: Issuer;
  readonly baseUrl: () => string;
}

/** The supported grants. It is a Map, so that names such as `__proto__` are safe. @see docs/conformance/security.md R37 */
const grantTable = (dependencies: GrantDependencies): ReadonlyMap<string, GrantEntry> =>
  new Map<Grant, GrantEntry>([
    [
      'authorization_code',
      { needs: 'authorization_code', takesPublic: true, rule: authorizationCodeGrant(dependencies) },
    ],
    ['password', { needs: 'password', takesPublic: false, rule: passwordGrant(dependencies) }],
    ['client_credentials', { needs: 'client_credentials', takesPublic: false, rule: clientCredentialsGrant() }],
    ['refresh_token', { needs: 'refresh_token', takesPublic: true, rule: refreshTokenGrant(dependencies) }],
  ]);

const demandGrant = ({ grants, secretHash }: ClientRecord, { needs, takesPublic }: GrantEntry): void => {
  if (!grants.includes(needs) || (secretHash === '' && !takesPublic)) {
    throw oauthFailure('unauthorized_client', `This client is not registered for the grant "${needs}".`);
  }
};

export const tokenHandlers = (dependencies: TokenDependencies): Handlers<'token.create'> => {
  const { store, issue, baseUrl } = dependencies;
  const grants = grantTable(dependencies);
  return {
    'token.create': async ({ input, request }) => {
      const parameters = readParameters(input);
      const source = addressOf(request);
      // Checked before any secret is compared: a page of another site must not guess passwords through its visitor's
      // browser.
      if (parameters.get('grant_type') === 'password' && isFromOtherSite(request, baseUrl())) {
        throw oauthFailure(
          'invalid_request',
          'A page of another site cannot use the password grant. Use another grant.',
        );
      }
      const client = authenticateClient(dependencies, request, parameters, { takesPublic: true });
      const entry = grants.get(required(parameters, 'grant_type'));
      if (entry === undefined) {
        throw oauthFailure(
          'unsupported_grant_type',
          `The grant_type is not supported. The grant types are ${[...grants.keys()].join(', ')}.`,
        );
      }
      demandGrant(client, entry);
      const decide = await entry.rule({ client, parameters, source });
      const result = await store.transact((tx) => {
        // The client may have been deleted or changed during the slow password check.
        const present = findClient(tx, client.id);
        if (present === undefined || !isStillProven(present, client)) throw invalidClient();
        demandGrant(present, entry);
        const decided = decide(tx);
        return decided instanceof Failure ? decided : issue(tx, client.id, decided);
      });
      if (result instanceof Failure) throw result;
      return { result, message: 'Token issued.' };
    },
  };
};
