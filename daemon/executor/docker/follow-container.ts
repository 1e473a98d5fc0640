// Follows one started run to its end: its output into the sink, its end from the engine, over any absence of the engine.
import { setTimeout as pause } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { type Ended, ExecutorError, type LogSink } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError } from '../engine/engine-error.ts';
import { createResumableSink } from '../resumable-sink.ts';
import { type Reading, readStream } from './log-stream.ts';

/** How often a run is looked at when nothing is heard of it. */
const LOOK_MS = 2000;
/** How long the rest of the output may keep silent once the run has ended. */
const QUIET_MS = 2000;
const LOG_QUIET_MS = 10_000;
const LOG_ATTEMPTS = 3;
const AGAIN_MS = 100;
/** What a container that its engine takes down with it ends with: SIGKILL, SIGTERM, and "do not know". */
const TAKEN_DOWN = [137, 143, 255];

export type Inspected = Dockerode.ContainerInspectInfo;

/** The state of a container in the words of the port. Podman has words of its own. */
export const stateOf = (status: string): 'created' | 'running' | 'ended' => {
  if (['created', 'configured', 'initialized'].includes(status)) return 'created';
  return ['running', 'paused', 'restarting'].includes(status) ? 'running' : 'ended';
};

/** @throws ExecutorError lost, unavailable */
export const inspectRun = async (connection: Connection, ref: string): Promise<Inspected> => {
  try {
    return await connection.call((docker) => docker.getContainer(ref).inspect());
  } catch (error) {
    if (statusOf(error) === 404)
      throw new ExecutorError('lost', `the container engine no longer knows the container ${ref}`, { cause: error });
    throw toExecutorError(error, 'lost', `the container ${ref} cannot be looked at`);
  }
};

/** The log that the engine keeps, from its first byte; goes on as long as the container runs. */
export const openLog = async (connection: Connection, ref: string): Promise<NodeJS.ReadableStream> => {
  try {
    return await connection.call((docker) =>
      docker.getContainer(ref).logs({ follow: true, stdout: true, stderr: true }),
    );
  } catch (error) {
    throw toExecutorError(error, 'lost', `the log of the container ${ref} cannot be read`);
  }
};

/** The container whose network namespace a run has joined. */
export const holderOf = (run: Inspected): string | undefined =>
  /^container:(.+)$/.exec(run.HostConfig.NetworkMode ?? '')?.[1];

const createNudge = () => {
  let wake: (() => void) | undefined;
  let pushed = false;
  return {
    push: () => {
      pushed = true;
      wake?.();
    },
    /** Resolves at the next push, at once if there was one since the last wait, else after `ms`. */
    wait: async (ms: number) => {
      let timer: NodeJS.Timeout | undefined;
      if (!pushed)
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, ms);
        });
      clearTimeout(timer);
      wake = undefined;
      pushed = false;
    },
  };
};

export interface Followed {
  readonly ref: string;
  /** As it was when last looked at: a short run has often ended by then. */
  readonly run: Inspected;
  readonly sink: LogSink;
  /** Output from the first byte on. */
  readonly stream: NodeJS.ReadableStream;
  /** How often the engine had been lost when the stream was opened. */
  readonly losses: number;
  /** Whether the run was told to stop: then its end is nobody else's doing. */
  readonly wasStopped: () => boolean;
  /** What the run used, read once it has ended. */
  readonly figures: (run: Inspected) => Promise<Pick<Ended, 'cpuNs' | 'ioBytes'>>;
}

/** Whether a run that was taken down was taken down with its engine: then so was the holder beside it, which never ends by itself. */
const holderWentToo = async (connection: Connection, run: Inspected): Promise<boolean> => {
  const holder = holderOf(run);
  if (holder === undefined) return false;
  try {
    const { State } = await connection.call((docker) => docker.getContainer(holder).inspect());
    return !State.Running || Date.parse(State.StartedAt) > Date.parse(run.State.FinishedAt);
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
};

/** @throws ExecutorError lost when the engine no longer knows the run, unavailable when the executor is closed */
export const createFollow = (inputs: { readonly connection: Connection; readonly logger: Logger }) => {
  const { connection, logger } = inputs;

  /** Does `work` as soon as the engine is there. */
  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ExecutorError) || error.kind !== 'unavailable') throw error;
        await connection.whenAvailable();
        // An engine that answers a dial and nothing else is not to be hammered.
        await pause(AGAIN_MS);
      }
    }
  };

  return async (followed: Followed): Promise<Ended> => {
    const { ref } = followed;
    const nudge = createNudge();
    const resumable = createResumableSink(followed.sink);
    let losses = followed.losses;
    const read = (stream: NodeJS.ReadableStream): Reading => {
      const reading = readStream(stream, resumable.forNextSource());
      void reading.over.then(nudge.push);
      return reading;
    };
    let reading = read(followed.stream);
    const readLogAgain = async () => {
      reading.stop();
      losses = connection.losses();
      reading = read(await patiently(() => openLog(connection, ref)));
    };
    const forget = connection.onDie((name) => {
      if (name === undefined || name === ref) nudge.push();
    });
    connection.closed.addEventListener('abort', nudge.push, { once: true });
    try {
      let { run } = followed;
      while (stateOf(run.State.Status) !== 'ended') {
        await nudge.wait(LOOK_MS);
        run = await patiently(() => inspectRun(connection, ref));
        if (stateOf(run.State.Status) === 'ended') break;
        // Engines that keep containers alive over their own restart.
        if (losses !== connection.losses()) await readLogAgain();
      }
      let whole = losses === connection.losses() && (await reading.settled(QUIET_MS));
      for (let attempt = 0; !whole && attempt < LOG_ATTEMPTS; attempt += 1) {
        await readLogAgain();
        whole = await reading.settled(LOG_QUIET_MS);
      }
      if (!whole) logger.warn({ ref }, 'the engine did not hand over the whole log of a run');
      const { State } = run;
      const suspicious = TAKEN_DOWN.includes(State.ExitCode) && !State.OOMKilled && !followed.wasStopped();
      const interrupted =
        suspicious &&
        (followed.losses !== connection.losses() || (await patiently(() => holderWentToo(connection, run))));
      return {
        exitCode: State.ExitCode,
        startedAt: Date.parse(State.StartedAt),
        // The engine takes the two from different clocks: a run of nothing can end before it begins.
        finishedAt: Math.max(Date.parse(State.StartedAt), Date.parse(State.FinishedAt)),
        outOfMemory: State.OOMKilled,
        ...(await followed.figures(run)),
        finalState: { ...State },
        ...(interrupted && {
          interrupted: `the container engine went down while the container ran (it ended with ${State.ExitCode})`,
        }),
      };
    } finally {
      forget();
      connection.closed.removeEventListener('abort', nudge.push);
      reading.stop();
    }
  };
};
