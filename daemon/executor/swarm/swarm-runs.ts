// Starts the service of a run, reattaches to it, and stops it.
import { setTimeout as pause } from 'node:timers/promises';
import { timeoutSignal } from '../../../src/local/timeout-signal.ts';
import { type Ended, ExecutorError, type LogSink, type Running } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage } from '../engine/engine-error.ts';
import { createServiceLog } from './service-log.ts';
import { hasTask, isStopped, type SwarmService, specOf, startedSpec, stoppedSpec } from './service-spec.ts';
import type { SwarmCalls } from './swarm-calls.ts';
import { causeOfEnd, endOf } from './task-end.ts';
import { hopelessWait, nodeName, type SwarmTask, stageOf, taskOfRun, whyNotStarted } from './task-state.ts';
import type { TaskWatch } from './task-watch.ts';

/** Maximum time that a task waits for a node before the start is given up. */
const START_MS = 10_000;
/** Time after which a task is first asked why it waits. A node with free resources accepts it sooner. */
const FIRST_LOOK_MS = 2_000;
/** Maximum time for a node to pull the image. */
const PULL_MS = 10 * 60_000;
/** Pause between two checks for the next task of a service. */
const REPLACED_MS = 50;
const never = new AbortController().signal;
/** Time beyond the grace period within which Swarm should report that a task is over. */
const STOP_MS = 30_000;

const stoppedEarly = () => new ExecutorError('start', 'the run was stopped before it started');

export const createSwarmRuns = (inputs: {
  readonly connection: Connection;
  readonly calls: SwarmCalls;
  readonly watch: TaskWatch;
  readonly stopGraceMs: number;
  readonly startMs?: number;
  readonly registrationMs?: number | undefined;
  readonly logger: Logger;
}) => {
  const { connection, calls, watch, stopGraceMs, startMs = START_MS, logger } = inputs;

  const nodeOf = async (task: SwarmTask) => (await calls.nodes()).find(({ ID }) => ID === task.NodeID);

  /**
   * Updates a service in its current version, however often it changes meanwhile. Does nothing if `done` returns true.
   */
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

  const follow = async (
    service: SwarmService,
    task: SwarmTask,
    { sink, halted }: { readonly sink: LogSink; readonly halted?: AbortSignal },
  ): Promise<Running> => {
    const node = nodeName(await nodeOf(task), task.NodeID);
    const log = createServiceLog({ calls, serviceId: service.ID, sink, logger });
    if (stageOf(task) === 'running') log.follow();
    const end = async (): Promise<Ended> => {
      try {
        const over = stageOf(task) === 'running' ? await watch.over(service.ID) : task;
        await log.finish();
        const now = await calls.service(service.ID);
        const wasStopped = isStopped(now);
        const wasGivenUp = wasStopped && halted?.aborted === false;
        const seen = { node: await nodeOf(over), wasStopped, wasGivenUp, registrationMs: inputs.registrationMs };
        const cause = causeOfEnd(over, seen);
        if (cause.kind === 'lost') throw new ExecutorError('lost', cause.why);
        return endOf(over, seen, cause);
      } finally {
        log.stop();
      }
    };
    const ended = end();
    // A rejection that no caller awaits must not end the daemon.
    ended.catch((error: unknown) =>
      logger.debug({ ref: specOf(service).Name, why: engineMessage(error) }, 'cannot continue to follow a run'),
    );
    return { startedAt: Date.parse(task.CreatedAt), node, ended };
  };

  const hopelessReason = async (service: SwarmService, why: string): Promise<string | undefined> => {
    const { Placement, Resources } = specOf(service).TaskTemplate ?? {};
    const wants = { nanoCpus: Resources?.Reservations?.NanoCPUs ?? 0, placement: Placement?.Constraints ?? [] };
    return hopelessWait(why, wants, await calls.nodes());
  };

  /**
   * Why the start of a task that has not started after `waitedMs` is given up. Undefined while it may continue to wait.
   * A pull may take long. A run of a previous daemon waits for a node without limit, because it has no message to
   * return.
   */
  const reasonToGiveUp = async (
    service: SwarmService,
    task: SwarmTask | undefined,
    { isNew, waitedMs }: { readonly isNew: boolean; readonly waitedMs: number },
  ): Promise<ExecutorError | undefined> => {
    const why = task?.Status.Err || task?.Status.Message || 'no node accepted it';
    if (task?.NodeID)
      return waitedMs < PULL_MS ? undefined : new ExecutorError('start', `Swarm has not started the run: ${why}`);
    const hopeless = await hopelessReason(service, why);
    if (hopeless !== undefined) return new ExecutorError(isNew ? 'never' : 'lost', hopeless);
    return isNew && waitedMs >= startMs ? new ExecutorError('full', `no node has room for the run: ${why}`) : undefined;
  };

  const startedTask = async (
    service: SwarmService,
    { isNew, halted = never }: { readonly isNew: boolean; readonly halted?: AbortSignal },
  ): Promise<SwarmTask> => {
    const begun = performance.now();
    for (let waitMs = Math.min(FIRST_LOOK_MS, startMs); ; waitMs = startMs) {
      const look = AbortSignal.any([halted, timeoutSignal(waitMs)]);
      try {
        return await watch.started(service.ID, look);
      } catch (error) {
        if (!look.aborted) throw error;
      }
      const task = taskOfRun(await calls.tasksOf(service.ID));
      if (task !== undefined && stageOf(task) !== 'waiting') return task;
      const reason = halted.aborted
        ? stoppedEarly()
        : await reasonToGiveUp(service, task, { isNew, waitedMs: performance.now() - begun });
      if (reason !== undefined) return giveUp(service, reason);
    }
  };

  /** Returns the task if it has started meanwhile. @throws `reason` if nothing ran; ExecutorError lost if unknown */
  const giveUp = async (service: SwarmService, reason: ExecutorError): Promise<SwarmTask> => {
    await stop(service.ID, 0);
    const after = taskOfRun(await calls.tasksOf(service.ID));
    const stage = after && stageOf(after);
    if (after !== undefined && stage === 'over') return after;
    if (stage === 'never started') throw reason;
    // The run may have started: a node accepted the task just before the stop and does not respond, or another program
    // removed the service. The run counts as lost, so that it never runs twice.
    throw new ExecutorError('lost', `${reason.message}, and Swarm does not report whether the run started`);
  };

  /**
   * The task of an abandoned start, for example of a daemon that was killed at that moment. Undefined for any other
   * run.
   */
  const givenUpTask = async (ref: string): Promise<SwarmTask | undefined> => {
    const service = await calls.service(ref);
    const task = isStopped(service) ? taskOfRun(await calls.tasksOf(service.ID)) : undefined;
    return task !== undefined && stageOf(task) === 'never started' ? task : undefined;
  };

  /**
   * True if Swarm has created another task after `before`. Waits for it until the start is halted or takes too long.
   */
  const isReplaced = async (service: SwarmService, before: SwarmTask, halted = never): Promise<boolean> => {
    const limit = AbortSignal.any([halted, timeoutSignal(startMs)]);
    while (taskOfRun(await calls.tasksOf(service.ID))?.ID === before.ID) {
      if (limit.aborted) return false;
      await pause(REPLACED_MS, undefined, { signal: connection.closed });
    }
    return true;
  };

  const attach = async (
    service: SwarmService,
    sink: LogSink,
    wait: { readonly isNew: boolean; readonly halted?: AbortSignal },
  ): Promise<Running> => {
    const task = await startedTask(service, wait);
    if (stageOf(task) !== 'never started') return follow(service, task, { ...wait, sink });
    // The previous daemon may have stopped the run just before this daemon reattached to it.
    if (isStopped(await calls.service(service.ID))) throw stoppedEarly();
    const image = specOf(service).TaskTemplate?.ContainerSpec?.Image ?? '';
    // A run of a previous daemon is not returned to its mailbox, because its claim is final.
    const { kind, message } = whyNotStarted(task, await nodeOf(task), image);
    throw new ExecutorError(wait.isNew ? kind : 'lost', message);
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
    start: async (ref: string, sink: LogSink, halted?: AbortSignal): Promise<Running> => {
      const before = await givenUpTask(ref);
      const isDone = (now: SwarmService) => hasTask(now) && (before === undefined || !isStopped(now));
      const service = await change(ref, isDone, startedSpec);
      if (before !== undefined && !(await isReplaced(service, before, halted))) {
        const reason = halted?.aborted
          ? stoppedEarly()
          : new ExecutorError('unavailable', 'Swarm makes no task for the run');
        return follow(service, await giveUp(service, reason), { sink, halted });
      }
      return attach(service, sink, { isNew: true, halted });
    },
    reattach: async (ref: string, sink: LogSink, halted?: AbortSignal): Promise<Running> => {
      const service = await calls.service(ref);
      if (!hasTask(service)) throw new ExecutorError('start', `the run ${ref} was never started`);
      return attach(service, sink, { isNew: false, halted });
    },
    stop,
  };
};
