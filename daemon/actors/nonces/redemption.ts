// Authenticates callers by nonce. Every invalid nonce gets the same response, and each nonce is accepted exactly as
// often as its use limit allows.

import {
  allows,
  grantedRoles,
  isRedeemable,
  isUnexpired,
  matchesTarget,
  withOneMoreUse,
} from '../../domain/actors/nonce.ts';
import { Failure } from '../../domain/failure.ts';
import { createFailedGuesses, sourceOf, sourceRule, throttled } from '../../domain/oauth/throttle.ts';
import type { UserRecord } from '../../domain/records/account-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { NonceRecord } from '../../domain/records/resource-records.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NonceHolder, Nonces, ShownNonce } from '../../ports/nonces.ts';
import type { ReadView, Store } from '../../ports/store.ts';
import type { Vault } from '../../ports/vault.ts';

export interface NoncesDependencies {
  readonly store: Store;
  readonly vault: Pick<Vault, 'digest'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum number of sources that the throttle remembers. 10 000 by default. */
  readonly remember?: number;
}

const refused = () =>
  new Failure(
    'AUTH_FAILED',
    'The nonce is not valid here: it is unknown, used up, expired, or for another actor or alias. Ask its owner for a new one.',
  );

interface Found {
  readonly nonce: NonceRecord;
  readonly owner: UserRecord;
}

/** The nonce that was sent, if it is valid for the target of the path. */
const find = (
  view: ReadView,
  hash: string,
  { target }: ShownNonce,
  now: number,
  isUsable: typeof isRedeemable = isRedeemable,
): Found | undefined => {
  const [nonce] = view.by('nonces', 'hash', hash);
  if (nonce === undefined || !isUsable(nonce, now)) return undefined;
  const { tenant } = nonce;
  const owner = view.get('users', joinKey(tenant, nonce.owner));
  const isActorId = (name: string) => view.get('actors', name)?.tenant === tenant;
  return owner !== undefined && matchesTarget(nonce, target, isActorId) ? { nonce, owner } : undefined;
};

const demandLevel = (nonce: NonceRecord, { level }: ShownNonce): void => {
  if (allows(nonce, level)) return;
  throw new Failure(
    'FORBIDDEN',
    `The nonce has the level ${nonce.level}, but ${level} is needed. This attempt did not count as a use.`,
    {
      needed: level,
      has: nonce.level,
    },
  );
};

/** @throws Failure FORBIDDEN if the level of the nonce is too low */
const holderOf = ({ nonce, owner }: Found, shown: ShownNonce): NonceHolder => {
  demandLevel(nonce, shown);
  return {
    nonceId: nonce.id,
    tenant: nonce.tenant,
    username: owner.username,
    roles: grantedRoles(nonce.roles, owner.roles),
  };
};

/**
 * Makes the nonce check. The throttle delays invalid nonces from a source but never refuses a valid one. All programs
 * of a machine are one source, and a nonce of 190 random bits cannot be guessed.
 * @see docs/http-api.md#nonces, docs/conformance/security.md R126, R128
 */
export const nonceRedemption = ({ store, vault, clock, logger, remember = 10_000 }: NoncesDependencies): Nonces => {
  const sources = createFailedGuesses(sourceRule, remember);

  const refuse = (address: string, now: number): Failure => {
    const source = sourceOf(address);
    const wait = sources.wait(source, now);
    if (wait > 0) {
      logger.warn({ event: 'nonce-throttled', source: address, waitMs: wait }, 'nonce throttled');
      return throttled(wait);
    }
    sources.failed(source, now);
    logger.warn({ event: 'nonce-refused', source: address }, 'nonce refused');
    return refused();
  };

  return {
    holder(shown) {
      const now = clock.now();
      const found = find(store, vault.digest(shown.text), shown, now);
      if (found === undefined) throw refuse(shown.source, now);
      return holderOf(found, shown);
    },

    still(shown) {
      const found = find(store, vault.digest(shown.text), shown, clock.now(), isUnexpired);
      if (found === undefined) throw refused();
      return holderOf(found, shown);
    },

    async redeem(shown) {
      const hash = vault.digest(shown.text);
      const now = clock.now();
      const isTaken = await store.transact((tx) => {
        const found = find(tx, hash, shown, now);
        if (found === undefined) return false;
        demandLevel(found.nonce, shown);
        tx.put('nonces', withOneMoreUse(found.nonce, now));
        return true;
      });
      // Losing a race for a nonce's last use is not a guess, so it is not throttled.
      if (!isTaken) throw refused();
    },
  };
};
