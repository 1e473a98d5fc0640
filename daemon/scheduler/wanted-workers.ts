// Workers that an administrator asked for: adds missing ones, removes surplus ones or a chosen one.
import type { ActorRecord } from '../domain/records/actor-records.ts';
import { type ActorWorkers, createSlot, type WorkerSlot } from './actor-workers.ts';
import { type SchedulerContext, transactWithRetry } from './scheduler-context.ts';
import { workerRecord } from './transactions.ts';
import { addIdleWorker, removeWorkers } from './worker-slots.ts';

const stayingSlots = (workers: ActorWorkers, revision: number): readonly WorkerSlot[] =>
  [...workers.slots.values()].filter((slot) => !slot.leaving && slot.revision === revision);

/**
 * Stores the record of a new worker. Does nothing if the worker was removed, or if its first claim has already stored
 * the record.
 */
const storeWorker = (context: SchedulerContext, workers: ActorWorkers, slot: WorkerSlot): void =>
  context.tasks.run('record worker', () =>
    transactWithRetry(context, 'record worker', (tx) => {
      const actor = tx.get('actors', workers.actorId);
      if (actor === undefined || actor.status === 'SHUTTING_DOWN') return;
      if (workers.slots.get(slot.workerId) !== slot || tx.get('workers', slot.workerId) !== undefined) return;
      tx.put('workers', workerRecord(slot, actor, context.clock.now()));
    }),
  );

export const startWantedWorkers = (context: SchedulerContext, workers: ActorWorkers, actor: ActorRecord): void => {
  if (actor.status !== 'READY' || workers.deleting) return;
  const missing = (actor.wantedWorkers ?? 0) - stayingSlots(workers, actor.revision).length;
  for (let made = 0; made < missing; made += 1) {
    const slot = createSlot({ id: context.ids.id(), image: actor.image, revision: actor.revision });
    addIdleWorker(context, workers, slot);
    storeWorker(context, workers, slot);
  }
};

/** Removes the workers above `count`, idle ones first. A busy worker finishes its execution. */
export const reduceWorkers = (context: SchedulerContext, workers: ActorWorkers, count: number): void => {
  const all = [...workers.slots.values()].filter((slot) => !slot.leaving);
  const idleFirst = all.toSorted((a, b) => Number(a.executionId !== undefined) - Number(b.executionId !== undefined));
  const going = new Set(idleFirst.slice(0, Math.max(0, all.length - count)));
  removeWorkers(context, workers, (slot) => going.has(slot));
};

/** Removes one worker: at once if it is idle, otherwise when its execution is final. */
export const dismissWorker = (context: SchedulerContext, workers: ActorWorkers, workerId: string): void => {
  if (workers.slots.has(workerId)) removeWorkers(context, workers, (slot) => slot.workerId === workerId);
  else {
    // The worker has no slot in memory, only a record.
    context.tasks.run('remove worker', () =>
      transactWithRetry(context, 'remove worker', (tx) => tx.delete('workers', workerId)),
    );
  }
};
