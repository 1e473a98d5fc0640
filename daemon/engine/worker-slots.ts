// Workers come and go: taking one, freeing it, letting it leave.

import { stepWorker } from '../domain/executions/worker-status.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { Executor } from '../ports/executor.ts';
import { type ActorWorkers, slotOf, type WorkerSlot } from './actor-workers.ts';
import { durably, type EngineContext, executorFor, insist } from './engine-context.ts';

/** The worker is busy with that execution from here on. */
export const engage = (context: EngineContext, slot: WorkerSlot, executionId: string): void => {
  slot.executionId = executionId;
  context.inFlight += 1;
};

/** A free worker of that revision, or a new one. The record of a new one comes with its first claim. */
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

/** Takes an idle worker out; what it held in the engine is freed in the background. */
const dismiss = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void => {
  clearTimeout(slot.idleTimer);
  crew.slots.delete(slot.workerId);
  context.tasks.run('close worker', () => close(context, slot, executorFor(context, slot.image)));
};

/** One worker stays for the next message, those beyond it go after a while; the last one goes when nothing has come for long. */
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

/** The worker runs nothing any more. */
export const release = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void => {
  slot.executionId = undefined;
  context.inFlight -= 1;
  if (slot.leaving) dismiss(context, crew, slot);
  else watchIdle(context, crew, slot);
  crew.noteFree();
  context.offer(crew.actorId);
};

/** A worker that runs nothing yet joins. */
export const join = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void => {
  crew.slots.set(slot.workerId, slot);
  watchIdle(context, crew, slot);
};

/** Lets workers go: idle ones at once, busy ones when their execution is final. */
export const letGo = (context: EngineContext, crew: ActorWorkers, which: (slot: WorkerSlot) => boolean): void => {
  for (const slot of [...crew.slots.values()].filter((one) => !one.leaving && which(one))) {
    slot.leaving = true;
    if (slot.executionId === undefined) dismiss(context, crew, slot);
    else {
      context.tasks.run('announce shutdown of worker', () =>
        durably(context, 'worker leaves', (tx) => {
          const worker = tx.get('workers', slot.workerId);
          const leaving = worker === undefined ? null : stepWorker(worker, 'stop');
          if (leaving !== null) tx.put('workers', leaving);
        }),
      );
    }
  }
};

/** Stops the clocks of idle workers: the engine closes. */
export const stopIdleTimers = (context: EngineContext): void => {
  for (const crew of context.crews.values()) for (const slot of crew.slots.values()) clearTimeout(slot.idleTimer);
};
