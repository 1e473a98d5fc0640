// Follows one started run to its end: writes its output to the sink and waits for its end, even while the engine is
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
import { type OpenOutput, openLog, type Retry } from './container-output.ts';
import type { WatchedDisk } from './disk-watch.ts';
import { type Reading, readStream } from './log-stream.ts';
import type { RunEvents } from './run-events.ts';

/** Interval at which a run is inspected if no event about it arrives. */
const LOOK_MS = 2000;
/** Maximum silence of the remaining output after the run has ended. */
const QUIET_MS = 2000;
const LOG_QUIET_MS = 10_000;
const LOG_ATTEMPTS = 3;
const RETRY_MS = 100;
/** Time after the end of the output within which the engine should report the end of the run. */
const DIE_MS = 200;
/** Time after an inspection of an ended run within which its end or out-of-memory event may still arrive. */
const EVENT_MS = 1000;
/** The exit code of a container whose main process got SIGKILL. */
const KILLED = 137;
/** Within this time, an engine that stops ends its containers, in any order. */
const STOP_MS = 5000;

export type Inspected = Dockerode.ContainerInspectInfo;

/** Translates a container's status to the executor port's state. Podman has its own status names. */
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

export const networkContainerOf = ({ HostConfig }: Inspected): string | undefined =>
  /^container:(.+)$/.exec(HostConfig.NetworkMode ?? '')?.[1];

export interface FollowedRun {
  readonly ref: string;
  /** The container as last inspected. Undefined if it has just been started. */
  readonly run: Inspected | undefined;
  /**
   * The container's events, from before its start or before the inspection of `run`. Stopped when the run has ended.
   */
  readonly events: RunEvents;
  readonly sink: LogSink;
  /** Undefined to read the engine's copy. */
  readonly output: OpenOutput | undefined;
  /** True if the run was stopped on request; the engine then did not cause its end. */
  readonly wasStopped: () => boolean;
  readonly disk: WatchedDisk | undefined;
  /** True if the kernel says that the ended run exceeded its memory limit. Undefined if only the engine knows. */
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

/** Retries work that fails because the engine is unavailable. */
const retrying =
  (connection: Connection): Retry =>
  async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ExecutorError) || error.kind !== 'unavailable') throw error;
        await connection.whenAvailable();
        // Some engines respond to a probe but to no other call; the pause limits the retry rate.
        await pause(RETRY_MS);
      }
    }
  };

/** Reads the output of a run into its sink. Starts again from the first byte if the engine has lost the stream. */
const readOutput = (connection: Connection, followed: FollowedRun, retry: Retry) => {
  const { ref, events, output } = followed;
  const resumable = createResumableSink(followed.sink);
  let losses = output?.losses ?? connection.lossCount();
  const read = (stream: NodeJS.ReadableStream, fault?: RegExp): Reading => {
    const reading = readStream(stream, resumable.forNextSource(), { fault });
    void reading.over.then(events.push);
    return reading;
  };
  const first = output ?? openLog(connection, ref, retry);
  let reading = read(first.stream, output?.fault);
  const isLost = (): boolean => losses !== connection.lossCount();
  /** Resolves when the engine has responded. */
  const again = (): Promise<void> => {
    reading.stop();
    losses = connection.lossCount();
    const { stream, responded } = openLog(connection, ref, retry);
    reading = read(stream);
    return responded;
  };
  return {
    isOver: (): boolean => reading.isOver(),
    isLost,
    again: (): void => void again(),
    /** Waits for the remaining output after the run has ended. False if the engine did not deliver all of it. */
    async isWhole(): Promise<boolean> {
      if (!isLost() && (await reading.settled(QUIET_MS))) return true;
      for (let attempt = 0; attempt < LOG_ATTEMPTS; attempt += 1) {
        await again();
        if (await reading.settled(LOG_QUIET_MS)) return true;
      }
      return false;
    },
    stop: (): void => reading.stop(),
  };
};

/** Finds out why a run has ended. */
const causesOf = (
  connection: Connection,
  { events, disk, wasStopped, askKernel }: FollowedRun,
  retry: Retry,
  waitUntil: (isEnough: () => boolean) => Promise<void>,
  engineStopMs: number,
) => {
  /** The engine reports an end and its cause in two ways, so the cause may arrive after the end. */
  const ranOutOfMemory = async (ended: Inspected): Promise<boolean> => {
    const { HostConfig, State } = ended;
    if (State.OOMKilled || events.seen.oom) return true;
    if (State.ExitCode !== KILLED || !HostConfig.Memory || wasStopped() || events.seen.kill) return false;
    const known = await askKernel(ended);
    if (known !== undefined) return known;
    await waitUntil(() => events.seen.oom);
    return events.seen.oom;
  };
  return {
    /** The limit that ended the run, if any. A run that fails on its own at its disk limit counts as well. */
    async exceeded(ended: Inspected): Promise<'memory' | 'disk' | undefined> {
      if (disk?.exceeded()) return 'disk';
      if (await ranOutOfMemory(ended)) return 'memory';
      const failed = ended.State.ExitCode !== 0 && !wasStopped();
      return failed && (await disk?.isOver()) ? 'disk' : undefined;
    },
    async interruption(ended: Inspected, exceeded: string | undefined): Promise<string | undefined> {
      const { Status: status, ExitCode: exitCode, FinishedAt } = ended.State;
      const isOurs = wasStopped() || exceeded !== undefined;
      const { die: wasWatched, kill: wasSignalled } = events.seen;
      const isKnown = isOurs || wasWatched || wasSignalled;
      const state = isKnown ? undefined : await retry(() => inspectNetwork(connection, ended));
      const network = networkEvidence(Date.parse(FinishedAt), state, engineStopMs);
      return interruptionOf({ status, exitCode, isOurs, wasSignalled, wasWatched, network });
    },
  };
};

/** @throws ExecutorError lost when the engine no longer has the run, unavailable when the executor is closed */
export const createFollow = (inputs: {
  readonly connection: Connection;
  readonly logger: Logger;
  readonly engineStopMs?: number | undefined;
}) => {
  const { connection, logger, engineStopMs = STOP_MS } = inputs;
  const retry = retrying(connection);

  return async (followed: FollowedRun): Promise<Ended> => {
    const { ref, events, disk } = followed;
    const output = readOutput(connection, followed, retry);
    const waitUntil = async (isEnough: () => boolean): Promise<void> => {
      const deadline = performance.now() + EVENT_MS;
      while (!isEnough() && performance.now() < deadline && !connection.closed.aborted)
        await events.wait(deadline - performance.now());
    };
    const causes = causesOf(connection, followed, retry, waitUntil, engineStopMs);
    const isEnded = (run: Inspected | undefined): run is Inspected =>
      run !== undefined && stateOf(run.State.Status) === 'ended';
    const nextState = async (): Promise<Inspected> => {
      await events.wait(LOOK_MS);
      // The output ends shortly before the engine reports the end of the run.
      if (!events.seen.die && output.isOver()) await events.wait(DIE_MS);
      const gaps = events.gapCount();
      const run = await retry(() => inspectRun(connection, ref));
      if (isEnded(run)) return run;
      events.bridge(gaps);
      // The container survived a restart of its engine, but its output stream did not.
      if (output.isLost()) output.again();
      return run;
    };
    try {
      let { run } = followed;
      const wasRunning = !isEnded(run);
      while (!isEnded(run)) run = await nextState();
      const product = connection.answer()?.product;
      const hasSignals = product === undefined || factsOfProduct(product).reportsSignals;
      if (wasRunning && hasSignals) await waitUntil(() => events.seen.die || events.hasGap());
      if (!(await output.isWhole())) logger.warn({ ref }, 'the engine did not deliver the whole log of a run');
      const { State } = run;
      const exceeded = await causes.exceeded(run);
      const interrupted = await causes.interruption(run, exceeded);
      return {
        exitCode: State.ExitCode,
        startedAt: Date.parse(State.StartedAt),
        // The engine takes the two times from different clocks, so a very short run can seem to end before it starts.
        finishedAt: Math.max(Date.parse(State.StartedAt), Date.parse(State.FinishedAt)),
        outOfMemory: exceeded === 'memory',
        imageId: run.Image,
        ...(exceeded === 'disk' && { outOfDisk: true }),
        ...followed.readUsage(run),
        // Podman reports a container as `stopped` until it has released its resources, then as `exited` like Docker.
        finalState: { ...State, ...(State.Status === 'stopped' && { Status: 'exited' }) },
        ...(interrupted !== undefined && { interrupted }),
      };
    } finally {
      disk?.stop();
      events.stop();
      output.stop();
    }
  };
};
