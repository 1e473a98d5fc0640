// Follows one started run to its end: writes its output into the sink and waits for its end, also while the engine is
// unavailable.
import { setTimeout as pause } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { type Ended, ExecutorError, type LogSink } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';
import { whileChanging } from '../engine/inspect.ts';
import { createResumableSink } from '../resumable-sink.ts';
import type { WatchedDisk } from './disk-watch.ts';
import { DISK_LABEL } from './labels.ts';
import { type Reading, readStream } from './log-stream.ts';
import { normalEndOf, type RunEvents } from './run-events.ts';

/** Interval at which a run is inspected if no event about it arrives. */
const LOOK_MS = 2000;
/** How long the rest of the output may be silent after the run has ended. */
const QUIET_MS = 2000;
const LOG_QUIET_MS = 10_000;
const LOG_ATTEMPTS = 3;
const RETRY_MS = 100;
/** How long after the end of the output the engine may tell the end of the run. */
const DIE_MS = 200;
/** How long after a run was killed the engine may still report that it ran out of memory. */
const OUT_OF_MEMORY_MS = 1000;
/** The exit code of a container whose main process got SIGKILL. */
const KILLED = 137;
/** Exit codes of a container that was killed because its engine shut down: SIGKILL, SIGTERM, and unknown. */
const KILLED_WITH_ENGINE = [KILLED, 143, 255];

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

/** What of a run's creation matters at its end. */
export interface RunTraits {
  /** The container whose network namespace it has joined. */
  readonly networkId: string | undefined;
  /** Undefined or 0: no limit. */
  readonly memoryBytes: number | undefined;
  /** Undefined or 0: no limit. */
  readonly diskBytes: number | undefined;
  /** Its CPU time can be read. */
  readonly hasCgroup: boolean;
}

export const traitsOf = ({ Config, HostConfig }: Inspected): RunTraits => ({
  networkId: /^container:(.+)$/.exec(HostConfig.NetworkMode ?? '')?.[1],
  memoryBytes: HostConfig.Memory,
  diskBytes: Number(Config.Labels[DISK_LABEL] ?? ''),
  hasCgroup: Boolean(HostConfig.CgroupParent),
});

export interface FollowedRun {
  readonly ref: string;
  /** The container as inspected; undefined if it has just been started. */
  readonly run: Inspected | undefined;
  readonly traits: RunTraits;
  /** Its events from before its start or the attachment on. Stopped when the run has ended. */
  readonly events: RunEvents;
  readonly sink: LogSink;
  /** The output, from its first byte. */
  readonly stream: NodeJS.ReadableStream;
  /** The engine's loss count when the stream was opened. */
  readonly losses: number;
  /** What the engine itself writes at the end of a stream that breaks. */
  readonly fault: RegExp | undefined;
  /** True if the run was told to stop; then its end is not caused by the engine. */
  readonly wasStopped: () => boolean;
  /** The watch over its files, if they are limited. */
  readonly disk: WatchedDisk | undefined;
  /** Whether the ended run exceeded its memory limit, as the kernel knows it. Undefined if it cannot be read. */
  readonly ranOutOfMemory: () => boolean | undefined;
  /** Whether the kernel is asked and not the engine. */
  readonly asksKernel: () => Promise<boolean>;
  /** Reads the resource usage of the ended run. */
  readonly readUsage: () => Pick<Ended, 'cpuNs' | 'ioBytes'>;
}

/**
 * True if the worker's network container stopped too. It never ends by itself, so then the engine was shut down and
 * killed both.
 */
const networkContainerStopped = async (
  connection: Connection,
  run: Inspected,
  holder: string | undefined,
): Promise<boolean> => {
  if (holder === undefined) return false;
  try {
    const { State } = await whileChanging(() => connection.call((docker) => docker.getContainer(holder).inspect()));
    return !State.Running || Date.parse(State.StartedAt) > Date.parse(run.State.FinishedAt);
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
};

/** @throws ExecutorError lost when the engine no longer has the run, unavailable when the executor is closed */
export const createFollow = (inputs: { readonly connection: Connection; readonly logger: Logger }) => {
  const { connection, logger } = inputs;

  /** Retries `work` until the engine is available. */
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
    const { ref, events, disk, traits } = followed;
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
    /** The engine learns of an end and of its cause on two ways, so the cause may arrive after the end. */
    const ranOutOfMemory = async (ended: Inspected): Promise<boolean> => {
      const { HostConfig, State } = ended;
      if (State.OOMKilled) return true;
      if (State.ExitCode !== KILLED || !HostConfig.Memory || followed.wasStopped()) return false;
      if (await followed.asksKernel()) return followed.ranOutOfMemory() ?? false;
      const deadline = performance.now() + OUT_OF_MEMORY_MS;
      while (events.seen.oom === undefined && performance.now() < deadline && !connection.closed.aborted)
        await events.wait(deadline - performance.now());
      return events.seen.oom !== undefined;
    };
    /** The limit that ended the run, if any. A run that fails at its disk limit by itself counts as well. */
    const exceededBy = async (ended: Inspected): Promise<'memory' | 'disk' | undefined> => {
      if (disk?.exceeded()) return 'disk';
      if (await ranOutOfMemory(ended)) return 'memory';
      const failed = ended.State.ExitCode !== 0 && !followed.wasStopped();
      return failed && (await disk?.isOver()) ? 'disk' : undefined;
    };
    /** A normal end by the events of the engine; undefined if a limit may have ended the run. */
    const reportedEnd = (): Ended | undefined => {
      const end = followed.losses === connection.lossCount() ? normalEndOf(events.seen) : undefined;
      if (end === undefined || disk?.exceeded()) return undefined;
      const isWithinMemory = !traits.memoryBytes || followed.ranOutOfMemory() === false;
      return isWithinMemory ? { ...end, ...followed.readUsage() } : undefined;
    };
    try {
      let { run } = followed;
      while (run === undefined || stateOf(run.State.Status) !== 'ended') {
        await events.wait(LOOK_MS);
        // The output ends a moment before the engine reports the end.
        if (events.seen.die === undefined && reading.isOver()) await events.wait(DIE_MS);
        // Decided after the output is complete, because another event may arrive before that.
        const isWhole = normalEndOf(events.seen) !== undefined && (await reading.settled(QUIET_MS));
        const reported = isWhole ? reportedEnd() : undefined;
        if (reported !== undefined) return reported;
        run = await whileUnavailableRetry(() => inspectRun(connection, ref));
        if (stateOf(run.State.Status) === 'ended') break;
        // The container survived a restart of its engine, but its output stream did not.
        if (losses !== connection.lossCount()) await readLogAgain();
      }
      let whole = losses === connection.lossCount() && (await reading.settled(QUIET_MS));
      for (let attempt = 0; !whole && attempt < LOG_ATTEMPTS; attempt += 1) {
        await readLogAgain();
        whole = await reading.settled(LOG_QUIET_MS);
      }
      if (!whole) logger.warn({ ref }, 'the engine did not deliver the whole log of a run');
      const { State } = run;
      const exceeded = await exceededBy(run);
      const suspicious =
        KILLED_WITH_ENGINE.includes(State.ExitCode) && exceeded === undefined && !followed.wasStopped();
      const interrupted =
        suspicious &&
        (followed.losses !== connection.lossCount() ||
          (await whileUnavailableRetry(() => networkContainerStopped(connection, run, traits.networkId))));
      return {
        exitCode: State.ExitCode,
        startedAt: Date.parse(State.StartedAt),
        // The engine takes the two times from different clocks, so a very short run can seem to end before it starts.
        finishedAt: Math.max(Date.parse(State.StartedAt), Date.parse(State.FinishedAt)),
        outOfMemory: exceeded === 'memory',
        ...(exceeded === 'disk' && { outOfDisk: true }),
        ...followed.readUsage(),
        // Podman calls a container `stopped` until it has released its resources, and then `exited` as Docker does.
        finalState: { ...State, ...(State.Status === 'stopped' && { Status: 'exited' }) },
        ...(interrupted && {
          interrupted: `the container engine went down while the container ran (the exit code was ${State.ExitCode})`,
        }),
      };
    } finally {
      disk?.stop();
      events.stop();
      reading.stop();
    }
  };
};
