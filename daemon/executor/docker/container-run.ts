// Starts the container of a run, reattaches to it, and stops it.
import { ExecutorError, type LogSink, type Running } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, isUnreachable, statusOf, toExecutorError } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import type { Containers, WaitingContainer } from './container-create.ts';
import { attachOutput, type OpenOutput } from './container-output.ts';
import type { DiskWatch } from './disk-watch.ts';
import {
  createFollow,
  type FollowedRun,
  type Inspected,
  inspectRun,
  openLog,
  type RunTraits,
  stateOf,
  traitsOf,
} from './follow-container.ts';
import { WORKER_LABEL } from './labels.ts';
import { closeStream } from './log-stream.ts';
import { listenToRun } from './run-events.ts';
import type { WorkerNetworks } from './worker-network.ts';

/** Methods of the port of executors. @see `Executor` */
export interface Runs {
  start(ref: string, sink: LogSink): Promise<Running>;
  reattach(ref: string, sink: LogSink): Promise<Running>;
  stop(ref: string, graceMs: number): Promise<void>;
  /** Forgets a removed run. */
  forget(ref: string): void;
}

const START_MS = 60_000;
const STOP_MS = 30_000;
/** The engine's HTTP status for the start of a running container. */
const STARTED_BEFORE = 304;

export const createRuns = (inputs: {
  readonly connection: Connection;
  readonly containers: Containers;
  readonly workerNetworks: WorkerNetworks;
  readonly usage: CgroupUsage;
  readonly diskWatch: DiskWatch;
  readonly facts: () => Promise<EngineFacts>;
  readonly logger: Logger;
}): Runs => {
  const { connection, facts, containers, workerNetworks, usage, diskWatch, logger } = inputs;
  const follow = createFollow({ connection, logger });
  const starting = new Map<string, Promise<Running>>();
  const stopped = new Set<string>();

  const receivedBytesOf = (networkId: string | undefined): number | undefined => {
    const holder = workerNetworks.known(networkId ?? '');
    return holder && usage.receivedBytes(holder);
  };

  const usageReader =
    (ref: string, { hasCgroup, networkId }: RunTraits, receivedBefore: number | undefined) =>
    () => {
      const cpuNs = hasCgroup ? usage.cpuNs(ref) : undefined;
      const received = receivedBefore === undefined ? undefined : receivedBytesOf(networkId);
      const ioBytes = received === undefined || receivedBefore === undefined ? -1 : received - receivedBefore;
      // The count is lower than before if the network container was restarted meanwhile.
      return { ...(cpuNs !== undefined && { cpuNs }), ...(ioBytes >= 0 && { ioBytes }) };
    };

  /** @param run the container as inspected; undefined if it has just been started */
  const followRun = (
    ref: string,
    sink: LogSink,
    source: OpenOutput & Pick<FollowedRun, 'traits' | 'events'> & { readonly received?: number | undefined },
    run?: Inspected,
  ): Running => {
    const { traits, events } = source;
    const startedAt = run === undefined ? events.seen.start?.at : Date.parse(run.State.StartedAt);
    const ended = follow({
      ref,
      run,
      traits,
      events,
      sink,
      stream: source.stream,
      losses: source.losses,
      fault: source.fault,
      wasStopped: () => stopped.has(ref),
      disk: traits.diskBytes ? diskWatch.watch(ref, traits.diskBytes) : undefined,
      ranOutOfMemory: () => usage.ranOutOfMemory(ref, traits.memoryBytes ?? 0),
      asksKernel: async () => !(await facts()).reportsOutOfMemory,
      readUsage: usageReader(ref, traits, source.received),
    });
    // A rejection that no caller awaits must not end the daemon.
    ended.catch((error: unknown) => logger.debug({ ref, why: engineMessage(error) }, 'cannot follow a run any more'));
    return { startedAt, ended };
  };

  const attach = async (run: Inspected, ref: string, sink: LogSink): Promise<Running> => {
    if (stateOf(run.State.Status) === 'created')
      throw new ExecutorError('start', `the container ${ref} was never started`);
    const losses = connection.lossCount();
    const stream = await openLog(connection, ref);
    return followRun(ref, sink, { stream, losses, traits: traitsOf(run), events: listenToRun(connection, ref) }, run);
  };

  /**
   * Repairs what kept a container from starting: its worker's network container was lost, or it was removed itself.
   * Returns true if the start can be retried.
   */
  const repair = async (ref: string, { workerId, networkId }: WaitingContainer, refusal: unknown): Promise<boolean> => {
    if (networkId !== undefined && workerId !== undefined) {
      const state = await workerNetworks.restart(workerId, networkId);
      if (state !== 'alive') return state === 'revived' || containers.recreate(ref);
    }
    return statusOf(refusal) === 404 && containers.recreate(ref);
  };

  const isRunning = async (ref: string): Promise<boolean> => {
    try {
      return stateOf((await inspectRun(connection, ref)).State.Status) === 'running';
    } catch (error) {
      if (error instanceof ExecutorError && error.kind === 'lost') return false;
      throw error;
    }
  };

  /** The container, ready to start; as inspected, if it was started before. */
  const readyToStart = async (ref: string): Promise<WaitingContainer | Inspected> => {
    const waiting = await containers.waiting(ref);
    if (waiting !== undefined) return waiting;
    const run = await inspectRun(connection, ref);
    if (stateOf(run.State.Status) !== 'created') return run;
    return { workerId: run.Config.Labels[WORKER_LABEL], ...traitsOf(run) };
  };

  const launch = async (ref: string, sink: LogSink, isSecond: boolean): Promise<Running> => {
    let ready: WaitingContainer | Inspected;
    try {
      ready = await readyToStart(ref);
    } catch (error) {
      // The engine has lost a container that has not started.
      const lost = error instanceof ExecutorError && error.kind === 'lost';
      if (lost && !isSecond && (await containers.recreate(ref))) return launch(ref, sink, true);
      throw error;
    }
    if ('State' in ready) return attach(ready, ref, sink);
    const received = receivedBytesOf(ready.networkId);
    let { output } = ready;
    const events = listenToRun(connection, ref);
    try {
      output ??= await attachOutput(connection, facts, ref);
      await connection.call((docker) => docker.getContainer(ref).start(), { timeoutMs: START_MS });
    } catch (error) {
      events.stop();
      if (output !== undefined) {
        closeStream(output.stream);
        if (statusOf(error) === undefined) containers.markStarted(ref);
      }
      if (statusOf(error) === STARTED_BEFORE) return attach(await inspectRun(connection, ref), ref, sink);
      if (statusOf(error) !== undefined && !isSecond && (await repair(ref, ready, error)))
        return launch(ref, sink, true);
      // An engine that is shutting down refuses with various errors.
      const status = await connection.probeNow();
      if (!status.available) throw new ExecutorError('unavailable', status.reason, { cause: error });
      // Only an answer of the engine makes it certain that the run has not started.
      const kind = statusOf(error) === undefined ? 'unavailable' : 'start';
      throw toExecutorError(error, kind, 'cannot start the container');
    }
    containers.markStarted(ref);
    return followRun(ref, sink, { ...output, traits: ready, events, received });
  };

  return {
    start: async (ref, sink) => {
      const earlier = starting.get(ref);
      if (earlier !== undefined) {
        await earlier;
        return attach(await inspectRun(connection, ref), ref, sink);
      }
      const mine = launch(ref, sink, false).finally(() => starting.delete(ref));
      starting.set(ref, mine);
      return mine;
    },
    reattach: async (ref, sink) => attach(await inspectRun(connection, ref), ref, sink),
    stop: async (ref, graceMs) => {
      stopped.add(ref);
      const t = Math.ceil(graceMs / 1000);
      try {
        await connection.call(
          (docker) => (t === 0 ? docker.getContainer(ref).kill() : docker.getContainer(ref).stop({ t })),
          { timeoutMs: graceMs + STOP_MS },
        );
      } catch (error) {
        const wasRefused = statusOf(error) !== undefined && !isUnreachable(error);
        if (wasRefused && !(await isRunning(ref))) return;
        throw toExecutorError(error, 'unavailable', `cannot stop the container ${ref}`);
      }
    },
    forget: (ref) => {
      stopped.delete(ref);
    },
  };
};
