// The routes of workers: workers.list.
import { toWireTime } from '../../../src/contract/wire.ts';
import type { Handlers } from '../../http/on.ts';
import type { ActorsDependencies } from '../dependencies.ts';

/** Handlers of workers; the engine alone writes their records. @see facts 1.5, 2.4 */
export const workersHandlers = ({ store }: Pick<ActorsDependencies, 'store'>): Handlers<'workers.list'> => ({
  'workers.list': ({ actor }) => ({
    result: store.by('workers', 'actor', actor.id).map(({ createdAt, lastExecutionAt, ...worker }) => ({
      id: worker.id,
      actorId: worker.actorId,
      tenant: worker.tenant,
      status: worker.status,
      image: worker.image,
      createTime: toWireTime(createdAt),
      ...(lastExecutionAt !== undefined && { lastExecutionTime: toWireTime(lastExecutionAt) }),
    })),
    message: 'Workers retrieved.',
  }),
});
