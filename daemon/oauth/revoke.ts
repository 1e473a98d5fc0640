// Handlers of token revocation and introspection. @see RFC 7009, RFC 7662

import { revokeGrant } from '../domain/oauth/revocation.ts';
import { isValid } from '../domain/oauth/token-lifetime.ts';
import type { TokenRecord } from '../domain/records/account-records.ts';
import { joinKey } from '../domain/records/record-key.ts';
import { addressOf } from '../http/request/owner.ts';
import type { Handlers } from '../http/route-handler.ts';
import { authenticateClient, type ClientAuthDependencies } from './client-auth.ts';
import { readParameters, required } from './token-form.ts';

export interface RevokeDependencies extends ClientAuthDependencies {
  readonly baseUrl: () => string;
}

export const revokeHandlers = (dependencies: RevokeDependencies): Handlers<'token.revoke' | 'token.introspect'> => {
  const { store, vault, clock, logger, baseUrl } = dependencies;

  const isActive = (token: TokenRecord): boolean =>
    isValid(token, clock.now()) && store.get('users', joinKey(token.tenant, token.username)) !== undefined;

  return {
    /**
     * Unknown tokens and tokens of other clients get the same response, so that it reveals nothing.
     * @see docs/conformance/security.md R87, R88
     */
    'token.revoke': async ({ input, request }) => {
      const parameters = readParameters(input);
      const client = authenticateClient(dependencies, request, parameters, { takesPublic: true });
      const hash = vault.digest(required(parameters, 'token'));
      const ended = await store.transact((tx) => {
        const token = tx.get('tokens', hash);
        if (token === undefined || token.clientId !== client.id) return undefined;
        const { tenant, username: user, kind, grantId } = token;
        const now = clock.now();
        if (kind === 'refresh') return { tenant, user, kind, revoked: revokeGrant(tx, grantId, now) };
        tx.delete('tokens', hash);
        return { tenant, user, kind, revoked: isValid(token, now) ? 1 : 0 };
      });
      const source = addressOf(request);
      if (ended !== undefined)
        logger.info({ event: 'revocation', client: client.id, source, ...ended }, 'token revoked');
      return { result: {}, message: 'The token is no longer valid.' };
    },
    /** @see docs/conformance/security.md R89 */
    'token.introspect': ({ input, request }) => {
      const parameters = readParameters(input);
      const client = authenticateClient(dependencies, request, parameters, { takesPublic: false });
      const token = store.get('tokens', vault.digest(required(parameters, 'token')));
      if (token === undefined || token.clientId !== client.id || !isActive(token)) {
        return { result: { active: false }, message: 'Not active.' };
      }
      const { tenant, username, scope, kind, issuedAt, expiresAt } = token;
      const result = {
        active: true,
        scope,
        client_id: client.id,
        username,
        sub: `${tenant}/${username}`,
        iss: baseUrl(),
        iat: Math.floor(issuedAt / 1_000),
        ...(kind === 'access' && { token_type: 'bearer' }),
        ...(expiresAt !== undefined && { exp: Math.floor(expiresAt / 1_000) }),
      };
      return { result, message: 'Active.' };
    },
  };
};
