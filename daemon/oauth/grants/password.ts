// The password grant: a trusted client presents the username and password of a user.
// @see docs/oauth.md#password, RFC 6749 4.3

import { grantedScope } from '../../domain/oauth/scope.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import { invalidGrant, oauthFailure } from '../token-error.ts';
import { required } from '../token-form.ts';
import type { GrantDependencies, GrantRule } from './grant.ts';

/**
 * Makes the grant's rule. The user is looked up in the tenant of the client.
 * @see docs/oauth.md#password, docs/conformance/security.md R71, R72, R73, R74, R75, R76
 */
export const passwordGrant =
  ({ checkPassword }: GrantDependencies): GrantRule =>
  async ({ client, parameters, source }) => {
    const username = required(parameters, 'username');
    const password = required(parameters, 'password');
    const scope = grantedScope(parameters.get('scope'), true);
    if (scope === undefined) throw oauthFailure('invalid_scope', 'The scope must be PRODUCTION.');
    const { tenant } = client;
    const user = await checkPassword({ tenant, username, password, lane: 'token', source, clientId: client.id });
    if (user === undefined) throw invalidGrant();
    return (tx) => {
      // The password may have changed during the slow check. The old password must not yield tokens.
      if (tx.get('users', joinKey(tenant, username))?.passwordHash !== user.passwordHash) throw invalidGrant();
      return { tenant, username, scope, flow: 'password', refreshToken: { kind: 'new' } };
    };
  };
