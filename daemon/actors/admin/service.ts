// Totals of a tenant, over its existing actors and over its deleted ones.
import { setImmediate } from 'node:timers/promises';
import { type Figures, figuresOf, noFigures, sumOf, totalsKey } from '../../domain/executions/execution-totals.ts';
import type { ActorRecord, WorkerRecord } from '../../domain/records/actor-records.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadView } from '../../ports/store.ts';

/** Executions added up before other work gets a turn on the event loop. */
const SLICE = 5_000;

export interface TenantFigures {
  /** The actors of a tenant, oldest first. */
  actors(tenant: string): readonly ActorRecord[];
  /** The workers of a tenant, oldest first. */
  workers(tenant: string): readonly WorkerRecord[];
  /** Totals of each actor of a tenant by actor id, including executions that still run or are no longer kept. */
  figures(tenant: string): Promise<ReadonlyMap<string, Figures>>;
  /** Totals of the deleted actors of a tenant. */
  deletedTotals(tenant: string): Figures & { readonly actors: number; readonly actorsWithExecutions: number };
}

export const tenantFigures = (store: ReadView, clock: Clock): TenantFigures => {
  const actors = (tenant: string) => store.by('actors', 'tenant', tenant);
  return {
    actors,

    workers: (tenant) => [...store.all('workers')].filter((worker) => worker.tenant === tenant),

    async figures(tenant) {
      const figures = new Map<string, Figures>(
        actors(tenant).map(({ id: actorId }) => [
          actorId,
          store.get('totals', totalsKey({ tenant, actorId })) ?? noFigures,
        ]),
      );
      const now = clock.now();
      let seen = 0;
      for (const execution of store.all('executions')) {
        const before = figures.get(execution.actorId);
        if (before !== undefined) figures.set(execution.actorId, sumOf(before, figuresOf(execution, now)));
        seen += 1;
        if (seen % SLICE === 0) await setImmediate();
      }
      return figures;
    },

    deletedTotals: (tenant) =>
      store.get('totals', totalsKey({ tenant })) ?? { ...noFigures, actors: 0, actorsWithExecutions: 0 },
  };
};
