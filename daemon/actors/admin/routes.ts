// Handlers of utilization and of the overviews for admins: actors, workers and executions of a tenant.
import { type Figures, noFigures, sumOf, totalsKey, wholeSeconds } from '../../domain/executions/execution-totals.ts';
import { nodesWithExecutions, storedFigures } from '../../domain/executions/stored-executions.ts';
import type { WorkerRecord } from '../../domain/records/actor-records.ts';
import type { Handlers } from '../../http/route-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadView } from '../../ports/store.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { rowsOf } from '../search/rows.ts';
import { workerView } from '../workers/view.ts';

const tenantFigures = (store: ReadView, clock: Clock) => {
  const actors = (tenant: string) => store.by('actors', 'tenant', tenant);
  return {
    /** All actors of the tenant, oldest first. */
    actors,

    /** All workers of the tenant, oldest first. */
    workers: (tenant: string): readonly WorkerRecord[] =>
      [...store.all('workers')].filter((worker) => worker.tenant === tenant),

    /** Execution totals by actor id. They include running executions and executions that are no longer stored. */
    figures(tenant: string): ReadonlyMap<string, Figures> {
      const now = clock.now();
      return new Map(
        actors(tenant).map(({ id: actorId }) => {
          const deleted = store.get('totals', totalsKey({ tenant, actorId })) ?? noFigures;
          return [actorId, sumOf(deleted, storedFigures(store, actorId, now))];
        }),
      );
    },

    deletedTotals: (tenant: string): Figures & { readonly actors: number; readonly actorsWithExecutions: number } =>
      store.get('totals', totalsKey({ tenant })) ?? { ...noFigures, actors: 0, actorsWithExecutions: 0 },
  };
};

type AdminOperation = 'utilization.show' | 'admin.actors' | 'admin.workers' | 'admin.executions';

const isStarting = ({ status }: WorkerRecord): boolean =>
  status === 'REQUESTED' || status === 'PULLING IMAGE' || status === 'CREATING CONTAINER';

const executionTotals = ({ executions, runtimeMs, cpu, io }: Figures) => ({
  totalExecutions: executions,
  totalExecutionCpu: cpu,
  totalExecutionIo: io,
  totalExecutionRuntime: wholeSeconds(runtimeMs),
  totalExecutionRuntimeMs: runtimeMs,
});

/** Admins see everything of their own tenant and nothing of other tenants. @see docs/http-api.md#permissions */
export const adminHandlers = (
  deps: Pick<ActorsDependencies, 'store' | 'scheduler' | 'clock' | 'baseUrl'>,
): Handlers<AdminOperation> => {
  const { store } = deps;
  const tenants = tenantFigures(store, deps.clock);
  const rows = rowsOf(deps);
  const addresses = createAddresses(deps.baseUrl);
  const dbId = (tenant: string, id: string): string => `${tenant}_${id}`;
  return {
    'utilization.show': async ({ caller: { tenant } }) => {
      const nodes = nodesWithExecutions(store, await deps.scheduler.nodes(), tenant);
      const currentActors = tenants.actors(tenant).length;
      const workers = tenants.workers(tenant);
      return {
        result: {
          currentActors,
          totalActors: currentActors + tenants.deletedTotals(tenant).actors,
          workers: workers.length,
          commandQueue: workers.filter(isStarting).length,
          ...(nodes.length > 0 && { nodes: [...nodes] }),
        },
        message: 'Utilization retrieved.',
      };
    },

    'admin.actors': ({ caller }) => {
      const { tenant } = caller;
      const figures = tenants.figures(tenant);
      const result = tenants.actors(tenant).map((actor) => {
        const { executions, runtimeMs } = figures.get(actor.id) ?? noFigures;
        return {
          ...rows.actor(actor, caller),
          id: actor.id,
          owner: actor.owner,
          status: actor.status,
          tenant,
          dbId: dbId(tenant, actor.id),
          apiServer: addresses.api(),
          workers: store.by('workers', 'actor', actor.id).map((worker) => workerView(store, worker)),
          messages: store.countBy('messages', 'actor', actor.id),
          executions,
          runtime: wholeSeconds(runtimeMs),
          runtimeMs,
        };
      });
      return { result, message: 'Actors retrieved.' };
    },

    'admin.workers': ({ caller: { tenant } }) => {
      const workers = tenants.workers(tenant);
      const having = (status: WorkerRecord['status']) => workers.filter((worker) => worker.status === status).length;
      const summary = {
        totalWorkers: workers.length,
        readyWorkers: having('READY'),
        requestedWorkers: workers.filter(isStarting).length,
        errorWorkers: having('ERROR'),
        busyWorkers: having('BUSY'),
        actorsNoWorkers: tenants.actors(tenant).filter(({ id }) => store.countBy('workers', 'actor', id) === 0).length,
      };
      return {
        result: {
          summary,
          workers: workers.map((worker) => ({ ...workerView(store, worker), actorDbid: dbId(tenant, worker.actorId) })),
        },
        message: 'Workers retrieved.',
      };
    },

    'admin.executions': ({ caller: { tenant } }) => {
      const figures = tenants.figures(tenant);
      const gone = tenants.deletedTotals(tenant);
      const existing = [...figures.values()].reduce(sumOf, noFigures);
      const all = sumOf(existing, gone);
      const withExecutions = [...figures.values()].filter(({ executions }) => executions > 0).length;
      const summary = {
        totalActorsAll: figures.size + gone.actors,
        totalActorsExisting: figures.size,
        totalActorsAllWithExecutions: withExecutions + gone.actorsWithExecutions,
        totalActorsExistingWithExecutions: withExecutions,
        totalExecutionsAll: all.executions,
        totalExecutionsExisting: existing.executions,
        totalExecutionRuntimeAll: wholeSeconds(all.runtimeMs),
        totalExecutionRuntimeExisting: wholeSeconds(existing.runtimeMs),
        totalExecutionRuntimeMsAll: all.runtimeMs,
        totalExecutionRuntimeMsExisting: existing.runtimeMs,
        totalExecutionCpuAll: all.cpu,
        totalExecutionCpuExisting: existing.cpu,
        totalExecutionIoAll: all.io,
        totalExecutionIoExisting: existing.io,
      };
      const actors = [...figures].flatMap(([id, sums]) => {
        const actor = store.get('actors', id);
        return actor === undefined
          ? []
          : [{ actorId: id, owner: actor.owner, image: actor.image, ...executionTotals(sums) }];
      });
      return { result: { summary, actors }, message: 'Executions retrieved.' };
    },
  };
};
