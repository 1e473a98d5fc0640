// The network container of each worker: it runs as long as the worker, and the worker's runs join its network namespace
// one after another.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import type { NetworkContainer } from './cgroup-usage.ts';
import { networkContainer } from './container-spec.ts';
import { createContainer } from './create-container.ts';
import { followProgress } from './images.ts';
import type { InstanceNetwork } from './instance-network.ts';
import { INSTANCE_LABEL, KIND_LABEL, WORKER_LABEL } from './labels.ts';
import { removeContainer } from './remove-container.ts';
import { tar } from './tar.ts';
import {
  NETWORK_IMAGE,
  NETWORK_IMAGE_CHANGES,
  NETWORK_IMAGE_REPOSITORY,
  NETWORK_IMAGE_TAG,
  networkImageFiles,
  pauseProgram,
} from './worker-network-image.ts';

export interface WorkerNetworks {
  /**
   * The running network container of a worker, created at the first call. Undefined if there is no program for the
   * engine's processor; then each run needs a network of its own. @throws ExecutorError start, unavailable
   */
  get(workerId: string): Promise<NetworkContainer | undefined>;
  /**
   * Starts a network container again if it has stopped. `gone`: the engine no longer has it, and `get` creates another.
   */
  restart(workerId: string, holderId: string): Promise<'alive' | 'revived' | 'gone'>;
  /** The process of a network container, by container id; undefined if it is unknown. */
  known(holderId: string): NetworkContainer | undefined;
  /** Removes the network container of a worker. */
  close(workerId: string): Promise<void>;
}

const START_MS = 60_000;

export const createWorkerNetworks = (inputs: {
  readonly connection: Connection;
  readonly instanceNetwork: InstanceNetwork;
  readonly facts: () => Promise<EngineFacts>;
  readonly extraHosts: () => Promise<readonly string[]>;
  readonly instanceId: string;
  readonly instanceName: string;
}): WorkerNetworks => {
  const { connection, instanceNetwork, instanceId } = inputs;
  const containers = new Map<string, Promise<NetworkContainer | undefined>>();
  const processes = new Map<string, NetworkContainer>();
  let image: Promise<void> | undefined;

  const importImage = async (program: Buffer) => {
    const archive = Readable.from(tar(networkImageFiles(program)));
    const stream = await connection.call((docker, abortSignal) =>
      docker.importImage(archive, {
        abortSignal,
        repo: NETWORK_IMAGE_REPOSITORY,
        tag: NETWORK_IMAGE_TAG,
        changes: NETWORK_IMAGE_CHANGES,
      }),
    );
    await followProgress(stream, () => undefined, { quietMs: START_MS });
  };

  const start = async (id: string): Promise<NetworkContainer> => {
    try {
      await connection.call((docker) => docker.getContainer(id).start(), { timeoutMs: START_MS });
    } catch (error) {
      if (statusOf(error) !== 304) throw error;
    }
    const { State } = await connection.call((docker) => docker.getContainer(id).inspect());
    const holder = { id, pid: State.Pid };
    processes.set(id, holder);
    return holder;
  };

  const remove = async (id: string) => {
    processes.delete(id);
    await removeContainer(connection, id);
  };

  const find = async (workerId: string): Promise<string[]> => {
    const label = [`${INSTANCE_LABEL}=${instanceId}`, `${WORKER_LABEL}=${workerId}`, `${KIND_LABEL}=holder`];
    const found = await connection.call((docker, abortSignal) =>
      docker.listContainers({ abortSignal, all: true, filters: { label } }),
    );
    return found.map((each) => each.Id);
  };

  const create = async (workerId: string): Promise<string> => {
    const [network, extraHosts] = [await instanceNetwork.get(), await inputs.extraHosts()];
    const options = networkContainer({
      name: `actorctl-${inputs.instanceName}-holder-${randomBytes(8).toString('hex')}`,
      image: NETWORK_IMAGE,
      instanceId,
      workerId,
      network: network.id,
      extraHosts,
    });
    return connection.call((docker, abortSignal) => createContainer(docker, options, abortSignal), {
      timeoutMs: START_MS,
    });
  };

  const make = async (workerId: string, program: Buffer): Promise<NetworkContainer> => {
    image ??= connection
      .call((docker) => docker.getImage(NETWORK_IMAGE).inspect())
      .then(
        () => undefined,
        (error: unknown) => {
          if (statusOf(error) !== 404) throw error;
          return importImage(program);
        },
      );
    await image;
    const id = await create(workerId);
    try {
      return await start(id);
    } catch (error) {
      await remove(id);
      throw error;
    }
  };

  const adoptOrMake = async (workerId: string): Promise<NetworkContainer | undefined> => {
    const program = pauseProgram((await inputs.facts()).architecture);
    if (!program) return undefined;
    for (const id of await find(workerId)) {
      try {
        return await start(id);
      } catch {
        await remove(id);
      }
    }
    try {
      return await make(workerId, program);
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      // The image or the network was removed by another program; both are created again.
      image = undefined;
      instanceNetwork.forget();
      return make(workerId, program);
    }
  };

  const get = (workerId: string): Promise<NetworkContainer | undefined> => {
    const known = containers.get(workerId);
    if (known !== undefined) return known;
    const made = adoptOrMake(workerId).catch((error: unknown) => {
      image = undefined;
      if (containers.get(workerId) === made) containers.delete(workerId);
      throw toExecutorError(error, 'start', 'cannot create the network of the worker');
    });
    containers.set(workerId, made);
    return made;
  };

  return {
    get,
    known: (holderId) => processes.get(holderId),
    restart: async (workerId, holderId) => {
      try {
        const { State } = await connection.call((docker) => docker.getContainer(holderId).inspect());
        if (State.Running) return 'alive';
        const holder = await start(holderId);
        containers.set(workerId, Promise.resolve(holder));
        return 'revived';
      } catch (error) {
        const failure = toExecutorError(error, 'start', '');
        if (failure.kind === 'unavailable') throw failure;
        if (statusOf(error) !== 404) await remove(holderId);
        processes.delete(holderId);
        if ((await containers.get(workerId)?.catch(() => undefined))?.id === holderId) containers.delete(workerId);
        return 'gone';
      }
    },
    close: async (workerId) => {
      await containers.get(workerId)?.catch(() => undefined);
      containers.delete(workerId);
      for (const id of await find(workerId)) await remove(id);
    },
  };
};
