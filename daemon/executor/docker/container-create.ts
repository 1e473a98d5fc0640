// Creates the container of a run, ready to start, inside the network of its worker.
import { randomBytes } from 'node:crypto';
import { type Executor, ExecutorError, type RunSpec } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { CallOptions, Connection } from '../engine/connection.ts';
import { engineMessage, isUnreachable, statusOf, toExecutorError, toStartError } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import type { OutputShelf } from '../outputs/output-shelf.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import { createCommandCheck } from './command-check.ts';
import { attachOutput, type OpenOutput } from './container-output.ts';
import { filesOf, type RestrictionSettings, runContainer } from './container-spec.ts';
import { createContainer, type Made } from './create-container.ts';
import type { ImageFacts, Images } from './images.ts';
import type { InstanceNetwork } from './instance-network.ts';
import { closeStream, isSilent } from './log-stream.ts';
import { removeContainer } from './remove-container.ts';
import { listenToRun, type RunEvents } from './run-events.ts';
import { tar } from './tar.ts';
import type { WorkerNetworks } from './worker-network.ts';

export type Containers = ReturnType<typeof createContainers>;

export interface WaitingContainer {
  /** Absent if the output has not been attached to yet. */
  readonly output?: OpenOutput;
  readonly workerId: string | undefined;
  /** The container whose network namespace this container joins. Undefined if it has its own network. */
  readonly networkId: string | undefined;
  /** Undefined or 0 if there is no limit. */
  readonly diskBytes: number | undefined;
  /** The container's events since it was created or found. */
  readonly events: RunEvents;
  /** Its first process, if the container was initialized before. Only Podman initializes containers before their start. */
  readonly firstProcess?: number;
}

interface Unstarted {
  readonly spec: RunSpec;
  readonly networkId: string | undefined;
  /** The output is attached in the background, because the claim follows the creation at once. */
  readonly output: Promise<OpenOutput>;
  readonly events: RunEvents;
}

const CREATE_MS = 60_000;
const FILES_MS = 120_000;

const nameable = (text: string): string => text.replace(/[^A-Za-z0-9_.-]/g, '');

export const createContainers = (inputs: {
  readonly connection: Connection;
  readonly facts: () => Promise<EngineFacts>;
  readonly instanceNetwork: InstanceNetwork;
  readonly workerNetworks: WorkerNetworks;
  readonly usage: CgroupUsage;
  readonly images: Images;
  readonly extraHosts: () => Promise<readonly string[]>;
  readonly instanceId: string;
  readonly instanceName: string;
  readonly fence: RestrictionSettings;
  /** Absent if runs have no output files. */
  readonly shelf?: OutputShelf | undefined;
  readonly logger: Logger;
}) => {
  const { connection, facts, instanceNetwork, workerNetworks, usage, images, instanceId, fence, shelf, logger } =
    inputs;
  const checkCommand = createCommandCheck(connection);
  const prepared = new Map<string, ImageFacts>();
  const unstarted = new Map<string, Unstarted>();
  /** Engines that refused to limit the disk space of a container, because their file system has no quotas. */
  const withoutQuota = new WeakSet<EngineFacts>();

  /** Asks the engine to limit the disk space where it may support that. If it refuses, there is no such limit. */
  const createWithQuota = async (inputs: Parameters<typeof runContainer>[0], bounds: CallOptions): Promise<Made> => {
    const create = (diskQuota: boolean) =>
      connection.call(
        (docker, abortSignal) => createContainer(docker, runContainer({ ...inputs, diskQuota }), abortSignal),
        bounds,
      );
    const engine = await facts();
    const mayHaveQuota = engine.storageDriver === 'overlay2' && !withoutQuota.has(engine);
    if (inputs.spec.limits.diskBytes === undefined || !mayHaveQuota) return create(false);
    try {
      return await create(true);
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined || status === 404 || status === 409) throw error;
      const made = await create(false);
      withoutQuota.add(engine);
      logger.debug({ why: engineMessage(error) }, 'the container engine cannot limit the disk space of containers');
      return made;
    }
  };

  /** Returns the id of the network container that the run joins. */
  const build = async (
    ref: string,
    spec: RunSpec,
    signal?: AbortSignal,
    warn?: (text: string) => void,
  ): Promise<string | undefined> => {
    const features = await facts();
    const joined = await workerNetworks.get(spec.workerId);
    const cgroupParent = await usage.cgroupParent(ref, features);
    const bounds = { timeoutMs: CREATE_MS, signal };
    const outputs =
      spec.outputs && features.withoutFiles === undefined ? await shelf?.make(ref, spec.outputs) : undefined;
    const options = {
      spec,
      name: ref,
      instanceId,
      network: joined ? `container:${joined.id}` : (await instanceNetwork.get()).id,
      extraHosts: joined ? [] : await inputs.extraHosts(),
      features,
      fence,
      cgroupParent,
      outputs,
    };
    const { warnings } = await createWithQuota(options, bounds);
    for (const text of warnings) warn?.(text);
    if (spec.files.length === 0) return joined?.id;
    const { folder, entries } = filesOf(spec, fence);
    const archive = tar(entries);
    await connection.call(
      (docker, abortSignal) => docker.getContainer(ref).putArchive(archive, { path: folder, abortSignal }),
      { ...bounds, timeoutMs: FILES_MS },
    );
    return joined?.id;
  };

  const buildInAnyCase: typeof build = async (ref, spec, signal, warn) => {
    try {
      return await build(ref, spec, signal, warn);
    } catch (error) {
      if (statusOf(error) === undefined || isUnreachable(error)) throw error;
      const joined = await workerNetworks.get(spec.workerId);
      // The missing object may be the worker's network container. Docker refuses with 404 then, and Podman with 500.
      if (!joined || (await workerNetworks.restart(spec.workerId, joined.id)) !== 'gone') throw error;
      return build(ref, spec, signal, warn);
    }
  };

  const removeIfThere = async (ref: string): Promise<void> => {
    try {
      await removeContainer(connection, ref);
    } catch (error) {
      throw toExecutorError(error, 'unavailable', `cannot remove the container ${ref}`);
    }
  };

  const keep = (ref: string, spec: RunSpec, networkId: string | undefined): void => {
    const events = listenToRun(connection, ref);
    const output = attachOutput(connection, facts, ref);
    unstarted.set(ref, { spec, networkId, output, events });
    output.catch((error: unknown) => logger.debug({ ref, why: engineMessage(error) }, 'cannot attach to a container'));
  };

  const forget = (ref: string): void => {
    const created = unstarted.get(ref);
    unstarted.delete(ref);
    created?.events.stop();
    created?.output.then(
      ({ stream }) => closeStream(stream),
      () => undefined,
    );
  };

  const remove = async (ref: string): Promise<void> => {
    forget(ref);
    await removeIfThere(ref);
    await shelf?.remove(ref);
    await usage.remove(ref);
  };

  /** @param finish prepares the new container for its start. If it fails, the container is removed. */
  const createWith = async (
    spec: RunSpec,
    signal: AbortSignal,
    warn: ((text: string) => void) | undefined,
    finish: (ref: string, networkId: string | undefined) => Promise<void>,
  ): Promise<string> => {
    const random = randomBytes(6).toString('hex');
    const ref = `actorctl-${nameable(inputs.instanceName)}-${nameable(spec.executionId)}-${random}`;
    try {
      await finish(ref, await buildInAnyCase(ref, spec, signal, warn));
      return ref;
    } catch (error) {
      prepared.delete(spec.image);
      await remove(ref).catch((left: unknown) =>
        logger.warn({ ref, why: engineMessage(left) }, 'a container may be left in the engine'),
      );
      if (signal.aborted) throw signal.reason;
      if (error instanceof ExecutorError) throw error;
      if (statusOf(error) === 404) throw toExecutorError(error, 'image', 'cannot create the container');
      throw toStartError(error, 'cannot create the container');
    }
  };

  return {
    prepare: async (image: string, onProgress: (text: string) => void, signal: AbortSignal): Promise<void> => {
      prepared.set(image, await images.prepare(image, onProgress, signal));
    },
    /** Returns the container's name, which is the run's ref. @throws ExecutorError start, never, size, image, unavailable */
    create: async (...[spec, signal, warn]: Parameters<Executor['create']>): Promise<string> => {
      const image = prepared.get(spec.image) ?? (await images.prepare(spec.image, () => undefined, signal));
      prepared.set(spec.image, image);
      return createWith(spec, signal, warn, async (ref, networkId) => {
        await checkCommand(ref, image, spec.image, spec.environment['PATH']);
        keep(ref, spec, networkId);
      });
    },
    /** Creates a container whose streams are left to the caller. @throws as `create`; `never` for a missing program */
    createShell: (spec: RunSpec, image: ImageFacts, signal: AbortSignal) =>
      createWith(spec, signal, undefined, (ref) =>
        checkCommand(ref, { ...image, id: `${image.id} ${image.command[0]}` }, spec.image, spec.environment['PATH']),
      ),
    /** Removes a container that has not started and creates it again. Returns false if this daemon did not create it. */
    recreate: async (ref: string): Promise<boolean> => {
      const spec = unstarted.get(ref)?.spec;
      if (!spec) return false;
      forget(ref);
      await removeIfThere(ref);
      keep(ref, spec, await build(ref, spec));
      return true;
    },
    /**
     * The container, if this daemon created it and did not start it. Undefined if it may have changed since, so that it
     * must be inspected.
     */
    waiting: async (ref: string): Promise<WaitingContainer | undefined> => {
      const created = unstarted.get(ref);
      const output = await created?.output.catch(() => undefined);
      if (created === undefined || output === undefined) return undefined;
      const { spec, networkId, events } = created;
      // A container that another program has run meanwhile has no output either, if the daemon attached to it only
      // after its end.
      const isUntouched = !events.seen.die && !events.seen.kill && !events.hasGap();
      if (isUntouched && output.losses === connection.lossCount() && isSilent(output.stream))
        return { output, events, workerId: spec.workerId, networkId, diskBytes: spec.limits.diskBytes };
      closeStream(output.stream);
      return undefined;
    },
    /** True if this daemon created the container and has not asked for its start. */
    isUnstarted: (ref: string): boolean => unstarted.has(ref),
    /** Must be called when the container has or may have started. From then on, `recreate` does nothing. */
    markStarted: (ref: string): void => void unstarted.delete(ref),
    remove,
  };
};
