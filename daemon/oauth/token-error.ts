// How the token endpoint refuses: the errors of RFC 6749 5.2, as failures that the HTTP wall turns into status, headers and body.
import type { FailureCode } from '../../src/contract/failure-codes.ts';
import { Failure } from '../domain/failure.ts';

/** Error → failure: `invalid_client` is 401 with a challenge, all others are 400. @see auth.md 1.1, R35 */
const errors = {
  invalid_request: 'VALIDATION',
  invalid_client: 'AUTH_FAILED',
  invalid_grant: 'VALIDATION',
  unauthorized_client: 'VALIDATION',
  unsupported_grant_type: 'VALIDATION',
  invalid_scope: 'VALIDATION',
} as const satisfies Record<string, FailureCode>;

export type OAuthError = keyof typeof errors;

/** The failure for an OAuth error; `description` is for people and becomes ASCII on the wire. */
export const oauthFailure = (error: OAuthError, description: string): Failure =>
  new Failure(errors[error], description, { error });

/** One text for every cause, so that nothing can be learnt from it. @see auth.md R45, R46 */
export const invalidClient = (): Failure => oauthFailure('invalid_client', 'Client authentication failed.');

/** One text for every cause. @see auth.md R72 */
export const invalidGrant = (): Failure =>
  oauthFailure('invalid_grant', 'The credentials of this grant are wrong, expired, revoked or of another client.');
