// The routes of workers: workers.list.
import type { Handlers } from '../../http/on.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { workerView } from './view.ts';

/** Handlers of workers; the engine alone writes their records. @see facts 1.5, 2.4 */
export const workersHandlers = ({ store }: Pick<ActorsDependencies, 'store'>): Handlers<'workers.list'> => ({
  'workers.list': ({ actor }) => ({
    result: store.by('workers', 'actor', actor.id).map(workerView),
    message: 'Workers retrieved.',
  }),
});
