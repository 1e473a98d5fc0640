// Starts the service of a run, takes it up again, and stops it.
import { type Ended, ExecutorError, type LogSink, type Running } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { createServiceLog } from './service-log.ts';
import { hasTask, isStopped, type SwarmService, specOf, startedSpec, stoppedSpec } from './service-spec.ts';
import type { SwarmCalls } from './swarm-calls.ts';
import { endOf, firstOf, nodeName, type SwarmTask, stageOf, whyNotStarted } from './task-state.ts';
import type { TaskWatch } from './task-watch.ts';

/** Methods of the port of executors. @see `Executor` */
export interface SwarmRuns {
  start(ref: string, sink: LogSink): Promise<Running>;
  reattach(ref: string, sink: LogSink): Promise<Running>;
  stop(ref: string, graceMs: number): Promise<void>;
}

/** How long a task may wait for a node before the start is given up. */
const START_MS = 20_000;
/** How long a node may take to pull the image. */
const PULL_MS = 10 * 60_000;
/** Time beyond the grace period for Swarm to report that a task is over. */
const STOP_MS = 30_000;

export const createSwarmRuns = (inputs: {
  readonly connection: Connection;
  readonly calls: SwarmCalls;
  readonly watch: TaskWatch;
  /** The grace period of every service. */
  readonly stopGraceMs: number;
  readonly startMs?: number;
  readonly logger: Logger;
}): SwarmRuns => {
  const { connection, calls, watch, stopGraceMs, startMs = START_MS, logger } = inputs;

  const nodeOf = async (task: SwarmTask) => (await calls.nodes()).find(({ ID }) => ID === task.NodeID);

  /** Changes a service as it is now, however often it changes meanwhile. Does nothing if `done` says so. */
  const change = async (
    ref: string,
    done: (service: SwarmService) => boolean,
    spec: (service: SwarmService) => object,
  ): Promise<SwarmService> => {
    for (;;) {
      const service = await calls.service(ref);
      if (done(service) || (await calls.update(service, spec(service)))) return service;
    }
  };

  const follow = async (service: SwarmService, task: SwarmTask, sink: LogSink, losses: number): Promise<Running> => {
    const node = nodeName(await nodeOf(task), task.NodeID);
    const log = createServiceLog({ calls, serviceId: service.ID, sink, logger });
    if (stageOf(task) === 'running') log.follow();
    const end = async (): Promise<Ended> => {
      try {
        const over = stageOf(task) === 'running' ? await watch.over(service.ID) : task;
        await log.finish();
        const now = await calls.service(service.ID);
        return endOf(over, {
          node: await nodeOf(over),
          wasStopped: isStopped(now),
          engineWentAway: losses !== connection.lossCount(),
        });
      } finally {
        log.stop();
      }
    };
    const ended = end();
    // A rejection that no caller awaits must not end the daemon.
    ended.catch((error: unknown) =>
      logger.debug({ ref: specOf(service).Name, why: engineMessage(error) }, 'cannot follow a run any more'),
    );
    return { startedAt: Date.parse(task.CreatedAt), node, ended };
  };

  /** Waits for the task to start. Gives up only while no node has it, because a pull can take long. */
  const startedTask = async (service: SwarmService): Promise<SwarmTask> => {
    for (const patience of [AbortSignal.timeout(startMs), AbortSignal.timeout(PULL_MS)]) {
      try {
        return await watch.started(service.ID, patience);
      } catch (error) {
        if (!patience.aborted) throw error;
        const task = firstOf(await calls.tasksOf(service.ID));
        if (!task?.NodeID) return giveUp(service, task);
      }
    }
    return giveUp(service, firstOf(await calls.tasksOf(service.ID)));
  };

  /** Stops a service whose task did not start in time. Returns its task if it has started meanwhile. */
  const giveUp = async (service: SwarmService, before: SwarmTask | undefined): Promise<SwarmTask> => {
    await stop(service.ID, 0);
    const after = firstOf(await calls.tasksOf(service.ID));
    if (after !== undefined && stageOf(after) === 'over') return after;
    const why = before?.Status.Err || before?.Status.Message || 'no node took it';
    throw new ExecutorError('start', `Swarm has not started the run: ${why}`);
  };

  const attach = async (service: SwarmService, sink: LogSink, isNew: boolean): Promise<Running> => {
    const losses = connection.lossCount();
    const task = await startedTask(service);
    if (stageOf(task) !== 'never started') return follow(service, task, sink, losses);
    const image = specOf(service).TaskTemplate?.ContainerSpec?.Image ?? '';
    // A run of a previous daemon is not given back to its mailbox: its claim is final.
    throw new ExecutorError(isNew ? 'start' : 'lost', whyNotStarted(task, await nodeOf(task), image));
  };

  const stop = async (ref: string, graceMs: number): Promise<void> => {
    try {
      const service = await change(ref, (now) => isStopped(now) || !hasTask(now), stoppedSpec);
      if (!hasTask(service)) return;
      const limit = AbortSignal.timeout(Math.max(graceMs, stopGraceMs) + STOP_MS);
      await watch.over(service.ID, limit).catch((error: unknown) => {
        if (!limit.aborted) throw error;
        throw new ExecutorError('unavailable', 'the node of the run did not stop it in time');
      });
    } catch (error) {
      if (!(error instanceof ExecutorError) || error.kind !== 'lost') throw error;
    }
  };

  return {
    start: async (ref, sink) => {
      const service = await change(ref, hasTask, startedSpec);
      return attach(service, sink, true);
    },
    reattach: async (ref, sink) => {
      const service = await calls.service(ref);
      if (!hasTask(service)) throw new ExecutorError('start', `the run ${ref} was never started`);
      return attach(service, sink, false);
    },
    stop,
  };
};
