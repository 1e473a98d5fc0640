// Watches the tasks of followed runs with one loop for all: Swarm sends no events about tasks.
import { setTimeout as pause } from 'node:timers/promises';
import { ExecutorError } from '../../ports/executor.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Connection } from '../engine/connection.ts';
import { engineMessage } from '../engine/engine-error.ts';
import type { SwarmCalls } from './swarm-calls.ts';
import { nodeName, type SwarmNode, type SwarmTask, stageOf, taskOfRun } from './task-state.ts';

export type TaskWatch = ReturnType<typeof createTaskWatch>;

/** Pause between two polls. A poll costs the manager one short list, regardless of what runs. */
const LOOK_MS = 100;
/** Polls take at most one part in this many of the loop's time, so that a slow manager is not polled without pause. */
const SHARE = 4;
/**
 * Time for which Swarm must report a node as down before its runs count as lost. A node that reaches a new leader, or
 * whose machine is busy, misses the heartbeats of 15 seconds and registers again within a few.
 */
const NODE_DOWN_MS = 20_000;

interface Waiting {
  readonly until: 'running' | 'over';
  readonly resolve: (task: SwarmTask) => void;
  readonly reject: (error: unknown) => void;
}

const isOver = (task: SwarmTask): boolean => ['over', 'never started'].includes(stageOf(task));

export const createTaskWatch = (inputs: {
  readonly connection: Connection;
  readonly calls: SwarmCalls;
  readonly logger: Logger;
  readonly nodeDownMs?: number;
}) => {
  const { connection, calls, logger, nodeDownMs = NODE_DOWN_MS } = inputs;
  const waiting = new Map<string, Set<Waiting>>();
  /** Services whose start is awaited. Each of them is polled in every round, the others in turn. */
  const urgent = new Set<string>();
  let looping = false;
  /** The services still to be polled in this round, to find those that another program removed. */
  let round: string[] = [];
  /** When each node was first seen as down since its last update, by the monotonic clock. */
  const downSince = new Map<string, { readonly updatedAt: string; readonly since: number }>();

  const settle = (serviceId: string, act: (each: Waiting) => boolean): void => {
    const all = waiting.get(serviceId) ?? new Set();
    for (const each of all) if (act(each)) all.delete(each);
    if (all.size === 0) {
      waiting.delete(serviceId);
      urgent.delete(serviceId);
    }
  };
  const lose = (serviceId: string, why: string): void =>
    settle(serviceId, ({ reject }) => {
      reject(new ExecutorError('lost', why));
      return true;
    });

  const isGone = (node: SwarmNode | undefined): boolean => {
    if (node === undefined) return true;
    if (node.Status?.State !== 'down') return false;
    const known = downSince.get(node.ID);
    const now = performance.now();
    // A node that was ready meanwhile has another update.
    if (known?.updatedAt === node.UpdatedAt) return now - known.since >= nodeDownMs;
    downSince.set(node.ID, { updatedAt: node.UpdatedAt, since: now });
    return false;
  };

  const take = (task: SwarmTask, nodes: readonly SwarmNode[]): void => {
    const node = nodes.find(({ ID }) => ID === task.NodeID);
    const stage = stageOf(task);
    if (!isOver(task) && nodes.length > 0 && task.NodeID && isGone(node)) {
      const why = node?.Status?.Message ? `: ${node.Status.Message}` : '';
      lose(task.ServiceID, `Swarm calls the node "${nodeName(node, task.NodeID)}" down${why}`);
      return;
    }
    settle(task.ServiceID, ({ until, resolve }) => {
      if (stage === 'waiting' || (until === 'over' && !isOver(task))) return false;
      resolve(task);
      return true;
    });
  };

  const lookAt = async (serviceId: string): Promise<void> => {
    const task = taskOfRun(await calls.tasksOf(serviceId));
    if (task === undefined) {
      try {
        await calls.service(serviceId);
      } catch (error) {
        if (error instanceof ExecutorError && error.kind === 'lost') lose(serviceId, error.message);
        else throw error;
      }
      return;
    }
    take(task, isOver(task) || !task.NodeID ? [] : await calls.nodes());
  };

  const look = async (): Promise<void> => {
    const closeLooks = new Set(urgent);
    if (round.length === 0) round = [...waiting.keys()];
    const next = round.pop();
    if (next !== undefined && waiting.has(next)) closeLooks.add(next);
    await Promise.all([...closeLooks].map(lookAt));
    if (waiting.size === urgent.size) return;
    const ending = (await calls.tasks('ending')).filter(({ ServiceID }) => waiting.has(ServiceID));
    const nodes = ending.every(isOver) ? [] : await calls.nodes();
    for (const task of ending) {
      // A service can have another task, which is its actual run.
      if (stageOf(task) === 'never started') await lookAt(task.ServiceID);
      else take(task, nodes);
    }
  };

  const loop = async (): Promise<void> => {
    while (waiting.size > 0 && !connection.closed.aborted) {
      const begun = performance.now();
      try {
        await look();
      } catch (error) {
        logger.debug({ why: engineMessage(error) }, 'cannot look at the tasks of the swarm');
        await connection.whenAvailable().catch(() => undefined);
      }
      const rest = Math.max(LOOK_MS, (performance.now() - begun) * SHARE);
      await pause(rest, undefined, { signal: connection.closed }).catch(() => undefined);
    }
    looping = false;
    if (connection.closed.aborted)
      for (const serviceId of [...waiting.keys()])
        settle(serviceId, ({ reject }) => {
          reject(new ExecutorError('unavailable', 'the Swarm executor was closed'));
          return true;
        });
  };

  const wait = (serviceId: string, until: Waiting['until'], signal?: AbortSignal): Promise<SwarmTask> =>
    new Promise<SwarmTask>((resolve, reject) => {
      // A signal that has already fired sends no event.
      signal?.throwIfAborted();
      const all = waiting.get(serviceId) ?? new Set();
      const mine: Waiting = { until, resolve, reject };
      waiting.set(serviceId, all.add(mine));
      if (until === 'running') urgent.add(serviceId);
      signal?.addEventListener(
        'abort',
        () =>
          settle(serviceId, (each) => {
            if (each === mine) reject(signal.reason);
            return each === mine;
          }),
        { once: true },
      );
      if (looping) return;
      looping = true;
      void loop();
    });

  return {
    /**
     * Resolves with the task of a service once it runs or is over.
     * @throws ExecutorError lost; the reason of `signal`
     */
    started: async (serviceId: string, signal: AbortSignal): Promise<SwarmTask> => {
      try {
        return await wait(serviceId, 'running', signal);
      } finally {
        urgent.delete(serviceId);
      }
    },
    /** Resolves once the task is over. @throws ExecutorError lost when the service or its node is gone */
    over: (serviceId: string, signal?: AbortSignal): Promise<SwarmTask> => wait(serviceId, 'over', signal),
    /** Ends the waits for a service that was removed. */
    forget: (serviceId: string): void => lose(serviceId, 'the run was removed'),
  };
};
