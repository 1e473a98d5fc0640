// Starts the container of a run, reattaches to it, and stops it.
import { type Ended, ExecutorError, type LogSink, type Running } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage, isUnreachable, statusOf, toExecutorError, toStartError } from '../engine/engine-error.ts';
import type { EngineFacts } from '../engine/engine-facts.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import type { Containers, WaitingContainer } from './container-create.ts';
import { attachOutput, mayHaveRun } from './container-output.ts';
import type { DiskWatch } from './disk-watch.ts';
import {
  createFollow,
  type FollowedRun,
  type Inspected,
  inspectRun,
  networkContainerOf,
  stateOf,
} from './follow-container.ts';
import { DISK_LABEL, WORKER_LABEL } from './labels.ts';
import { closeStream } from './log-stream.ts';
import { listenToRun } from './run-events.ts';
import type { WorkerNetworks } from './worker-network.ts';

const START_MS = 60_000;
const STOP_MS = 30_000;
/** The engine's HTTP status for a start of a container that is already running. */
const STARTED_BEFORE = 304;
/** Podman's message if `runc start ID` fails, because the command has been started or the container has ended. */
const REFUSED_BY_RUNTIME = /start [0-9a-f]{64}` failed/;

const isLost = (error: unknown): boolean => error instanceof ExecutorError && error.kind === 'lost';

export const createRuns = (inputs: {
  readonly connection: Connection;
  readonly containers: Containers;
  readonly workerNetworks: WorkerNetworks;
  readonly usage: CgroupUsage;
  readonly diskWatch: DiskWatch;
  readonly facts: () => Promise<EngineFacts>;
  readonly engineStopMs?: number | undefined;
  readonly logger: Logger;
}) => {
  const { connection, facts, containers, workerNetworks, usage, diskWatch, logger } = inputs;
  const follow = createFollow({ connection, logger, engineStopMs: inputs.engineStopMs });
  const starting = new Map<string, Promise<Running>>();
  const stopped = new Set<string>();

  const receivedBytesOf = (networkId: string | undefined): number | undefined => {
    const container = workerNetworks.known(networkId ?? '');
    return container && usage.receivedBytes(container);
  };

  const usageReader =
    (ref: string, receivedBefore: number | undefined) =>
    (run: Inspected): Pick<Ended, 'cpuNs' | 'ioBytes'> => {
      const cpuNs = run.HostConfig.CgroupParent ? usage.cpuNs(ref) : undefined;
      const received = receivedBefore === undefined ? undefined : receivedBytesOf(networkContainerOf(run));
      const ioBytes = received === undefined || receivedBefore === undefined ? -1 : received - receivedBefore;
      // The count of received bytes is lower than before the run if the network container was restarted meanwhile.
      return { cpuNs, ...(ioBytes >= 0 && { ioBytes }) };
    };

  const followRun = (
    ref: string,
    sink: LogSink,
    source: Pick<FollowedRun, 'run' | 'events' | 'output'> & {
      readonly diskBytes: number | undefined;
      readonly received?: number | undefined;
    },
  ): Running => {
    const { run, events, output, diskBytes } = source;
    const ended = follow({
      ref,
      run,
      events,
      sink,
      output,
      wasStopped: () => stopped.has(ref),
      disk: diskBytes ? diskWatch.watch(ref, diskBytes) : undefined,
      askKernel: async ({ HostConfig }) =>
        (await facts()).reportsOutOfMemory ? undefined : usage.ranOutOfMemory(ref, HostConfig.Memory ?? 0),
      readUsage: usageReader(ref, source.received),
    });
    // A rejection that no caller awaits must not end the daemon.
    ended.catch((error: unknown) =>
      logger.debug({ ref, why: engineMessage(error) }, 'cannot continue to follow a run'),
    );
    return { startedAt: run && Date.parse(run.State.StartedAt), ended };
  };

  const attach = async (ref: string, sink: LogSink): Promise<Running> => {
    const events = listenToRun(connection, ref);
    try {
      const gaps = events.gapCount();
      const run = await inspectRun(connection, ref);
      const state = stateOf(run.State.Status);
      if (state === 'created') throw new ExecutorError('start', `the container ${ref} was never started`);
      if (state === 'running') events.bridge(gaps);
      const diskBytes = Number(run.Config.Labels[DISK_LABEL] ?? '');
      return followRun(ref, sink, { output: undefined, events, run, diskBytes });
    } catch (error) {
      events.stop();
      throw error;
    }
  };

  /** Creates a lost container again, and restarts its network container. Returns true if the start can be retried. */
  const repair = async (ref: string, ready: WaitingContainer | undefined, error: unknown): Promise<boolean> => {
    // Without a ready container, the start can be repaired only if the engine has lost the container.
    if (ready === undefined || isLost(error)) return isLost(error) && containers.recreate(ref);
    // Only a response of the engine makes it certain that the run has not started.
    if (statusOf(error) === undefined) return false;
    const { workerId, networkId } = ready;
    if (networkId !== undefined && workerId !== undefined) {
      const state = await workerNetworks.restart(workerId, networkId);
      if (state !== 'alive') return state === 'revived' || containers.recreate(ref);
    }
    return statusOf(error) === 404 && containers.recreate(ref);
  };

  const isRunning = async (ref: string): Promise<boolean> => {
    try {
      return stateOf((await inspectRun(connection, ref)).State.Status) === 'running';
    } catch (error) {
      if (isLost(error)) return false;
      throw error;
    }
  };

  /** The container, ready to start. Undefined if it was started before. */
  const readyToStart = async (ref: string): Promise<WaitingContainer | undefined> => {
    const waiting = await containers.waiting(ref);
    if (waiting !== undefined) return waiting;
    const run = await inspectRun(connection, ref);
    if (stateOf(run.State.Status) !== 'created') return undefined;
    const { Pid: firstProcess } = run.State;
    const networkId = networkContainerOf(run);
    // Docker ends all containers when it goes down. If it was killed between a start and its record, only this shows it.
    const isKnown = containers.isUnstarted(ref) || firstProcess > 0 || networkId === undefined;
    if (!isKnown && !(await isRunning(networkId))) throw mayHaveRun();
    const { [WORKER_LABEL]: workerId, [DISK_LABEL]: diskBytes } = run.Config.Labels;
    const events = listenToRun(connection, ref);
    return {
      workerId,
      networkId,
      diskBytes: Number(diskBytes ?? ''),
      events,
      ...(firstProcess > 0 && { firstProcess }),
    };
  };

  /** Starts a container that is ready. Undefined if it was started before. @throws the error of the engine */
  const begin = async (ref: string, sink: LogSink, ready: WaitingContainer): Promise<Running | undefined> => {
    const { events, networkId, diskBytes, firstProcess } = ready;
    const received = receivedBytesOf(networkId);
    let { output } = ready;
    try {
      output ??= await attachOutput(connection, facts, ref, firstProcess);
      await connection.call((docker) => docker.getContainer(ref).start(), { timeoutMs: START_MS });
    } catch (error) {
      events.stop();
      if (output !== undefined) {
        closeStream(output.stream);
        if (statusOf(error) === undefined) containers.markStarted(ref);
      }
      if (statusOf(error) === STARTED_BEFORE) return undefined;
      if (firstProcess !== undefined && REFUSED_BY_RUNTIME.test(engineMessage(error))) throw mayHaveRun();
      throw error;
    }
    containers.markStarted(ref);
    return followRun(ref, sink, { output, run: undefined, diskBytes, events, received });
  };

  const startFailure = async (error: unknown): Promise<ExecutorError> => {
    // An engine that is shutting down refuses with various errors.
    const status = await connection.probeNow();
    if (!status.available) return new ExecutorError('unavailable', status.reason, { cause: error });
    const what = 'cannot start the container';
    return statusOf(error) === undefined ? toExecutorError(error, 'unavailable', what) : toStartError(error, what);
  };

  const launch = async (ref: string, sink: LogSink, isSecond: boolean): Promise<Running> => {
    let ready: WaitingContainer | undefined;
    try {
      ready = await readyToStart(ref);
      const running = ready && (await begin(ref, sink, ready));
      if (running !== undefined) return running;
    } catch (error) {
      if (!isSecond && (await repair(ref, ready, error))) return launch(ref, sink, true);
      throw ready === undefined || isLost(error) ? error : await startFailure(error);
    }
    // A failure from here on must not start the run again.
    return attach(ref, sink);
  };

  return {
    start: async (ref: string, sink: LogSink): Promise<Running> => {
      const earlier = starting.get(ref);
      if (earlier !== undefined) {
        await earlier;
        return attach(ref, sink);
      }
      const mine = launch(ref, sink, false).finally(() => starting.delete(ref));
      starting.set(ref, mine);
      return mine;
    },
    reattach: attach,
    stop: async (ref: string, graceMs: number): Promise<void> => {
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
    forget: (ref: string): void => {
      stopped.delete(ref);
    },
  };
};
