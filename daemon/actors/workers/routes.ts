// Handlers of workers: list, show, scale, delete.
import type { Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { workers } from './service.ts';
import { workerView } from './view.ts';

type WorkersOperation = 'workers.list' | 'workers.show' | 'workers.scale' | 'workers.delete';

/** Makes the handlers. Only the scheduler writes worker records. @see docs/http-api.md#executions */
export const workersHandlers = (
  deps: Pick<ActorsDependencies, 'store' | 'scheduler' | 'clock'>,
): Handlers<WorkersOperation> => {
  const { store } = deps;
  const service = workers(deps);
  return {
    'workers.list': ({ actor }) => ({
      result: store.by('workers', 'actor', actor.id).map((worker) => workerView(store, worker)),
      message: 'Workers retrieved.',
    }),

    'workers.show': ({ actor, params }) => {
      const worker = service.show(actor, params.workerId);
      return { result: workerView(store, worker), message: 'Worker retrieved.' };
    },

    'workers.scale': async ({ caller, actor, input, dialect }) => {
      const { num = 1, exact = false } = input;
      const wanted = await service.scale(caller, actor, { num, exact, idleToo: dialect === 'legacy' });
      return {
        result: { workers: wanted },
        message: `${wanted} ${wanted === 1 ? 'worker is' : 'workers are'} requested.`,
      };
    },

    'workers.delete': async ({ actor, params }) => {
      await service.remove(actor, params.workerId);
      return { result: null, message: 'Worker scheduled to be stopped.' };
    },
  };
};
