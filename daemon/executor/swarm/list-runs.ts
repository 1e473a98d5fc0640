// Lists what an instance has in the swarm: its services, and the configs and secrets that no service mounts.
import type { Found } from '../../ports/executor.ts';
import { EXECUTION_LABEL, WORKER_LABEL } from '../docker/labels.ts';
import { hasTask, isStopped, type MountedObject, objectsOf, type SwarmService } from './service-spec.ts';
import type { LabelledObject, SwarmCalls } from './swarm-calls.ts';
import { type SwarmTask, stageOf, taskOfRun } from './task-state.ts';

/** The config or secret that a ref of `listRuns` names. Undefined for the ref of a service. */
export const leftObject = (ref: string): Pick<MountedObject, 'kind' | 'id'> | undefined => {
  const [, kind, id] = /^(config|secret):(.+)$/.exec(ref) ?? [];
  return id === undefined ? undefined : { kind: kind === 'secret' ? 'secret' : 'config', id };
};

const stateOf = (service: SwarmService, tasks: readonly SwarmTask[]): Found['state'] => {
  if (!hasTask(service)) return 'created';
  const task = taskOfRun(tasks);
  const stage = task === undefined ? 'waiting' : stageOf(task);
  // An abandoned start can be tried again.
  if (stage === 'never started' && isStopped(service)) return 'created';
  return stage === 'over' || stage === 'never started' ? 'ended' : 'running';
};

/**
 * All runs of the instance. A daemon that was killed while it created a run may have left a config or secret without a
 * service, which counts as a run that was never started.
 * @throws ExecutorError unavailable
 */
export const listRuns = async (calls: SwarmCalls): Promise<readonly Found[]> => {
  const [services, tasks, configs, secrets] = await Promise.all([
    calls.services(),
    calls.tasks('all'),
    calls.objects('config'),
    calls.objects('secret'),
  ]);
  const byService = new Map<string, SwarmTask[]>();
  for (const task of tasks) byService.set(task.ServiceID, [...(byService.get(task.ServiceID) ?? []), task]);
  const idsOf = ({ labels }: LabelledObject) => ({
    kind: 'run' as const,
    executionId: labels[EXECUTION_LABEL] ?? '',
    workerId: labels[WORKER_LABEL] ?? '',
  });
  const mounted = new Set(services.flatMap(objectsOf).map(({ id }) => id));
  const leftOf = (kind: MountedObject['kind'], objects: readonly LabelledObject[]) =>
    objects
      .filter(({ id }) => !mounted.has(id))
      .map((each): Found => ({ ref: `${kind}:${each.id}`, ...idsOf(each), state: 'created' }));
  return [
    ...services.map(
      (each): Found => ({
        ref: each.name,
        ...idsOf(each),
        state: stateOf(each, byService.get(each.ID) ?? []),
      }),
    ),
    ...leftOf('config', configs),
    ...leftOf('secret', secrets),
  ];
};
