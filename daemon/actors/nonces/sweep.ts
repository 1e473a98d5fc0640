// Removes nonces that open nothing any more: actors that make one for every call would fill the store. @see auth.md R146
import { isDeletable } from '../../domain/actors/nonce.ts';
import type { ActorsDependencies } from '../dependencies.ts';

/** Removed in one transaction at most: a larger one would hold up the writes behind it. */
const BATCH = 1_000;

/** Resolves with how many were removed. Meant to be called every few minutes. */
export const sweepNonces = async ({ store, clock }: Pick<ActorsDependencies, 'store' | 'clock'>): Promise<number> => {
  const now = clock.now();
  const over: string[] = [];
  for (const nonce of store.all('nonces')) if (isDeletable(nonce, now)) over.push(nonce.id);
  for (let start = 0; start < over.length; start += BATCH) {
    await store.transact((tx) => {
      for (const id of over.slice(start, start + BATCH)) tx.delete('nonces', id);
    });
  }
  return over.length;
};
