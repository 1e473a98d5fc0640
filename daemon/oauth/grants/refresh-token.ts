// The refresh grant: a new access token for a refresh token, which stays what it is, unless its client is public. @see spec 4.1, RFC 6749 6

import { grantedScope } from '../../domain/oauth/scope.ts';
import type { TimedFlow } from '../../domain/oauth/token-lifetime.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import { invalidGrant, oauthFailure } from '../token-error.ts';
import { required } from '../token-form.ts';
import { type GrantDependencies, type GrantRule, revokeGrant } from './grant.ts';

/** Flows that give refresh tokens. @see auth.md R64 */
const refreshable: ReadonlySet<string> = new Set<TimedFlow>(['authorization_code', 'password']);
const isRefreshable = (flow: string): flow is TimedFlow => refreshable.has(flow);

/**
 * Never expires. With a client that proves itself it is not rotated, and is answered again, because real clients read it from
 * every answer. With a public client it serves once and the answer has the next; a second use ends the whole grant.
 * @see facts 9.1, auth.md C10, C11, R64-R70, RFC 9700 2.2.2
 */
export const refreshTokenGrant =
  ({ vault, clock, logger }: GrantDependencies): GrantRule =>
  ({ client, parameters, source }) => {
    const value = required(parameters, 'refresh_token');
    const scope = grantedScope(parameters.get('scope'), false);
    if (scope === undefined) throw oauthFailure('invalid_scope', 'The scope, where it is given, must be PRODUCTION.');
    return (tx) => {
      const token = tx.get('tokens', vault.digest(value));
      if (token === undefined || token.kind !== 'refresh' || token.clientId !== client.id) throw invalidGrant();
      const { tenant, username, flow, grantId } = token;
      if (token.usedAt !== undefined) {
        const revoked = revokeGrant(tx, grantId);
        logger.warn(
          { event: 'refresh-replayed', client: client.id, tenant, user: username, source, revoked },
          'a refresh token was used again; its grant is revoked',
        );
        return invalidGrant();
      }
      if (!isRefreshable(flow) || tx.get('users', joinKey(tenant, username)) === undefined) throw invalidGrant();
      const issue = { tenant, username, scope: token.scope, flow, grantId };
      if (client.secretHash !== '') return { ...issue, refreshToken: { kind: 'same', value } };
      tx.put('tokens', { ...token, usedAt: clock.now() });
      return { ...issue, refreshToken: { kind: 'new' } };
    };
  };
