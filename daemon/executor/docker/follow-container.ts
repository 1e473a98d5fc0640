// Follows one started run to its end: writes its output into the sink and waits for its end, also while the engine is
// unavailable.
import { setTimeout as pause } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { type Ended, ExecutorError, type LogSink } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { interruptionOf, type NetworkState, networkEvidence } from '../engine/container-end.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';
import { whileChanging } from '../engine/inspect.ts';
import { factsOfProduct } from '../engine/products.ts';
import { createResumableSink } from '../resumable-sink.ts';
import type { WatchedDisk } from './disk-watch.ts';
import { type Reading, readStream } from './log-stream.ts';
import type { RunEvents } from './run-events.ts';

/** Interval at which a run is inspected if no event about it arrives. */
const LOOK_MS = 2000;
/** How long the rest of the output may be silent after the run has ended. */
const QUIET_MS = 2000;
const LOG_QUIET_MS = 10_000;
const LOG_ATTEMPTS = 3;
const RETRY_MS = 100;
/** How long after the end of the output the engine may report the end of the run. */
const DIE_MS = 200;
/** How long after an inspection that shows the end of a run its event may arrive, or that of a lack of memory. */
const EVENT_MS = 1000;
/** The exit code of a container whose main process got SIGKILL. */
const KILLED = 137;
/** Within this time, an engine that stops ends its containers, in any order. */
const STOP_MS = 5000;

export type Inspected = Dockerode.ContainerInspectInfo;

/** Translates a container's status into the state of the port. Podman has status names of its own. */
export const stateOf = (status: string): 'created' | 'running' | 'ended' => {
  if (['created', 'configured', 'initialized'].includes(status)) return 'created';
  return ['running', 'paused', 'restarting', 'stopping'].includes(status) ? 'running' : 'ended';
};

/** @throws ExecutorError lost, unavailable */
export const inspectRun = async (connection: Connection, ref: string): Promise<Inspected> => {
  try {
    return await whileChanging(() => connection.call((docker) => docker.getContainer(ref).inspect()));
  } catch (error) {
    if (statusOf(error) === 404)
      throw new ExecutorError('lost', `the container engine no longer has the container ${ref}`, { cause: error });
    throw toExecutorError(error, 'lost', `cannot inspect the container ${ref}`);
  }
};

/** The engine's copy of the log, from its first byte; the stream stays open while the container runs. */
export const openLog = async (connection: Connection, ref: string): Promise<NodeJS.ReadableStream> => {
  try {
    return await connection.call((docker) =>
      docker.getContainer(ref).logs({ follow: true, stdout: true, stderr: true }),
    );
  } catch (error) {
    throw toExecutorError(error, 'lost', `cannot read the log of the container ${ref}`);
  }
};

export const networkContainerOf = ({ HostConfig }: Inspected): string | undefined =>
  /^container:(.+)$/.exec(HostConfig.NetworkMode ?? '')?.[1];

export interface FollowedRun {
  readonly ref: string;
  /** The container as inspected before; undefined if it has just been started. */
  readonly run: Inspected | undefined;
  /** Its events from before its start or that inspection on. Stopped when the run has ended. */
  readonly events: RunEvents;
  readonly sink: LogSink;
  readonly stream: NodeJS.ReadableStream;
  readonly losses: number;
  readonly fault: RegExp | undefined;
  /** True if the run was told to stop; then its end is not caused by the engine. */
  readonly wasStopped: () => boolean;
  readonly disk: WatchedDisk | undefined;
  /** Whether the ended run exceeded its memory limit, as the kernel knows it. Undefined if only the engine knows it. */
  readonly askKernel: (run: Inspected) => Promise<boolean | undefined>;
  readonly readUsage: (run: Inspected) => Pick<Ended, 'cpuNs' | 'ioBytes'>;
}

const inspectNetwork = async (connection: Connection, run: Inspected): Promise<NetworkState | undefined> => {
  const id = networkContainerOf(run);
  if (id === undefined) return undefined;
  try {
    const { State } = await inspectRun(connection, id);
    return { running: State.Running, startedAt: Date.parse(State.StartedAt), finishedAt: Date.parse(State.FinishedAt) };
  } catch (error) {
    if (error instanceof ExecutorError && error.kind === 'lost') return undefined;
    throw error;
  }
};

/** @throws ExecutorError lost when the engine no longer has the run, unavailable when the executor is closed */
export const createFollow = (inputs: {
  readonly connection: Connection;
  readonly logger: Logger;
  readonly engineStopMs?: number | undefined;
}) => {
  const { connection, logger, engineStopMs = STOP_MS } = inputs;

  const whileUnavailableRetry = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ExecutorError) || error.kind !== 'unavailable') throw error;
        await connection.whenAvailable();
        // Some engines answer a probe but no other call; the pause limits the rate of retries.
        await pause(RETRY_MS);
      }
    }
  };

  return async (followed: FollowedRun): Promise<Ended> => {
    const { ref, events, disk } = followed;
    const resumable = createResumableSink(followed.sink);
    let losses = followed.losses;
    const read = (stream: NodeJS.ReadableStream, fault?: RegExp): Reading => {
      const reading = readStream(stream, resumable.forNextSource(), { fault });
      void reading.over.then(events.push);
      return reading;
    };
    let reading = read(followed.stream, followed.fault);
    const readLogAgain = async () => {
      reading.stop();
      losses = connection.lossCount();
      reading = read(await whileUnavailableRetry(() => openLog(connection, ref)));
    };
    const waitUntil = async (isEnough: () => boolean): Promise<void> => {
      const deadline = performance.now() + EVENT_MS;
      while (!isEnough() && performance.now() < deadline && !connection.closed.aborted)
        await events.wait(deadline - performance.now());
    };
    /** The engine learns of an end and of its cause on two ways, so the cause may arrive after the end. */
    const ranOutOfMemory = async (ended: Inspected): Promise<boolean> => {
      const { HostConfig, State } = ended;
      if (State.OOMKilled || events.seen.oom) return true;
      if (State.ExitCode !== KILLED || !HostConfig.Memory || followed.wasStopped() || events.seen.kill) return false;
      const known = await followed.askKernel(ended);
      if (known !== undefined) return known;
      await waitUntil(() => events.seen.oom);
      return events.seen.oom;
    };
    /** The limit that ended the run, if any. A run that fails at its disk limit by itself counts as well. */
    const exceededBy = async (ended: Inspected): Promise<'memory' | 'disk' | undefined> => {
      if (disk?.exceeded()) return 'disk';
      if (await ranOutOfMemory(ended)) return 'memory';
      const failed = ended.State.ExitCode !== 0 && !followed.wasStopped();
      return failed && (await disk?.isOver()) ? 'disk' : undefined;
    };
    const whyInterrupted = async (ended: Inspected, exceeded: string | undefined): Promise<string | undefined> => {
      const { Status, ExitCode, FinishedAt } = ended.State;
      const isOurs = followed.wasStopped() || exceeded !== undefined;
      const { die: wasWatched, kill: wasSignalled } = events.seen;
      const isKnown = isOurs || wasWatched || wasSignalled;
      const network = isKnown ? undefined : await whileUnavailableRetry(() => inspectNetwork(connection, ended));
      const evidence = networkEvidence(Date.parse(FinishedAt), network, engineStopMs);
      return interruptionOf({
        status: Status,
        exitCode: ExitCode,
        isOurs,
        wasSignalled,
        wasWatched,
        network: evidence,
      });
    };
    try {
      let { run } = followed;
      const wasRunning = run === undefined || stateOf(run.State.Status) !== 'ended';
      while (run === undefined || stateOf(run.State.Status) !== 'ended') {
        await events.wait(LOOK_MS);
        // The output ends a moment before the engine reports the end.
        if (!events.seen.die && reading.isOver()) await events.wait(DIE_MS);
        const gaps = events.gapCount();
        run = await whileUnavailableRetry(() => inspectRun(connection, ref));
        if (stateOf(run.State.Status) === 'ended') break;
        events.bridge(gaps);
        // The container survived a restart of its engine, but its output stream did not.
        if (losses !== connection.lossCount()) await readLogAgain();
      }
      const product = connection.answer()?.product;
      const hasSignals = product === undefined || factsOfProduct(product).reportsSignals;
      if (wasRunning && hasSignals) await waitUntil(() => events.seen.die || events.hasGap());
      let whole = losses === connection.lossCount() && (await reading.settled(QUIET_MS));
      for (let attempt = 0; !whole && attempt < LOG_ATTEMPTS; attempt += 1) {
        await readLogAgain();
        whole = await reading.settled(LOG_QUIET_MS);
      }
      if (!whole) logger.warn({ ref }, 'the engine did not deliver the whole log of a run');
      const { State } = run;
      const exceeded = await exceededBy(run);
      const interrupted = await whyInterrupted(run, exceeded);
      return {
        exitCode: State.ExitCode,
        startedAt: Date.parse(State.StartedAt),
        // The engine takes the two times from different clocks, so a very short run can seem to end before it starts.
        finishedAt: Math.max(Date.parse(State.StartedAt), Date.parse(State.FinishedAt)),
        outOfMemory: exceeded === 'memory',
        ...(exceeded === 'disk' && { outOfDisk: true }),
        ...followed.readUsage(run),
        // Podman calls a container `stopped` until it has released its resources, and then `exited` as Docker does.
        finalState: { ...State, ...(State.Status === 'stopped' && { Status: 'exited' }) },
        ...(interrupted !== undefined && { interrupted }),
      };
    } finally {
      disk?.stop();
      events.stop();
      reading.stop();
    }
  };
};
