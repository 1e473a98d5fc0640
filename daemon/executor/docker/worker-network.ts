// The network of each worker: a container that runs as long as the worker. The worker's runs join its network namespace
// one after another.
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, statusOf, toExecutorError } from '../engine/engine-error.ts';
import type { NetworkContainer } from './cgroup-usage.ts';
import type { NetworkContainers } from './network-containers.ts';

export type WorkerNetworks = ReturnType<typeof createWorkerNetworks>;

/**
 * Delay before a used spare is replaced, so that creating the new one does not slow down the run that took the spare.
 */
const REPLACE_MS = 1_000;

export const createWorkerNetworks = (inputs: {
  readonly connection: Connection;
  readonly networkContainers: NetworkContainers;
  readonly logger: Logger;
}) => {
  const { connection, networkContainers: made, logger } = inputs;
  const containers = new Map<string, Promise<NetworkContainer | undefined>>();
  let spare: Promise<NetworkContainer | undefined> | undefined;
  let replacing: NodeJS.Timeout | undefined;
  let stopped = false;

  const keepSpare = async (): Promise<void> => {
    if (stopped || connection.closed.aborted) return;
    spare ??= made.make();
    const mine = spare;
    try {
      await mine;
    } catch (error) {
      if (spare === mine) spare = undefined;
      logger.debug({ why: engineMessage(error) }, 'cannot make a spare network container');
    }
  };

  const reviveSpare = async (): Promise<void> => {
    const mine = spare;
    const known = await mine?.catch(() => undefined);
    if (known !== undefined && !(await made.isRunning(known.id).catch(() => false))) {
      await made.remove(known.id).catch(() => undefined);
      if (spare === mine) spare = undefined;
    }
    await keepSpare();
  };

  const replaceSpare = (): void => {
    clearTimeout(replacing);
    replacing = setTimeout(() => void keepSpare(), REPLACE_MS);
    replacing.unref();
  };

  const takeSpare = async (): Promise<NetworkContainer | undefined> => {
    const mine = spare;
    spare = undefined;
    replaceSpare();
    return mine?.catch(() => undefined);
  };

  const findOrAssign = async (workerId: string): Promise<NetworkContainer | undefined> => {
    for (const id of await made.find(workerId)) {
      try {
        return await made.start(id);
      } catch {
        await made.remove(id);
      }
    }
    const ahead = await takeSpare();
    if (ahead !== undefined && (await made.assign(ahead.id, workerId))) return ahead;
    const own = await made.make();
    if (own !== undefined) await made.assign(own.id, workerId);
    return own;
  };

  const get = (workerId: string): Promise<NetworkContainer | undefined> => {
    const known = containers.get(workerId);
    if (known !== undefined) return known;
    const found = findOrAssign(workerId).catch((error: unknown) => {
      if (containers.get(workerId) === found) containers.delete(workerId);
      throw toExecutorError(error, 'start', 'cannot create the network of the worker');
    });
    containers.set(workerId, found);
    return found;
  };

  return {
    /**
     * The running network container of a worker, assigned at the first call. Undefined if there is no program for the
     * engine's processor; each run then needs its own network.
     * @throws ExecutorError start, unavailable
     */
    get,
    /**
     * Prepares one spare container for the whole instance, so that an actor that is never called costs nothing. Never
     * throws.
     */
    keepSpare,
    /** As `keepSpare`, and replaces a spare that no longer runs. Never throws. */
    reviveSpare,
    known: made.known,
    /** Starts a stopped network container again. `gone`: the engine no longer has it, and `get` assigns another one. */
    restart: async (workerId: string, containerId: string): Promise<'alive' | 'revived' | 'gone'> => {
      try {
        if (await made.isRunning(containerId)) return 'alive';
        const container = await made.start(containerId);
        containers.set(workerId, Promise.resolve(container));
        return 'revived';
      } catch (error) {
        const failure = toExecutorError(error, 'start', '');
        if (failure.kind === 'unavailable') throw failure;
        if (statusOf(error) !== 404) await made.remove(containerId);
        if ((await containers.get(workerId)?.catch(() => undefined))?.id === containerId) containers.delete(workerId);
        return 'gone';
      }
    },
    close: async (workerId: string): Promise<void> => {
      await containers.get(workerId)?.catch(() => undefined);
      containers.delete(workerId);
      for (const id of await made.find(workerId)) await made.remove(id);
    },
    /** Resolves when no spare is being created. No further one is created. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(replacing);
      await spare?.catch(() => undefined);
    },
  };
};
