// Port of nonces: authenticates requests that carry a nonce instead of a token.
import type { GuardLevel } from '../../src/contract/operation.ts';
import type { Role } from '../../src/contract/people/users.ts';
import type { NonceTarget } from '../domain/actors/nonce.ts';

export interface ShownNonce {
  /** The nonce as it was received, not validated. */
  readonly text: string;
  readonly target: NonceTarget;
  readonly level: GuardLevel;
  readonly source: string;
}

/** The identity of a request with a nonce: the owner of the nonce, within the limits of the nonce. */
export interface NonceHolder {
  readonly nonceId: string;
  readonly tenant: string;
  readonly username: string;
  readonly roles: readonly Role[];
}

export interface Nonces {
  /**
   * Identifies a nonce without counting a use. AUTH_FAILED has the same text for every reason.
   * @throws Failure AUTH_FAILED; THROTTLED instead after many of them from one source; FORBIDDEN when its level is too
   * low
   * @see docs/conformance/security.md R126, R128
   */
  holder(shown: ShownNonce): NonceHolder;
  /**
   * Checks a nonce that was redeemed before, without counting a use.
   * @throws Failure AUTH_FAILED if deleted or expired, FORBIDDEN
   */
  still(shown: ShownNonce): NonceHolder;
  /**
   * Counts one use. Resolves once this is durable. Of two concurrent requests, only one gets the last use.
   * @throws as `holder`
   */
  redeem(shown: ShownNonce): Promise<void>;
}
