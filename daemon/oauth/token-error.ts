// The errors of the token endpoint (RFC 6749 5.2) as failures. The HTTP layer turns them into status, headers and body.
import type { FailureCode } from '../../src/contract/failure-codes.ts';
import { Failure } from '../domain/failure.ts';

/** `invalid_client` becomes 401 with a challenge, all others 400. @see docs/conformance/security.md#returned-by-oauth-endpoints R35 */
const errors = {
  invalid_request: 'VALIDATION',
  invalid_client: 'AUTH_FAILED',
  invalid_grant: 'VALIDATION',
  unauthorized_client: 'VALIDATION',
  unsupported_grant_type: 'VALIDATION',
  invalid_scope: 'VALIDATION',
} as const satisfies Record<string, FailureCode>;

export type OAuthError = keyof typeof errors;

/** The failure for an OAuth error. Non-ASCII characters of `description` are replaced in the response. */
export const oauthFailure = (error: OAuthError, description: string): Failure =>
  new Failure(errors[error], description, { error });

/** The same text for every cause, so that it reveals nothing. @see docs/conformance/security.md R45, R46 */
export const invalidClient = (): Failure => oauthFailure('invalid_client', 'Client authentication failed.');

/** The same text for every cause, so that it reveals nothing. @see docs/conformance/security.md R72 */
export const invalidGrant = (): Failure =>
  oauthFailure(
    'invalid_grant',
    'The credentials of this grant are wrong, expired, revoked or those of another client.',
  );
