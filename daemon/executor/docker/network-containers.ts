// Network containers, which only keep a network namespace open. Creates them, and assigns them to workers.
import { randomBytes } from 'node:crypto';
import { isolatePorts } from '../engine/bridge-ports.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import { whileChanging } from '../engine/inspect.ts';
import { listContainers } from '../engine/list-containers.ts';
import { ensureImage } from '../images/import-image.ts';
import type { NetworkContainer } from './cgroup-usage.ts';
import { networkContainer } from './container-spec.ts';
import { createContainer } from './create-container.ts';
import type { InstanceNetwork } from './instance-network.ts';
import { INSTANCE_LABEL, KIND_LABEL } from './labels.ts';
import { removeContainer } from './remove-container.ts';
import { NETWORK_IMAGE, networkImage, pauseProgram } from './worker-network-image.ts';

export type NetworkContainers = ReturnType<typeof createNetworkContainers>;

const START_MS = 60_000;

/**
 * The word that earlier daemons used instead of `pause` in the label and the name. Such containers outlive their
 * daemons and must be found.
 */
const EARLIER_KIND = 'holder';
/** Part of the name of a network container that is assigned to a worker. */
const KIND_PATTERN = `-(pause|${EARLIER_KIND})-`;

/** True for a network container, by its labels. */
export const isPauseContainer = ({ [KIND_LABEL]: kind }: Readonly<Record<string, string>>): boolean =>
  kind === 'pause' || kind === EARLIER_KIND;

/** The worker to which a network container is assigned, taken from the container's name. */
export const workerInName = (name: string): string | undefined =>
  // The instance name comes first and may contain the same words.
  new RegExp(`^.*${KIND_PATTERN}([^.]+)\\.[0-9a-f]+$`).exec(name)?.[2];

export const createNetworkContainers = (inputs: {
  readonly connection: Connection;
  readonly instanceNetwork: InstanceNetwork;
  readonly facts: () => Promise<EngineFacts>;
  readonly extraHosts: () => Promise<readonly string[]>;
  readonly instanceId: string;
  readonly instanceName: string;
}) => {
  const { connection, instanceNetwork, instanceId, instanceName } = inputs;
  const processes = new Map<string, NetworkContainer>();
  let image: Promise<void> | undefined;

  const nameFor = (use: string): string => `actorctl-${instanceName}-${use}.${randomBytes(8).toString('hex')}`;

  const start = async (id: string): Promise<NetworkContainer> => {
    try {
      await connection.call((docker) => docker.getContainer(id).start(), { timeoutMs: START_MS });
    } catch (error) {
      if (statusOf(error) !== 304) throw error;
    }
    const { gateway } = await instanceNetwork.get();
    const { isolatesPorts } = await inputs.facts();
    if (isolatesPorts && gateway !== undefined && !gateway.namespace) await isolatePorts(gateway.address);
    const { State } = await whileChanging(() => connection.call((docker) => docker.getContainer(id).inspect()));
    const container = { id, pid: State.Pid };
    processes.set(id, container);
    return container;
  };

  const remove = async (id: string) => {
    processes.delete(id);
    await removeContainer(connection, id);
  };

  const create = async (program: Buffer): Promise<NetworkContainer> => {
    image ??= ensureImage(connection, networkImage(program));
    try {
      await image;
    } catch (error) {
      image = undefined;
      throw error;
    }
    const features = await inputs.facts();
    const [network, extraHosts] = [await instanceNetwork.get(), await inputs.extraHosts()];
    const options = networkContainer({
      name: nameFor('spare'),
      image: NETWORK_IMAGE,
      instanceId,
      network: network.id,
      extraHosts,
      features,
    });
    const { id } = await connection.call((docker, abortSignal) => createContainer(docker, options, abortSignal), {
      timeoutMs: START_MS,
    });
    try {
      return await start(id);
    } catch (error) {
      await remove(id);
      throw error;
    }
  };

  return {
    /**
     * Creates and starts a network container that belongs to no worker. Undefined if there is no program for the
     * engine's processor.
     */
    make: async (): Promise<NetworkContainer | undefined> => {
      const program = pauseProgram((await inputs.facts()).architecture);
      if (!program) return undefined;
      try {
        return await create(program);
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        // Another program has removed the image or the network; both are created again.
        image = undefined;
        instanceNetwork.forget();
        return create(program);
      }
    },
    /**
     * Assigns the container by renaming it, because labels cannot change, so that it is found after a crash. False if
     * the engine lost the container.
     */
    assign: async (id: string, workerId: string): Promise<boolean> => {
      try {
        await connection.call((docker) => docker.getContainer(id).rename({ name: nameFor(`pause-${workerId}`) }));
        return true;
      } catch (error) {
        if (statusOf(error) === 404) return false;
        throw error;
      }
    },
    find: async (workerId: string): Promise<readonly string[]> => {
      const filters = { label: [`${INSTANCE_LABEL}=${instanceId}`], name: [`${KIND_PATTERN}${workerId}\\.`] };
      const found = await listContainers(connection, filters);
      return found.filter(({ Labels }) => isPauseContainer(Labels)).map(({ Id }) => Id);
    },
    start,
    isRunning: async (id: string): Promise<boolean> =>
      (await whileChanging(() => connection.call((docker) => docker.getContainer(id).inspect()))).State.Running,
    remove,
    known: (id: string): NetworkContainer | undefined => processes.get(id),
  };
};
