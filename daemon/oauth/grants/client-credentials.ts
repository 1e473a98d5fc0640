// The client credentials grant: the client acts as the user who registered it.
// @see docs/oauth.md#client-credentials, RFC 6749 4.4

import { grantedScope } from '../../domain/oauth/scope.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import { invalidGrant, oauthFailure } from '../token-error.ts';
import type { GrantRule } from './grant.ts';

/** Issues no refresh token, because the client can request a new access token at any time. @see docs/conformance/security.md R77 */
export const clientCredentialsGrant =
  (): GrantRule =>
  ({ client, parameters }) => {
    const scope = grantedScope(parameters.get('scope'), false);
    if (scope === undefined) throw oauthFailure('invalid_scope', 'The scope must be PRODUCTION or absent.');
    const { tenant, owner } = client;
    return (tx) => {
      if (tx.get('users', joinKey(tenant, owner)) === undefined) throw invalidGrant();
      return { tenant, username: owner, scope, flow: 'client_credentials' };
    };
  };
