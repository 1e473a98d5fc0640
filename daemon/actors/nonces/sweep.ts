// Deletes nonces that are used up or expired. Actors that create one nonce per call would otherwise fill the store.
// @see docs/conformance/security.md R146
import { isDeletable, isRedeemable } from '../../domain/actors/nonce.ts';
import { deleteInBatches } from '../../domain/records/delete-in-batches.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import type { ActorsDependencies } from '../dependencies.ts';

/** Resolves with the number of deleted nonces. Call it every few minutes. */
export const sweepNonces = async ({ store, clock }: Pick<ActorsDependencies, 'store' | 'clock'>): Promise<number> => {
  const now = clock.now();
  const over: string[] = [];
  for (const nonce of store.all('nonces')) if (isDeletable(nonce, now)) over.push(nonce.id);
  return deleteInBatches(store, 'nonces', over);
};

/**
 * A tenth of the limit is deleted at once, so that not every creation of a nonce triggers a search for deletable ones.
 */
const PART = 0.1;

/**
 * Makes room for a nonce of a user who owns as many as the limit allows, by deleting the oldest used-up or expired
 * ones. Call it in the transaction that creates the nonce.
 * @param now ms since the epoch
 * @see docs/http-api.md#nonces
 */
export const makeRoomForNonce = (
  tx: Transaction,
  { tenant, username }: Pick<Caller, 'tenant' | 'username'>,
  { limit, now }: { readonly limit: number; readonly now: number },
): void => {
  const owner = joinKey(tenant, username);
  const owned = tx.countBy('nonces', 'owner', owner);
  if (owned < limit) return;
  // The limit may have been lowered since the nonces were created.
  const most = Math.max(Math.ceil(limit * PART), owned - limit + 1);
  const over: string[] = [];
  for (const nonce of tx.each('nonces', 'owner', owner)) {
    if (over.length === most) break;
    if (!isRedeemable(nonce, now)) over.push(nonce.id);
  }
  for (const id of over) tx.delete('nonces', id);
};
