// Handler of the activity: what runs, waits and failed.
import type { Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { activityService } from './service.ts';

export const activityHandlers = (
  deps: Pick<ActorsDependencies, 'store' | 'scheduler' | 'clock' | 'about'>,
): Handlers<'utilization.activity'> => {
  const service = activityService(deps);
  return {
    'utilization.activity': async ({ caller, signal }) => ({
      result: await service.show(caller, signal()),
      message: 'Activity retrieved.',
    }),
  };
};
