// Deletes the records that belong to an actor or an alias.
import { withoutNames } from '../domain/actors/config.ts';
import { nameKey, stateKey } from '../domain/records/resource-records.ts';
import { type ResultRecord, resultKey } from '../domain/records/result-records.ts';
import type { Transaction } from '../ports/store.ts';
import { bodyFilesOf } from './purge-mailbox.ts';

/**
 * Removes a name from every config list. Otherwise the next actor with that name would receive the secret.
 * @see docs/http-api.md#actors
 */
const dropFromConfigs = (tx: Transaction, tenant: string, names: ReadonlySet<string>): void => {
  for (const config of tx.by('configs', 'tenant', tenant)) {
    const actors = withoutNames(config.actors, names);
    if (actors !== config.actors) tx.put('configs', { ...config, actors, revision: config.revision + 1 });
  }
};

/** Deletes an alias with its nonces and removes it from every config. Returns the number of nonces. */
export const deleteAliasCascade = (tx: Transaction, tenant: string, alias: string): number => {
  const nonces = tx.by('nonces', 'alias', nameKey(tenant, alias));
  for (const { id } of nonces) tx.delete('nonces', id);
  tx.delete('aliases', nameKey(tenant, alias));
  dropFromConfigs(tx, tenant, new Set([alias]));
  return nonces.length;
};

/** Deletes results. Returns their body files, to be deleted once the transaction is durable. */
export const deleteResults = (tx: Transaction, results: readonly ResultRecord[]): readonly string[] => {
  for (const result of results) tx.delete('results', resultKey(result));
  return bodyFilesOf(results);
};

/**
 * Deletes the nonces, aliases, state and results of an actor and removes the actor from every config. Returns the body
 * files to delete once the transaction is durable.
 * @see docs/http-api.md#actors
 */
export const deleteActorCascade = (tx: Transaction, actorId: string): readonly string[] => {
  const actor = tx.get('actors', actorId);
  if (actor !== undefined) dropFromConfigs(tx, actor.tenant, new Set([actorId]));
  for (const { id } of tx.by('nonces', 'actor', actorId)) tx.delete('nonces', id);
  for (const { tenant, alias } of tx.by('aliases', 'actor', actorId)) deleteAliasCascade(tx, tenant, alias);
  for (const state of tx.by('states', 'actor', actorId)) tx.delete('states', stateKey(actorId, state.version));
  return deleteResults(tx, tx.by('results', 'actor', actorId));
};
