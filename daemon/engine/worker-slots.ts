// The life of a worker: takes a slot for an execution, frees it, and removes idle workers.

import { stepWorker } from '../domain/executions/worker-status.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { Executor } from '../ports/executor.ts';
import { type ActorWorkers, slotOf, type WorkerSlot } from './actor-workers.ts';
import { durably, type EngineContext, executorFor, insist } from './engine-context.ts';

/** Marks the slot busy with an execution. */
export const engage = (context: EngineContext, slot: WorkerSlot, executionId: string): void => {
  slot.executionId = executionId;
  context.inFlight += 1;
};

/**
 * Returns an idle slot of the actor's revision, or a new one, busy with the execution. The record of a new worker is
 * stored with its first claim.
 */
export const occupy = (
  context: EngineContext,
  crew: ActorWorkers,
  actor: ActorRecord,
  executionId: string,
): WorkerSlot => {
  const free = [...crew.slots.values()].find(
    (slot) => slot.executionId === undefined && !slot.leaving && slot.revision === actor.revision,
  );
  const slot = free ?? slotOf({ id: context.ids.id(), image: actor.image, revision: actor.revision });
  clearTimeout(slot.idleTimer);
  crew.slots.set(slot.workerId, slot);
  engage(context, slot, executionId);
  return slot;
};

const close = async (context: EngineContext, slot: WorkerSlot, executor: Executor | undefined): Promise<void> => {
  await durably(context, 'remove worker', (tx) => tx.delete('workers', slot.workerId));
  if (executor === undefined) return;
  await insist(context, { workerId: slot.workerId }, () => executor.closeWorker(slot.workerId));
};

/** Removes an idle worker from memory. Its record and its resources in the engine are removed in the background. */
const dismiss = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void => {
  clearTimeout(slot.idleTimer);
  crew.slots.delete(slot.workerId);
  context.tasks.run('close worker', () => close(context, slot, executorFor(context, slot.image)));
};

/**
 * Removes the worker after it was idle for a while: surplus workers after `workerIdleMs`, the last one after
 * `lastWorkerIdleMs`. Wanted workers stay.
 */
const watchIdle = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void => {
  const { workerIdleMs, lastWorkerIdleMs } = context.settings;
  const look = (afterMs: number, isLast: boolean): void => {
    clearTimeout(slot.idleTimer);
    slot.idleTimer = setTimeout(() => {
      if (slot.executionId !== undefined || !context.accepting) return;
      const wanted = context.store.get('actors', crew.actorId)?.wantedWorkers ?? 0;
      if (crew.slots.size > Math.max(1, wanted) || (isLast && wanted === 0)) dismiss(context, crew, slot);
      else look(Math.max(0, lastWorkerIdleMs - workerIdleMs), true);
    }, afterMs);
    slot.idleTimer.unref();
  };
  look(workerIdleMs, false);
};

/** Marks the slot idle. */
export const release = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void => {
  slot.executionId = undefined;
  context.inFlight -= 1;
  if (slot.leaving) dismiss(context, crew, slot);
  else watchIdle(context, crew, slot);
  crew.noteFree();
  context.offer(crew.actorId);
};

/** Adds an idle worker. */
export const join = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void => {
  crew.slots.set(slot.workerId, slot);
  watchIdle(context, crew, slot);
};

/** Removes the chosen workers: idle ones at once, busy ones when their execution is final. */
export const letGo = (context: EngineContext, crew: ActorWorkers, which: (slot: WorkerSlot) => boolean): void => {
  for (const slot of [...crew.slots.values()].filter((one) => !one.leaving && which(one))) {
    slot.leaving = true;
    if (slot.executionId === undefined) dismiss(context, crew, slot);
    else {
      context.tasks.run('store shutdown of worker', () =>
        durably(context, 'worker leaves', (tx) => {
          const worker = tx.get('workers', slot.workerId);
          const leaving = worker === undefined ? null : stepWorker(worker, 'stop');
          if (leaving !== null) tx.put('workers', leaving);
        }),
      );
    }
  }
};

/** Cancels the timers of idle workers when the engine closes. */
export const stopIdleTimers = (context: EngineContext): void => {
  for (const crew of context.crews.values()) for (const slot of crew.slots.values()) clearTimeout(slot.idleTimer);
};
