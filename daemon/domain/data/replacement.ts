// Rules for replacing the data of an instance: what counts as empty, and what a reset retains.

import type { ReadView } from '../../ports/store.ts';
import type { CollectionName, Collections } from '../records/collections.ts';

/** The collections that each value of `reset --keep` retains. Serials number the users of a tenant. */
const kept: { readonly [word: string]: readonly CollectionName[] } = {
  users: ['tenants', 'users', 'serials'],
  clients: ['clients', 'approvals'],
};

export const keptCollections = (keep: readonly string[]): readonly CollectionName[] =>
  keep.flatMap((word) => kept[word] ?? []);

/** Collections that have records even if nobody has used the instance. */
const idle: ReadonlySet<CollectionName> = new Set<CollectionName>(['meta', 'tenants', 'serials', 'totals', 'sessions']);

type Counts = Pick<ReadView, 'count'>;

/** Record counts by collection. Empty if the instance is empty. */
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
