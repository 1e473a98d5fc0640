// Rules for replacing the data of an instance: what counts as empty, and what a reset keeps.

import type { ReadView } from '../../ports/store.ts';
import type { CollectionName, Collections } from '../records/collections.ts';

/** The collections of each word of `reset --keep`. Serials number the users of a tenant. */
const kept: { readonly [word: string]: readonly CollectionName[] } = {
  users: ['tenants', 'users', 'serials'],
  clients: ['clients', 'approvals'],
};

export const keptCollections = (keep: readonly string[]): readonly CollectionName[] =>
  keep.flatMap((word) => kept[word] ?? []);

/** Collections of an instance that nobody has used. */
const idle: ReadonlySet<CollectionName> = new Set<CollectionName>(['meta', 'tenants', 'serials', 'totals']);

type Counts = Pick<ReadView, 'count'>;

/** By collection; empty if the instance is empty. */
export const belongings = (
  view: Counts,
  collections: readonly CollectionName[],
): ReadonlyMap<keyof Collections, number> =>
  new Map(
    collections.flatMap((name) => {
      const count = idle.has(name) ? 0 : view.count(name);
      return count === 0 ? [] : [[name, count]];
    }),
  );
