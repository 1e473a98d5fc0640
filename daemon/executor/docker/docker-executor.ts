// The executor of container images: runs each execution in a new container, on the container engine that was found.
import { isFolderImage } from '../../domain/actors/image-reference.ts';
import type { Builder } from '../../ports/builder.ts';
import { type EngineUse, type Executor, ExecutorError, type Found } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import { createConnection } from '../engine/connection.ts';
import type { EndpointInputs } from '../engine/discovery.ts';
import { engineMessage, toExecutorError } from '../engine/engine-error.ts';
import { createEngineFacts } from '../engine/engine-facts.ts';
import { limitationsOf } from '../engine/limitations.ts';
import { listContainers } from '../engine/list-containers.ts';
import { factsOfProduct } from '../engine/products.ts';
import { createBuilder } from '../images/image-builder.ts';
import { createOutputShelf } from '../outputs/output-shelf.ts';
import { createContainerShells } from '../shell/container-shell.ts';
import { createCgroupUsage } from './cgroup-usage.ts';
import { createContainers } from './container-create.ts';
import { createRuns } from './container-run.ts';
import type { RestrictionSettings } from './container-spec.ts';
import { createDiskWatch } from './disk-watch.ts';
import { stateOf } from './follow-container.ts';
import { createImages } from './images.ts';
import { createInstanceNetwork, type Gateway, isBindable } from './instance-network.ts';
import { EXECUTION_LABEL, INSTANCE_LABEL, WORKER_LABEL } from './labels.ts';
import { createNetworkContainers, isPauseContainer, workerInName } from './network-containers.ts';
import { createWorkerNetworks } from './worker-network.ts';

export interface DockerExecutor extends Executor {
  /**
   * The daemon's address on the instance's bridge network, which is created if it is missing. Undefined while no engine
   * responds, or if there is no such address. The API listener binds to the address if it is bindable. If not, the
   * engine is in a virtual machine and reaches 127.0.0.1 of this machine as `host.docker.internal`. Never throws.
   */
  gateway(): Promise<Gateway | undefined>;
  /** Makes the gateway's address exist in the namespace of an engine without root. @throws ExecutorError */
  bringUpBridge(): Promise<void>;
  /** Why runs cannot mount files of this machine. Undefined if they can. @throws ExecutorError unavailable */
  withoutFiles(): Promise<string | undefined>;
  readonly builder: Builder;
}

export interface DockerExecutorInputs extends EndpointInputs {
  /** Value of the label on all objects of this data folder. */
  readonly instanceId: string;
  /** Name of the instance. It is part of the names of containers and of the network, so that people recognize them. */
  readonly instanceName: string;
  readonly isTemporary?: boolean;
  /** Records whether an engine was ever used. Before the first use, no engine is asked for objects. Default: used. */
  readonly use?: EngineUse;
  readonly fence?: RestrictionSettings;
  /**
   * Makes sure that the API listens where runs can reach it, and returns the port, at the gateway or at
   * `host.docker.internal`. Undefined if runs cannot reach the API. Called before each run is created, started and
   * reattached, because a run that a previous daemon started calls the API too. Never throws. Default: no API.
   */
  readonly apiPort?: () => Promise<number | undefined>;
  /** The https port of the API for actors of the dialect `legacy`. If absent, they get the plain one. */
  readonly legacyPort?: () => Promise<number | undefined>;
  /** Minimum time between two disk measurements of a container, in milliseconds. Default: 5 seconds. */
  readonly diskLookMs?: number;
  /** Time within which an engine that stops ends its containers, in any order, in milliseconds. Default: 5 seconds. */
  readonly engineStopMs?: number;
  /** Absolute path of the folder for the output files of runs. If absent, runs have no such files. */
  readonly outputsFolder?: string;
  readonly logger: Logger;
}

/** Docker refuses to create a container with a lower memory limit. */
const LEAST_MEMORY_BYTES = 6 * 1024 * 1024;

/** Contacts no engine before the first call. A run's ref is the name of its container. */
export const createDockerExecutor = (inputs: DockerExecutorInputs): DockerExecutor => {
  const { instanceId, instanceName, isTemporary = false, logger, fence = { readOnlyRoot: false } } = inputs;
  const { apiPort = async () => undefined, legacyPort = async () => undefined } = inputs;
  const bindListeners = () => Promise.all([apiPort(), legacyPort()]);
  const use = inputs.use ?? { happened: () => true, record: async () => undefined };
  const connection = createConnection({ where: inputs, instanceId, use, logger });
  const facts = createEngineFacts(connection);
  const instanceNetwork = createInstanceNetwork({ connection, facts, instanceId, instanceName, isTemporary });
  const usage = createCgroupUsage(instanceId);
  const images = createImages(connection, inputs);
  const extraHosts = async () => {
    const { gateway } = await instanceNetwork.get();
    return [`host.docker.internal:${gateway?.bindable ? gateway.address : 'host-gateway'}`];
  };
  const { outputsFolder } = inputs;
  const shelf = outputsFolder === undefined ? undefined : createOutputShelf({ folder: outputsFolder, logger });
  const shared = {
    shelf,
    connection,
    facts,
    instanceNetwork,
    usage,
    images,
    extraHosts,
    instanceId,
    instanceName,
    fence,
    logger,
  };
  const workerNetworks = createWorkerNetworks({ ...shared, networkContainers: createNetworkContainers(shared) });
  const containers = createContainers({ ...shared, workerNetworks });
  const diskWatch = createDiskWatch({ connection, logger, lookMs: inputs.diskLookMs, besides: shelf?.bytes });
  const openShell = createContainerShells({ ...shared, workerNetworks, containers, diskWatch });
  const runs = createRuns({
    ...shared,
    workerNetworks,
    containers,
    diskWatch,
    engineStopMs: inputs.engineStopMs,
  });

  /** Makes the gateway's address exist, for engines whose networks have no bridge before their first container. */
  const bringUpBridge = async (): Promise<void> => {
    if ((await facts()).bridgeNeedsContainer) await workerNetworks.reviveSpare();
  };

  const limitations = async (): Promise<readonly string[]> => {
    const product = connection.answer()?.product;
    if (product === undefined) return [];
    return limitationsOf(await facts().catch(() => factsOfProduct(product)));
  };

  const list = async (): Promise<readonly Found[]> => {
    if (!use.happened()) return [];
    try {
      const all = await listContainers(connection, { label: [`${INSTANCE_LABEL}=${instanceId}`] });
      const found = all.map(({ Id, Names, Labels, State }): Found => {
        const ref = Names[0]?.replace(/^\//, '') ?? Id;
        return {
          ref,
          kind: isPauseContainer(Labels) ? 'pause' : 'run',
          executionId: Labels[EXECUTION_LABEL] ?? '',
          workerId: Labels[WORKER_LABEL] ?? workerInName(ref) ?? '',
          state: stateOf(State),
        };
      });
      await usage.sweep(found.map(({ ref }) => ref));
      await shelf?.sweep(found.map(({ ref }) => ref));
      // Runs come before network containers, so that they can be removed in this order: Podman does not remove a
      // network container that a run still depends on.
      return found.sort((one, other) => Number(one.kind === 'pause') - Number(other.kind === 'pause'));
    } catch (error) {
      throw toExecutorError(error, 'unavailable', 'cannot list the containers');
    }
  };

  const removeAll = async (): Promise<void> => {
    await workerNetworks.stop();
    for (const { ref } of await list()) await containers.remove(ref);
    await instanceNetwork.remove();
    await usage.removeAll();
  };

  return {
    takes: (image) => !isFolderImage(image),
    leastMemoryBytes: LEAST_MEMORY_BYTES,
    probe: async (signal) => {
      const status = await connection.probe(signal);
      return status.available ? { ...status, limitations: await limitations() } : status;
    },
    prepare: async (image, onProgress, signal) => {
      await containers.prepare(image, onProgress, signal);
      await workerNetworks.keepSpare();
    },
    means: async () => {
      try {
        const { limitsResources, cpuQuota: limitsProcessors, reachesBack: reachesApi, withoutFiles } = await facts();
        const hasResultSocket = withoutFiles === undefined;
        return { limitsResources, limitsProcessors, reachesApi, hasResultSocket, secretsAreFiles: false };
      } catch {
        return undefined;
      }
    },
    apiServer: async (dialect) => {
      const losses = connection.lossCount();
      const secure = dialect === 'legacy' ? await legacyPort() : undefined;
      const port = secure ?? (await apiPort());
      if (port === undefined) {
        // A way to the API that an engine took down with it is no property of the engine, so the run waits.
        const status = await connection.probeNow();
        if (!status.available) throw new ExecutorError('unavailable', status.reason);
        if (losses !== connection.lossCount()) throw new ExecutorError('unavailable', 'the container engine went down');
        return undefined;
      }
      const { gateway } = await instanceNetwork.get();
      const host = gateway?.bindable
        ? gateway.address
        : (await facts()).reachesBack
          ? 'host.docker.internal'
          : undefined;
      // The origin of a URL omits a default port.
      return host && new URL(`${secure === undefined ? 'http' : 'https'}://${host}:${port}`).origin;
    },
    gateway: async () => {
      try {
        const { gateway } = await instanceNetwork.get();
        if (gateway?.bindable && !gateway.namespace && !(await isBindable(gateway.address))) await bringUpBridge();
        return gateway;
      } catch (error) {
        logger.info({ why: engineMessage(error) }, "the instance's bridge network has no gateway");
        return undefined;
      }
    },
    bringUpBridge,
    withoutFiles: async () => (await facts()).withoutFiles,
    create: containers.create,
    start: async (ref, sink) => {
      await bindListeners();
      return runs.start(ref, sink);
    },
    reattach: async (ref, sink) => {
      await bindListeners();
      return runs.reattach(ref, sink);
    },
    stop: runs.stop,
    openShell: async (...input) => {
      await bindListeners();
      return openShell(...input);
    },
    ...(shelf && { outputs: shelf.read }),
    remove: async (ref) => {
      await containers.remove(ref);
      runs.forget(ref);
    },
    list,
    closeWorker: async (workerId) => {
      try {
        await workerNetworks.close(workerId);
      } catch (error) {
        throw toExecutorError(error, 'unavailable', 'cannot remove the network of the worker');
      }
    },
    onAvailability: connection.onAvailability,
    builder: createBuilder(connection, { instanceId, isTemporary, use, logins: inputs }),
    close: async ({ removeAll: all }) => {
      try {
        if (all && use.happened() && (await connection.probe(connection.closed)).available) await removeAll();
      } catch (error) {
        logger.warn({ why: engineMessage(error) }, 'some objects of this instance are left in the container engine');
      } finally {
        connection.close();
      }
    },
  };
};
