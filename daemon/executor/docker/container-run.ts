// Starts the container of a run, reattaches to it, and stops it.
import { ExecutorError, type LogSink, type Running } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { statusOf, toExecutorError, wordsOf } from '../engine/engine-error.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import type { Containers } from './container-create.ts';
import { createFollow, holderOf, type Inspected, inspectRun, openLog, stateOf } from './follow-container.ts';
import { WORKER_LABEL } from './labels.ts';
import { discard } from './log-stream.ts';
import type { WorkerNetworks } from './worker-network.ts';

/** Methods of the port of executors. @see Executor */
export interface Runs {
  start(ref: string, sink: LogSink): Promise<Running>;
  reattach(ref: string, sink: LogSink): Promise<Running>;
  stop(ref: string, graceMs: number): Promise<void>;
  /** Forgets a removed run. */
  forget(ref: string): void;
}

const START_MS = 60_000;
const STOP_MS = 30_000;

export const createRuns = (inputs: {
  readonly connection: Connection;
  readonly containers: Containers;
  readonly holders: WorkerNetworks;
  readonly figures: CgroupUsage;
  readonly logger: Logger;
}): Runs => {
  const { connection, containers, holders, figures, logger } = inputs;
  const follow = createFollow({ connection, logger });
  const starting = new Map<string, Promise<Running>>();
  const stopped = new Set<string>();

  const receivedBy = async (run: Inspected): Promise<number | undefined> => {
    const holder = holders.known(holderOf(run) ?? '');
    return holder && figures.receivedBytes(holder);
  };

  const figuresOf = (ref: string, receivedBefore: number | undefined) => async (run: Inspected) => {
    const [cpuNs, received] = await Promise.all([
      run.HostConfig.CgroupParent ? figures.cpuNs(ref) : undefined,
      receivedBefore === undefined ? undefined : receivedBy(run),
    ]);
    const ioBytes = received === undefined || receivedBefore === undefined ? -1 : received - receivedBefore;
    // The count is lower than before if the network container was restarted meanwhile.
    return { ...(cpuNs !== undefined && { cpuNs }), ...(ioBytes >= 0 && { ioBytes }) };
  };

  const followed = (
    run: Inspected,
    ref: string,
    sink: LogSink,
    source: { readonly stream: NodeJS.ReadableStream; readonly losses: number; readonly received?: number },
  ): Running => {
    const ended = follow({
      ref,
      run,
      sink,
      stream: source.stream,
      losses: source.losses,
      wasStopped: () => stopped.has(ref),
      figures: figuresOf(ref, source.received),
    });
    // A rejection that no caller awaits must not end the daemon.
    ended.catch((error: unknown) => logger.debug({ ref, why: wordsOf(error) }, 'cannot follow a run any more'));
    return { startedAt: Date.parse(run.State.StartedAt), ended };
  };

  const takeUp = async (run: Inspected, ref: string, sink: LogSink): Promise<Running> => {
    if (stateOf(run.State.Status) === 'created')
      throw new ExecutorError('start', `the container ${ref} was never started`);
    const losses = connection.losses();
    return followed(run, ref, sink, { stream: await openLog(connection, ref), losses });
  };

  /**
   * Repairs the worker's network container if its loss kept a run from starting. Returns true if the start can be
   * retried.
   */
  const mend = async (ref: string, run: Inspected): Promise<boolean> => {
    const holder = holderOf(run);
    const workerId = run.Config.Labels[WORKER_LABEL];
    if (holder === undefined || workerId === undefined) return false;
    const state = await holders.revive(workerId, holder);
    return state === 'gone' ? containers.again(ref) : state === 'revived';
  };

  /** Inspects the container and attaches to its output, both at the same time. */
  const lookAndAttach = async (ref: string) => {
    const attaching = connection.call((docker) =>
      docker.getContainer(ref).attach({ stream: true, stdout: true, stderr: true }),
    );
    const [looked, attached] = await Promise.allSettled([inspectRun(connection, ref), attaching]);
    if (looked.status === 'rejected') {
      if (attached.status === 'fulfilled') discard(attached.value);
      throw looked.reason;
    }
    if (attached.status === 'rejected')
      throw toExecutorError(attached.reason, 'start', 'cannot attach to the output of the container');
    return { run: looked.value, stream: attached.value };
  };

  const launch = async (ref: string, sink: LogSink, isSecond: boolean): Promise<Running> => {
    const losses = connection.losses();
    const { run, stream } = await lookAndAttach(ref);
    if (stateOf(run.State.Status) !== 'created') {
      discard(stream);
      return takeUp(run, ref, sink);
    }
    const received = await receivedBy(run);
    try {
      await connection.call((docker) => docker.getContainer(ref).start(), { timeoutMs: START_MS });
    } catch (error) {
      discard(stream);
      if (statusOf(error) !== undefined && !isSecond && (await mend(ref, run))) return launch(ref, sink, true);
      // An engine that is shutting down refuses with various errors.
      const status = await connection.look();
      if (!status.available) throw new ExecutorError('unavailable', status.reason, { cause: error });
      // Only an answer of the engine makes it certain that the run has not started.
      const kind = statusOf(error) === undefined ? 'unavailable' : 'start';
      throw toExecutorError(error, kind, 'cannot start the container');
    }
    containers.started(ref);
    try {
      const started = await inspectRun(connection, ref);
      return followed(started, ref, sink, { stream, losses, ...(received !== undefined && { received }) });
    } catch (error) {
      discard(stream);
      throw error;
    }
  };

  return {
    start: async (ref, sink) => {
      const earlier = starting.get(ref);
      if (earlier !== undefined) {
        await earlier;
        return takeUp(await inspectRun(connection, ref), ref, sink);
      }
      const mine = launch(ref, sink, false).finally(() => starting.delete(ref));
      starting.set(ref, mine);
      return mine;
    },
    reattach: async (ref, sink) => takeUp(await inspectRun(connection, ref), ref, sink),
    stop: async (ref, graceMs) => {
      stopped.add(ref);
      const t = Math.ceil(graceMs / 1000);
      try {
        await connection.call(
          (docker) => (t === 0 ? docker.getContainer(ref).kill() : docker.getContainer(ref).stop({ t })),
          { timeoutMs: graceMs + STOP_MS },
        );
      } catch (error) {
        const status = statusOf(error);
        // 304 and 409: the container is not running.
        if (status !== 304 && status !== 404 && status !== 409)
          throw toExecutorError(error, 'unavailable', `cannot stop the container ${ref}`);
      }
    },
    forget: (ref) => {
      stopped.delete(ref);
    },
  };
};
