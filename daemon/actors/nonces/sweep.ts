// Deletes nonces that are used up or expired. Actors that create one per call would otherwise fill the store.
// @see docs/security.md R146
import { isDeletable } from '../../domain/actors/nonce.ts';
import { deleteInBatches } from '../../domain/records/delete-in-batches.ts';
import type { ActorsDependencies } from '../dependencies.ts';

/** Resolves with the number of deleted nonces. Call it every few minutes. */
export const sweepNonces = async ({ store, clock }: Pick<ActorsDependencies, 'store' | 'clock'>): Promise<number> => {
  const now = clock.now();
  const over: string[] = [];
  for (const nonce of store.all('nonces')) if (isDeletable(nonce, now)) over.push(nonce.id);
  return deleteInBatches(store, 'nonces', over);
};
