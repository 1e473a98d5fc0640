// The authorization code grant: a code is valid once, for its client, redirect URI and challenge.
// @see docs/oauth.md#authorization-code, RFC 6749 4.1.3, RFC 7636
import { provesChallenge } from '../../domain/oauth/pkce.ts';
import { revokeGrant } from '../../domain/oauth/revocation.ts';
import type { CodeRecord } from '../../domain/records/account-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Transaction } from '../../ports/store.ts';
import { invalidGrant } from '../token-error.ts';
import { required } from '../token-form.ts';
import type { GrantDependencies, GrantRule } from './grant.ts';

/**
 * Makes the grant's rule. The first request with which the code's own client redeems the code uses it up, even if that
 * request fails. A second request revokes the tokens of the first. Requests of other clients have no effect.
 * @see docs/conformance/security.md#authorization-code R60, R61
 */
export const authorizationCodeGrant = ({ vault, clock, logger }: GrantDependencies): GrantRule => {
  /** The S256 challenge of a verifier. @see RFC 7636 4.2 */
  const challengeOf = (verifier: string): string => Buffer.from(vault.digest(verifier), 'hex').toString('base64url');

  const isStillGood = (tx: Transaction, { tenant, username, expiresAt }: CodeRecord): boolean =>
    clock.now() < expiresAt && tx.get('users', joinKey(tenant, username)) !== undefined;

  return ({ client, parameters, source }) => {
    const hash = vault.digest(required(parameters, 'code'));
    const redirectUri = required(parameters, 'redirect_uri');
    const verifier = parameters.get('code_verifier');
    return (tx) => {
      const code = tx.get('codes', hash);
      if (code === undefined || code.clientId !== client.id) throw invalidGrant();
      const { tenant, username, scope, grantId, challenge, isRenewable, browser } = code;
      if (code.usedAt !== undefined) {
        const revoked = revokeGrant(tx, grantId, clock.now());
        logger.warn(
          { event: 'code-replayed', client: client.id, tenant, user: username, source, revoked },
          'an authorization code was used again, so its tokens are revoked',
        );
        return invalidGrant();
      }
      tx.put('codes', { ...code, usedAt: clock.now() });
      const isRight = code.redirectUri === redirectUri && provesChallenge(challenge, verifier, challengeOf);
      if (!isRight || !isStillGood(tx, code)) return invalidGrant();
      const granted = {
        ...{ tenant, username, scope, flow: 'authorization_code' as const, grantId },
        ...(browser !== undefined && { browser }),
      };
      return isRenewable === true ? { ...granted, refreshToken: { kind: 'new' } } : granted;
    };
  };
};
