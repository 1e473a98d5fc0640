// Removes nonces that open nothing any more: actors that make one for every call would fill the store. @see auth.md R146
import { isOver } from '../../domain/actors/nonce.ts';
import { deleteInBatches } from '../../domain/records/delete-in-batches.ts';
import type { ActorsDependencies } from '../dependencies.ts';

/** Resolves with how many were removed. Meant to be called every few minutes. */
export const sweepNonces = async ({ store, clock }: Pick<ActorsDependencies, 'store' | 'clock'>): Promise<number> => {
  const now = clock.now();
  const over: string[] = [];
  for (const nonce of store.all('nonces')) if (isOver(nonce, now)) over.push(nonce.id);
  return deleteInBatches(store, 'nonces', over);
};
