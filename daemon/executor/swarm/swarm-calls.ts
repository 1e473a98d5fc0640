// The calls to a Swarm manager for services, tasks, nodes, configs and secrets, with the executor port's errors.
import type { IncomingMessage } from 'node:http';
import type Dockerode from 'dockerode';
import { ExecutorError } from '../../ports/executor.ts';
import { createObject } from '../docker/create-container.ts';
import { INSTANCE_LABEL } from '../docker/labels.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, statusOf, toExecutorError, toStartError } from '../engine/engine-error.ts';
import type { RegistryLogin } from '../images/registry-login.ts';
import type { MountedObject, SwarmService } from './service-spec.ts';
import type { SwarmNode, SwarmTask } from './task-state.ts';

export interface LabelledObject {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Methods throw ExecutorError `unavailable` if the manager cannot be reached or is no longer a manager. */
export type SwarmCalls = ReturnType<typeof createSwarmCalls>;

/** Errors of a manager without a leader or without its role. None of them depends on the call. */
const NO_MANAGER =
  /not a swarm manager|does not have a leader|not part of a swarm|swarm is (locked|encrypted)|context deadline exceeded/i;

const toSwarmError = (error: unknown, kind: 'start' | 'lost' | 'unavailable', what: string): ExecutorError =>
  NO_MANAGER.test(engineMessage(error))
    ? new ExecutorError('unavailable', `the Swarm manager cannot serve: ${engineMessage(error)}`, { cause: error })
    : kind === 'start'
      ? toStartError(error, what)
      : toExecutorError(error, kind, what);

export const createSwarmCalls = (connection: Connection, instanceId: string) => {
  const ofInstance = { label: [`${INSTANCE_LABEL}=${instanceId}`] };

  const ask = async <T>(what: string, work: (docker: Dockerode, signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await connection.call(work);
    } catch (error) {
      throw toSwarmError(error, 'unavailable', what);
    }
  };
  const ignoreMissing = async (what: string, work: (docker: Dockerode) => Promise<unknown>): Promise<void> => {
    try {
      await connection.call(work);
    } catch (error) {
      if (statusOf(error) !== 404) throw toSwarmError(error, 'unavailable', what);
    }
  };
  const lostIfMissing = (error: unknown, ref: string, what: string): ExecutorError =>
    statusOf(error) === 404
      ? new ExecutorError('lost', `the swarm no longer has the service ${ref}`, { cause: error })
      : toSwarmError(error, 'lost', what);

  const labelled = (each: { ID: string; Spec?: unknown }): LabelledObject => {
    const spec = each.Spec as { Name?: string; Labels?: Record<string, string> } | undefined;
    return { id: each.ID, name: spec?.Name ?? '', labels: spec?.Labels ?? {} };
  };

  return {
    /** Returns the warnings of the engine. */
    createService: async (
      options: Dockerode.CreateServiceOptions,
      login: RegistryLogin | undefined,
      signal: AbortSignal,
    ): Promise<readonly string[]> => {
      try {
        const made = await connection.call(
          (docker, abortSignal) =>
            createObject(docker, '/services/create', { options, authconfig: login && { ...login }, abortSignal }),
          { signal },
        );
        return made.warnings;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toSwarmError(error, 'start', 'cannot create the service');
      }
    },
    /** Finds a service by name or id. @throws ExecutorError lost */
    service: async (ref: string): Promise<SwarmService> => {
      try {
        return (await connection.call((docker) => docker.getService(ref).inspect())) as SwarmService;
      } catch (error) {
        throw lostIfMissing(error, ref, 'cannot inspect the service');
      }
    },
    /**
     * Updates a service. Returns false, and does nothing, if the service has changed since it was read.
     * @throws ExecutorError lost
     */
    update: async (service: SwarmService, spec: object): Promise<boolean> => {
      try {
        const call = { _query: { version: service.Version.Index }, _body: spec };
        await connection.call((docker) => docker.getService(service.ID).update(call));
        return true;
      } catch (error) {
        if (/update out of sequence/i.test(engineMessage(error))) return false;
        throw lostIfMissing(error, service.ID, 'cannot change the service');
      }
    },
    removeService: (ref: string): Promise<void> =>
      ignoreMissing('cannot remove the service', (docker) => docker.getService(ref).remove()),
    services: async (): Promise<readonly (SwarmService & LabelledObject)[]> => {
      const all = await ask('cannot list the services', (docker, abortSignal) =>
        docker.listServices({ abortSignal, filters: ofInstance }),
      );
      // The library's types promise objects with methods, but the manager returns plain descriptions.
      const described = all as unknown as readonly SwarmService[];
      return described.map((each) => ({ ...each, ...labelled(each) }));
    },
    tasksOf: (serviceId: string): Promise<readonly SwarmTask[]> =>
      ask('cannot list the tasks', async (docker): Promise<SwarmTask[]> => {
        try {
          return await docker.listTasks({ filters: { service: [serviceId] } });
        } catch (error) {
          // The manager looks the service up for the filter.
          if (statusOf(error) === 404) return [];
          throw error;
        }
      }),
    /** All tasks of the instance, or only those that have ended or shall end. */
    tasks: (which: 'all' | 'ending'): Promise<readonly SwarmTask[]> =>
      ask('cannot list the tasks', (docker) =>
        docker.listTasks({
          filters: { ...ofInstance, ...(which === 'ending' && { 'desired-state': ['shutdown'] }) },
        }),
      ),
    nodes: (): Promise<readonly SwarmNode[]> => ask('cannot list the nodes', (docker) => docker.listNodes()),
    createObject: async (
      kind: MountedObject['kind'],
      name: string,
      data: Buffer,
      labels: object,
      signal: AbortSignal,
    ): Promise<string> => {
      const options = { Name: name, Labels: labels, Data: data.toString('base64') };
      try {
        const made = await connection.call(
          (docker, abortSignal) => {
            const request = { ...options, abortSignal };
            return kind === 'secret' ? docker.createSecret(request) : docker.createConfig(request);
          },
          { signal },
        );
        return String(made.id ?? made.ID);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toSwarmError(error, 'start', `cannot create the ${kind} with a file of the run`);
      }
    },
    objects: async (kind: MountedObject['kind']): Promise<readonly LabelledObject[]> => {
      const all = await ask(
        `cannot list the ${kind}s`,
        async (docker): Promise<{ ID: string; Spec?: unknown }[]> =>
          kind === 'secret' ? docker.listSecrets({ filters: ofInstance }) : docker.listConfigs({ filters: ofInstance }),
      );
      return all.map(labelled);
    },
    removeObject: (kind: MountedObject['kind'], id: string): Promise<void> =>
      ignoreMissing(`cannot remove the ${kind}`, (docker) =>
        (kind === 'secret' ? docker.getSecret(id) : docker.getConfig(id)).remove(),
      ),
    /** The output of a service as a stream of frames. With `follow` it stays open. @throws ExecutorError lost */
    log: async (serviceId: string, follow: boolean): Promise<NodeJS.ReadableStream> => {
      const dial = (docker: Dockerode, abortSignal: AbortSignal): Promise<NodeJS.ReadableStream> =>
        new Promise((resolve, reject) =>
          // Without `follow`, the library's method would read a whole log into memory.
          docker.modem.dial(
            {
              // The library cuts off the last character of a path that has its own query.
              path: `/services/${serviceId}/logs?`,
              options: { stdout: true, stderr: true, follow },
              method: 'GET',
              isStream: true,
              abortSignal,
              statusCodes: { 200: true, 404: 'no such service', 500: 'server error' },
            },
            (error, stream) => (error ? reject(error) : resolve(stream as IncomingMessage)),
          ),
        );
      try {
        return await connection.call(dial);
      } catch (error) {
        throw lostIfMissing(error, serviceId, 'cannot read the log of the service');
      }
    },
  };
};
