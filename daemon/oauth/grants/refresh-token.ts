// The refresh grant: issues a new access token for a refresh token. @see docs/oauth.md#refresh, RFC 6749 6

import type { TimedFlow } from '../../../src/contract/oauth/grants.ts';
import { revokeGrant } from '../../domain/oauth/revocation.ts';
import { grantedScope } from '../../domain/oauth/scope.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import { invalidGrant, oauthFailure } from '../token-error.ts';
import { required } from '../token-form.ts';
import type { GrantDependencies, GrantRule } from './grant.ts';

/** Flows that issue refresh tokens. @see docs/conformance/security.md R64 */
const refreshable: ReadonlySet<string> = new Set<TimedFlow>(['authorization_code', 'password']);
const isRefreshable = (flow: string): flow is TimedFlow => refreshable.has(flow);

/**
 * Makes the grant's rule. Refresh tokens never expire. A client with a secret gets the same refresh token again,
 * because clients read it from every response. A public client gets a new one each time, and a second use of an old one
 * revokes the whole grant.
 * @see docs/oauth.md#refresh, docs/conformance/security.md C10, C11, RFC 9700 2.2.2
 */
export const refreshTokenGrant =
  ({ vault, clock, logger }: GrantDependencies): GrantRule =>
  ({ client, parameters, source }) => {
    const value = required(parameters, 'refresh_token');
    const scope = grantedScope(parameters.get('scope'), false);
    if (scope === undefined) throw oauthFailure('invalid_scope', 'The scope must be PRODUCTION or absent.');
    return (tx) => {
      const token = tx.get('tokens', vault.digest(value));
      if (token === undefined || token.kind !== 'refresh' || token.clientId !== client.id) throw invalidGrant();
      const { tenant, username, flow, grantId, browser, begunAt = token.issuedAt } = token;
      if (token.usedAt !== undefined) {
        const revoked = revokeGrant(tx, grantId, clock.now());
        logger.warn(
          { event: 'refresh-replayed', client: client.id, tenant, user: username, source, revoked },
          'a refresh token was used again, so its grant is revoked',
        );
        return invalidGrant();
      }
      if (!isRefreshable(flow) || tx.get('users', joinKey(tenant, username)) === undefined) throw invalidGrant();
      const issue = {
        ...{ tenant, username, scope: token.scope, flow, grantId, begunAt },
        ...(browser !== undefined && { browser }),
      };
      if (client.secretHash !== '') return { ...issue, refreshToken: { kind: 'same', value } };
      tx.put('tokens', { ...token, usedAt: clock.now() });
      return { ...issue, refreshToken: { kind: 'new' } };
    };
  };
