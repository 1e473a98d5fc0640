// The port through which the wall lets somebody in who shows a nonce instead of a token.
import type { GuardLevel } from '../../src/contract/operation.ts';
import type { Role } from '../../src/contract/people/users.ts';
import type { NonceTarget } from '../domain/actors/nonce.ts';

/** A nonce that was shown, and what it shall open. */
export interface ShownNonce {
  /** As it came; nothing is known of it. */
  readonly text: string;
  readonly target: NonceTarget;
  readonly level: GuardLevel;
  /** Address that the request came from. */
  readonly source: string;
}

/** Whoever redeems a nonce acts as its owner, for as far as the nonce reaches. */
export interface NonceHolder {
  readonly nonceId: string;
  readonly tenant: string;
  readonly username: string;
  readonly roles: readonly Role[];
}

export interface Nonces {
  /**
   * Who shows the nonce; takes no use. AUTH_FAILED is one text for every reason.
   * @throws Failure AUTH_FAILED, THROTTLED in its place after many of them from one source, FORBIDDEN when its level is too low
   * @see auth.md R126, R128
   */
  holder(shown: ShownNonce): NonceHolder;
  /**
   * Who shows a nonce whose use was taken before, and that has been neither deleted nor expired since; takes no use.
   * @throws Failure AUTH_FAILED, FORBIDDEN
   */
  still(shown: ShownNonce): NonceHolder;
  /**
   * Takes one use, and resolves when that is durable. Of two who race for the last use one gets it.
   * @throws Failure as `holder`, also for what has happened to the nonce since; STORE_UNAVAILABLE
   */
  redeem(shown: ShownNonce): Promise<void>;
}
