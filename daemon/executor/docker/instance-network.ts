// The instance's own bridge network: made when first needed, kept until the instance goes down.
import { createServer } from 'node:net';
import type Dockerode from 'dockerode';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';
import { INSTANCE_LABEL } from './labels.ts';

/** The address of the daemon's side of the bridge. */
export interface Gateway {
  readonly address: string;
  /** Whether it is an address of this machine, so that a listener can be bound to it. */
  readonly bindable: boolean;
}

export interface Network {
  readonly id: string;
  readonly gateway?: Gateway;
}

export interface Networks {
  /** The network, made if it is not there. @throws ExecutorError start, unavailable */
  get(): Promise<Network>;
  /** It was found missing: the next `get` looks again. */
  forget(): void;
  /** Removes it if it is there. @throws ExecutorError start when something still uses it */
  remove(): Promise<void>;
}

/** Tries it: an interface without a container on it is missing from every list of addresses. */
const isBindable = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  });

const gatewayOf = async (inspected: Dockerode.NetworkInspectInfo): Promise<Gateway | undefined> => {
  const addresses = (inspected.IPAM?.Config ?? []).map((each) => each['Gateway']);
  const address = addresses.find((each) => each?.includes('.'));
  return address === undefined ? undefined : { address, bindable: await isBindable(address) };
};

/** @param inputs.name stands before a piece of the instance's id, for people who list networks */
export const createNetworks = (inputs: {
  readonly connection: Connection;
  readonly instanceId: string;
  readonly instanceName: string;
}): Networks => {
  const { connection, instanceId } = inputs;
  let known: Promise<Network> | undefined;

  const find = async (): Promise<string | undefined> => {
    const found = await connection.call((docker, abortSignal) =>
      docker.listNetworks({ abortSignal, filters: { label: [`${INSTANCE_LABEL}=${instanceId}`] } }),
    );
    return found[0]?.Id;
  };

  const make = async (): Promise<string> => {
    const made = await connection.call((docker, abortSignal) =>
      docker.createNetwork({
        abortSignal,
        Name: `actorctl-${inputs.instanceName}-${instanceId.slice(0, 8)}`,
        Driver: 'bridge',
        CheckDuplicate: true,
        Labels: { [INSTANCE_LABEL]: instanceId },
        // Actors reach the outside and the daemon; each other they have no business with.
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      }),
    );
    return made.id;
  };

  const getOnce = async (): Promise<Network> => {
    try {
      const id = (await find()) ?? (await make());
      const inspected: Dockerode.NetworkInspectInfo = await connection.call((docker) =>
        docker.getNetwork(id).inspect(),
      );
      const gateway = await gatewayOf(inspected);
      return { id, ...(gateway && { gateway }) };
    } catch (error) {
      throw toExecutorError(error, 'start', 'the network of this instance cannot be made');
    }
  };

  return {
    get: () => {
      known ??= getOnce().catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      return known;
    },
    forget: () => {
      known = undefined;
    },
    remove: async () => {
      known = undefined;
      const id = await find();
      if (id === undefined) return;
      try {
        await connection.call((docker) => docker.getNetwork(id).remove());
      } catch (error) {
        if (statusOf(error) !== 404) throw toExecutorError(error, 'start', 'the network of this instance stays');
      }
    },
  };
};
