// The bridge network of the instance: created when it is first needed, and removed with the instance.
import { createServer } from 'node:net';
import type Dockerode from 'dockerode';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import type { EngineNamespace } from '../engine/engine-namespace.ts';
import { INSTANCE_LABEL, TEMPORARY_LABEL } from './labels.ts';

export interface Gateway {
  readonly address: string;
  /** True if a listener can bind to the address once the bridge exists, on this machine or in `namespace`. */
  readonly bindable: boolean;
  /** Where the address exists, if not on this machine itself. */
  readonly namespace?: EngineNamespace;
}

export interface Network {
  readonly id: string;
  readonly gateway?: Gateway;
}

export type InstanceNetwork = ReturnType<typeof createInstanceNetwork>;

/** Tries to bind, because the machine's address list does not contain a bridge without containers. */
export const isBindable = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  });

const gatewayAddress = (inspected: Dockerode.NetworkInspectInfo): string | undefined =>
  (inspected.IPAM?.Config ?? []).map((each) => each['Gateway']).find((each) => each?.includes('.'));

export const createInstanceNetwork = (inputs: {
  readonly connection: Connection;
  readonly facts: () => Promise<EngineFacts>;
  readonly instanceId: string;
  readonly instanceName: string;
  readonly isTemporary: boolean;
}) => {
  const { connection, facts, instanceId } = inputs;
  let known: Promise<Network> | undefined;

  const list = async (): Promise<readonly string[]> => {
    const found = await connection.call((docker, abortSignal) =>
      docker.listNetworks({ abortSignal, filters: { label: [`${INSTANCE_LABEL}=${instanceId}`] } }),
    );
    return found.map(({ Id }) => Id);
  };

  const inspect = (id: string): Promise<Dockerode.NetworkInspectInfo> =>
    connection.call((docker) => docker.getNetwork(id).inspect());

  const removeById = async (id: string): Promise<void> => {
    try {
      await connection.call((docker) => docker.getNetwork(id).remove());
    } catch (error) {
      if (statusOf(error) !== 404) throw toExecutorError(error, 'start', 'cannot remove the network of this instance');
    }
  };

  /**
   * Resolves the case that two daemons created a network each: the engine can execute the request of a killed daemon
   * after the next daemon has looked for the network. Containers of the killed daemon may still run, so the network
   * that they use is chosen.
   */
  const find = async (): Promise<string | undefined> => {
    const ids = await list();
    if (ids.length < 2) return ids[0];
    const networks = await Promise.all(ids.map(inspect));
    const isUsed = ({ Containers }: Dockerode.NetworkInspectInfo) => Object.keys(Containers ?? {}).length > 0;
    const chosen = networks.find(isUsed) ?? networks[0];
    for (const network of networks) if (network !== chosen && !isUsed(network)) await removeById(network.Id);
    return chosen?.Id;
  };

  const make = async (): Promise<string> => {
    const made = await connection.call((docker, abortSignal) =>
      docker.createNetwork({
        abortSignal,
        Name: `actorctl-${inputs.instanceName}-${instanceId.slice(0, 8)}`,
        Driver: 'bridge',
        CheckDuplicate: true,
        Labels: { [INSTANCE_LABEL]: instanceId, ...(inputs.isTemporary && { [TEMPORARY_LABEL]: 'true' }) },
        // Actors may reach the internet and the daemon, but not each other.
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      }),
    );
    return made.id;
  };

  const findOrMake = async (): Promise<Network> => {
    try {
      const id = (await find()) ?? (await make());
      const address = gatewayAddress(await inspect(id));
      if (address === undefined) return { id };
      const { bridgeNeedsContainer, sameHost, rootless, namespace, reachesBack } = await facts();
      if (namespace !== undefined) return { id, gateway: { address, bindable: true, namespace } };
      // The same address may belong to a bridge of another engine.
      if (rootless || !reachesBack) return { id, gateway: { address, bindable: false } };
      return { id, gateway: { address, bindable: bridgeNeedsContainer ? sameHost : await isBindable(address) } };
    } catch (error) {
      throw toExecutorError(error, 'start', 'cannot create the network of this instance');
    }
  };

  return {
    /** Returns the network and creates it if it is missing. @throws ExecutorError start, unavailable */
    get: (): Promise<Network> => {
      known ??= findOrMake().catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      return known;
    },
    /** Must be called when the network turned out to be missing, so that the next `get` looks for it again. */
    forget: (): void => {
      known = undefined;
    },
    /** Removes the network if it exists. @throws ExecutorError start when a container still uses it */
    remove: async (): Promise<void> => {
      known = undefined;
      for (const id of await list()) await removeById(id);
    },
  };
};
