// What belongs to an actor and goes with it.
import { nameKey, stateKey } from '../domain/resource-records.ts';
import type { Transaction } from '../ports/store.ts';

/** Removes an alias with its nonces. */
export const dropAlias = (tx: Transaction, tenant: string, alias: string): number => {
  const nonces = tx.by('nonces', 'alias', nameKey(tenant, alias));
  for (const { id } of nonces) tx.delete('nonces', id);
  tx.delete('aliases', nameKey(tenant, alias));
  return nonces.length;
};

/** Removes what names the actor: its nonces, its aliases and their nonces, its state. Configs keep the name. @see wire.md "Actors" */
export const dropBelongings = (tx: Transaction, actorId: string): void => {
  for (const { id } of tx.by('nonces', 'actor', actorId)) tx.delete('nonces', id);
  for (const { tenant, alias } of tx.by('aliases', 'actor', actorId)) dropAlias(tx, tenant, alias);
  for (const state of tx.by('states', 'actor', actorId)) tx.delete('states', stateKey(actorId, state.version));
};
