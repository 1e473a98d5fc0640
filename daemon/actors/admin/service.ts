// Totals of a tenant, over its existing actors and over its deleted ones.
import { type Figures, noFigures, sumOf, totalsKey } from '../../domain/executions/execution-totals.ts';
import { storedFigures } from '../../domain/executions/stored-executions.ts';
import type { ActorRecord, WorkerRecord } from '../../domain/records/actor-records.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadView } from '../../ports/store.ts';

export interface TenantFigures {
  /** The actors of a tenant, oldest first. */
  actors(tenant: string): readonly ActorRecord[];
  /** The workers of a tenant, oldest first. */
  workers(tenant: string): readonly WorkerRecord[];
  /** Totals of each actor of a tenant by actor id, including executions that still run or are no longer kept. */
  figures(tenant: string): ReadonlyMap<string, Figures>;
  /** Totals of the deleted actors of a tenant. */
  deletedTotals(tenant: string): Figures & { readonly actors: number; readonly actorsWithExecutions: number };
}

export const tenantFigures = (store: ReadView, clock: Clock): TenantFigures => {
  const actors = (tenant: string) => store.by('actors', 'tenant', tenant);
  return {
    actors,

    workers: (tenant) => [...store.all('workers')].filter((worker) => worker.tenant === tenant),

    figures(tenant) {
      const now = clock.now();
      return new Map(
        actors(tenant).map(({ id: actorId }) => {
          const deleted = store.get('totals', totalsKey({ tenant, actorId })) ?? noFigures;
          return [actorId, sumOf(deleted, storedFigures(store, actorId, now))];
        }),
      );
    },

    deletedTotals: (tenant) =>
      store.get('totals', totalsKey({ tenant })) ?? { ...noFigures, actors: 0, actorsWithExecutions: 0 },
  };
};
