// The lifecycle of a worker: takes a slot for an execution, frees it, and removes idle workers.

import { stepWorker } from '../domain/executions/worker-status.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { Executor } from '../ports/executor.ts';
import { type ActorWorkers, createSlot, type WorkerSlot } from './actor-workers.ts';
import { elapse } from './background-tasks.ts';
import {
  type Assignment,
  callWithRetry,
  executorFor,
  type SchedulerContext,
  transactWithRetry,
} from './scheduler-context.ts';

export const markBusy = (context: SchedulerContext, slot: WorkerSlot, executionId: string): void => {
  slot.executionId = executionId;
  context.busySlots += 1;
};

/**
 * Takes an idle slot or creates one, and marks it as busy with the execution. The record of a new worker is stored with
 * its first claim.
 */
export const takeSlot = (
  context: SchedulerContext,
  workers: ActorWorkers,
  actor: ActorRecord,
  executionId: string,
): WorkerSlot => {
  const free = [...workers.slots.values()].find(
    (slot) => slot.executionId === undefined && !slot.leaving && slot.revision === actor.revision,
  );
  const slot = free ?? createSlot({ id: context.ids.id(), image: actor.image, revision: actor.revision });
  workers.slots.set(slot.workerId, slot);
  clearTimeout(slot.idleTimer);
  markBusy(context, slot, executionId);
  return slot;
};

const close = async (context: SchedulerContext, slot: WorkerSlot, executor: Executor | undefined): Promise<void> => {
  await transactWithRetry(context, 'remove worker', (tx) => tx.delete('workers', slot.workerId));
  if (executor === undefined) return;
  await callWithRetry(context, { workerId: slot.workerId }, () => executor.closeWorker(slot.workerId));
};

/** Removes an idle worker from memory. Its record and its resources in the engine are removed in the background. */
const removeIdle = (context: SchedulerContext, workers: ActorWorkers, slot: WorkerSlot): void => {
  clearTimeout(slot.idleTimer);
  workers.slots.delete(slot.workerId);
  context.tasks.run('close worker', () => close(context, slot, executorFor(context, slot.image)));
};

/**
 * Surplus workers are removed after `workerIdleMs`, the last one after `lastWorkerIdleMs`. Workers that an admin
 * requested stay.
 */
const scheduleIdleRemoval = (context: SchedulerContext, workers: ActorWorkers, slot: WorkerSlot): void => {
  const { workerIdleMs, lastWorkerIdleMs } = context.settings;
  const look = (afterMs: number, isLast: boolean): void => {
    clearTimeout(slot.idleTimer);
    slot.idleTimer = setTimeout(() => {
      if (slot.executionId !== undefined || !context.accepting) return;
      const wanted = context.store.get('actors', workers.actorId)?.wantedWorkers ?? 0;
      if (workers.slots.size > Math.max(1, wanted) || (isLast && wanted === 0)) removeIdle(context, workers, slot);
      else look(Math.max(0, lastWorkerIdleMs - workerIdleMs), true);
    }, afterMs);
    slot.idleTimer.unref();
  };
  look(workerIdleMs, false);
};

/**
 * Frees a slot. Removes its worker at once if the worker is to be removed, otherwise after an idle time. Then starts
 * waiting executions of the actor.
 */
export const freeSlot = (context: SchedulerContext, workers: ActorWorkers, slot: WorkerSlot): void => {
  slot.executionId = undefined;
  context.busySlots -= 1;
  if (slot.leaving) removeIdle(context, workers, slot);
  else scheduleIdleRemoval(context, workers, slot);
  workers.noteIdle();
  context.startWaiting(workers.actorId);
};

export const addIdleWorker = (context: SchedulerContext, workers: ActorWorkers, slot: WorkerSlot): void => {
  workers.slots.set(slot.workerId, slot);
  scheduleIdleRemoval(context, workers, slot);
};

/** Removes the chosen workers: idle ones at once, busy ones when their execution is final. */
export const removeWorkers = (
  context: SchedulerContext,
  workers: ActorWorkers,
  which: (slot: WorkerSlot) => boolean,
): void => {
  for (const slot of [...workers.slots.values()].filter((one) => !one.leaving && which(one))) {
    slot.leaving = true;
    if (slot.executionId === undefined) removeIdle(context, workers, slot);
    else {
      context.tasks.run('store shutdown of worker', () =>
        transactWithRetry(context, 'worker leaves', (tx) => {
          const worker = tx.get('workers', slot.workerId);
          const leaving = worker === undefined ? null : stepWorker(worker, 'stop');
          if (leaving !== null) tx.put('workers', leaving);
        }),
      );
    }
  }
};

export const stopIdleTimers = (context: SchedulerContext): void => {
  for (const workers of context.workersByActor.values())
    for (const slot of workers.slots.values()) clearTimeout(slot.idleTimer);
};

export const holdStartsUntil = (
  context: SchedulerContext,
  workers: ActorWorkers,
  until: () => Promise<unknown>,
): void => {
  const hold = Symbol('hold');
  workers.hold = hold;
  context.tasks.run('hold', async () => {
    await until();
    if (workers.hold !== hold) return;
    workers.hold = undefined;
    context.startWaiting(workers.actorId);
  });
};

export const holdStartsFor = (context: SchedulerContext, workers: ActorWorkers, ms: number): void =>
  holdStartsUntil(context, workers, () => elapse(ms, context.signal));

/**
 * Returns the message to its mailbox and frees the slot. Messages that were taken after it find out when their turn
 * comes.
 */
export const returnToMailbox = (context: SchedulerContext, { workers, slot, message }: Assignment): void => {
  workers.mailbox.putBack(message);
  freeSlot(context, workers, slot);
};
