// The executor of container images on a Docker Swarm: runs each execution as a service of one task, on any node.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { isFolderImage } from '../../domain/actors/image-reference.ts';
import type { Builder } from '../../ports/builder.ts';
import { type EngineStatus, type EngineUse, type Executor, ExecutorError, type Found } from '../../ports/executor.ts';
import type { FileOffers } from '../../ports/file-offers.ts';
import type { Logger } from '../../ports/logger.ts';
import { createConnection } from '../engine/connection.ts';
import type { EndpointInputs } from '../engine/discovery.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { createEngineFacts } from '../engine/engine-facts.ts';
import { SWARM_LIMITATIONS, SWARM_MEANS } from '../engine/limitations.ts';
import { createBuilder } from '../images/image-builder.ts';
import { imageLogin, registryLogin } from '../images/registry-login.ts';
import { readField } from '../read-field.ts';
import { leftObject, listRuns } from './list-runs.ts';
import { deliverFiles, removeFiles } from './run-objects.ts';
import { filesToDeliver, objectsOf, runService } from './service-spec.ts';
import { createSwarmCalls } from './swarm-calls.ts';
import { createSwarmImages } from './swarm-images.ts';
import { createSwarmRuns } from './swarm-runs.ts';
import { describeNode, processorsOf } from './task-state.ts';
import { createTaskWatch } from './task-watch.ts';

export interface SwarmExecutor extends Executor {
  /** Address of the manager inside the swarm. Undefined while it does not respond. Never throws. */
  managerAddress(): Promise<string | undefined>;
  /** Number of processors of the active nodes at the last probe. Before the first probe, that of this machine. */
  processors(): number;
  readonly builder: Builder;
}

export interface SwarmExecutorInputs extends EndpointInputs {
  readonly instanceId: string;
  readonly isTemporary?: boolean;
  readonly use?: EngineUse;
  /** Registry (`host:port`) for images that come from no other registry. */
  readonly registry?: string | undefined;
  /** URL at which the nodes reach the daemon's API, which listens there from then on. Never throws. Default: no API. */
  readonly apiUrl?: () => Promise<string | undefined>;
  /** The URL for actors of the legacy dialect. If undefined, `apiUrl` serves them too. */
  readonly legacyUrl?: () => Promise<string | undefined>;
  /** Serves files that are too large for Swarm. */
  readonly offers: FileOffers;
  /**
   * Time between SIGTERM and SIGKILL. It is the same for every stop, because Swarm fixes it when a run is created.
   * Default: 10 seconds.
   */
  readonly stopGraceMs?: number;
  /** Time within which a node whose engine restarts registers at the manager. Default: 15 seconds. */
  readonly registrationMs?: number;
  /** Maximum time that a run waits for a node. Default: 10 seconds. */
  readonly startMs?: number;
  readonly logger: Logger;
}

/** Engines refuse to start a container with less memory. */
const LEAST_MEMORY_BYTES = 6 * 1024 * 1024;
/** The first version of the engine's API that passes "no new privileges" on to tasks. */
const NO_NEW_PRIVILEGES_API = [1, 46];

const isAtLeast = (version: string | undefined, [major = 0, minor = 0]: readonly number[]): boolean => {
  const [ours = 0, own = 0] = (version ?? '').split('.').map(Number);
  return ours > major || (ours === major && own >= minor);
};

/** Contacts no manager before the first call. A run's ref is the name of its service. */
export const createSwarmExecutor = (inputs: SwarmExecutorInputs): SwarmExecutor => {
  const { instanceId, isTemporary = false, logger, offers, stopGraceMs = 10_000 } = inputs;
  const { apiUrl = async () => undefined, legacyUrl = async () => undefined } = inputs;
  const bindListeners = () => Promise.all([apiUrl(), legacyUrl()]);
  const use = inputs.use ?? { happened: () => true, record: async () => undefined };
  const connection = createConnection({ where: inputs, instanceId, use, logger });
  const facts = createEngineFacts(connection);
  const calls = createSwarmCalls(connection, instanceId);
  const watch = createTaskWatch({ connection, calls, logger });
  const { registry } = inputs;
  const login = async () => (registry === undefined ? undefined : registryLogin(registry, inputs));
  const images = createSwarmImages({
    connection,
    instanceId,
    registry,
    login,
    places: inputs,
    digestsBuilt: async () => (await facts()).digestsBuilt,
  });
  const runs = createSwarmRuns({
    connection,
    calls,
    watch,
    stopGraceMs,
    registrationMs: inputs.registrationMs,
    logger,
    startMs: inputs.startMs,
  });

  const swarmInfo = () => connection.call(async (docker): Promise<unknown> => readField(await docker.info(), 'Swarm'));

  let processors = availableParallelism();

  const probe = async (signal: AbortSignal): Promise<EngineStatus> => {
    const status = await connection.probe(signal);
    if (!status.available) return status;
    try {
      const swarm = await swarmInfo();
      if (readField(swarm, 'ControlAvailable') !== true) {
        const state = String(readField(swarm, 'LocalNodeState') ?? 'inactive');
        const what = state === 'active' ? 'is a worker of its swarm, not a manager' : `is in no swarm (${state})`;
        return {
          available: false,
          reason: `the engine at ${status.endpoint ?? 'its address'} ${what}. Name a manager with DOCKER_HOST or --docker-host, or run "docker swarm init" there.`,
        };
      }
      const nodes = await calls.nodes();
      processors = processorsOf(nodes) || processors;
      const ready = nodes.filter(({ Status }) => Status?.State === 'ready').length;
      const description = `${status.description} Swarm, ${ready} of ${nodes.length} nodes ready`;
      return { ...status, description, limitations: SWARM_LIMITATIONS };
    } catch (error) {
      return { available: false, reason: engineMessage(error) };
    }
  };

  const create: Executor['create'] = async (spec, signal, warn) => {
    if (spec.privileged)
      throw new ExecutorError(
        'never',
        'a Swarm runs no privileged containers. Use --engine docker, or update the actor without --privileged',
      );
    const image = await images.pinned(spec.image, signal);
    const status = await connection.probe(signal);
    const name = `actorctl-${spec.executionId.replace(/[^A-Za-z0-9-]/g, '').slice(0, 30)}-${randomBytes(6).toString('hex')}`;
    try {
      const { variables, files } = filesToDeliver(spec);
      const delivered = await deliverFiles({
        calls,
        offers,
        instanceId,
        ref: name,
        spec,
        files,
        signal,
      });
      const service = runService({
        spec,
        name,
        instanceId,
        image,
        variables,
        delivered,
        init: (await facts()).init,
        noNewPrivileges: status.available && isAtLeast(status.apiVersion, NO_NEW_PRIVILEGES_API),
        stopGraceMs,
      });
      const isOurs = registry !== undefined && image.startsWith(`${registry}/`);
      const pulling = isOurs ? login() : imageLogin(image, inputs).catch(() => undefined);
      for (const text of await calls.createService(service, await pulling, signal)) warn?.(text);
      return name;
    } catch (error) {
      const undo = [calls.removeService(name).then(() => removeFiles(calls, name)), offers.withdraw(name)];
      for (const { status: outcome } of await Promise.allSettled(undo))
        if (outcome === 'rejected')
          logger.warn({ ref: name }, 'a run that was not created may have left objects in the swarm');
      throw error;
    }
  };

  const remove = async (ref: string): Promise<void> => {
    const left = leftObject(ref);
    if (left !== undefined) return calls.removeObject(left.kind, left.id);
    await offers.withdraw(ref);
    try {
      const service = await calls.service(ref);
      await calls.removeService(service.ID);
      watch.forget(service.ID);
      for (const { kind, id } of objectsOf(service)) await calls.removeObject(kind, id);
    } catch (error) {
      if (!(error instanceof ExecutorError) || error.kind !== 'lost') throw error;
      // An earlier removal whose response was lost may have removed only the service.
      await removeFiles(calls, ref);
    }
  };

  let swept = false;
  const list = async (): Promise<readonly Found[]> => {
    if (!use.happened()) {
      swept = true;
      return [];
    }
    const found = await listRuns(calls);
    // Only the first listing, which precedes the first new run, may clean up. A later one can miss a run that is being
    // created.
    if (!swept) {
      await offers.keepOnly(new Set(found.map(({ ref }) => ref)));
      swept = true;
      await images
        .removeLeftovers()
        .catch((error: unknown) => logger.warn({ why: engineMessage(error) }, 'cannot remove leftover containers'));
    }
    return found;
  };

  return {
    takes: (image) => !isFolderImage(image),
    leastMemoryBytes: LEAST_MEMORY_BYTES,
    probe,
    nodes: async () => (await calls.nodes()).map(describeNode),
    prepare: async (...input) => void (await images.prepare(...input)),
    means: async () => SWARM_MEANS,
    apiServer: async (dialect) => (dialect === 'legacy' ? await legacyUrl() : undefined) ?? apiUrl(),
    create,
    start: async (...input) => {
      await bindListeners();
      return runs.start(...input);
    },
    reattach: async (...input) => {
      await bindListeners();
      return runs.reattach(...input);
    },
    stop: runs.stop,
    remove,
    list,
    // A worker holds no resources in a swarm.
    closeWorker: async () => undefined,
    onAvailability: connection.onAvailability,
    managerAddress: async () => {
      try {
        const address = readField(await swarmInfo(), 'NodeAddr');
        return typeof address === 'string' && address !== '' ? address : undefined;
      } catch (error) {
        logger.info({ why: engineMessage(error) }, 'the address of the Swarm manager is unknown');
        return undefined;
      }
    },
    processors: () => processors,
    builder: createBuilder(connection, { instanceId, isTemporary, use, logins: inputs }),
    close: async ({ removeAll }) => {
      try {
        if (removeAll && use.happened() && (await connection.probe(connection.closed)).available)
          for (const { ref } of await list()) await remove(ref);
      } catch (error) {
        logger.warn({ why: engineMessage(error) }, 'some objects of this instance are left in the swarm');
      } finally {
        connection.close();
      }
    },
  };
};
