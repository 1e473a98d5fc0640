// Workers that an administrator asked for: adds missing ones, removes surplus ones or a chosen one.
import type { ActorRecord } from '../domain/records/actor-records.ts';
import { type ActorWorkers, slotOf, type WorkerSlot } from './actor-workers.ts';
import { durably, type EngineContext } from './engine-context.ts';
import { workerRecord } from './transactions.ts';
import { join, letGo } from './worker-slots.ts';

const staying = (crew: ActorWorkers, revision: number): readonly WorkerSlot[] =>
  [...crew.slots.values()].filter((slot) => !slot.leaving && slot.revision === revision);

/**
 * Stores the record of a new worker in the background, unless the worker was removed or its first claim has stored the
 * record.
 */
const record = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void =>
  context.tasks.run('record worker', () =>
    durably(context, 'record worker', (tx) => {
      const actor = tx.get('actors', crew.actorId);
      if (actor === undefined || actor.status === 'SHUTTING_DOWN') return;
      if (crew.slots.get(slot.workerId) !== slot || tx.get('workers', slot.workerId) !== undefined) return;
      tx.put('workers', workerRecord(slot, actor, context.clock.now()));
    }),
  );

/** Adds workers to a ready actor up to its wanted number. Never removes any. */
export const startWantedWorkers = (context: EngineContext, crew: ActorWorkers, actor: ActorRecord): void => {
  if (actor.status !== 'READY' || crew.retired) return;
  const missing = (actor.wantedWorkers ?? 0) - staying(crew, actor.revision).length;
  for (let made = 0; made < missing; made += 1) {
    const slot = slotOf({ id: context.ids.id(), image: actor.image, revision: actor.revision });
    join(context, crew, slot);
    record(context, crew, slot);
  }
};

/** Removes the workers above `count`, idle ones first. A busy one finishes its execution. */
export const reduceTo = (context: EngineContext, crew: ActorWorkers, count: number): void => {
  const all = [...crew.slots.values()].filter((slot) => !slot.leaving);
  const idleFirst = all.toSorted((a, b) => Number(a.executionId !== undefined) - Number(b.executionId !== undefined));
  const going = new Set(idleFirst.slice(0, Math.max(0, all.length - count)));
  letGo(context, crew, (slot) => going.has(slot));
};

/** Removes one worker: at once if it is idle, otherwise when its execution is final. */
export const dismissWorker = (context: EngineContext, crew: ActorWorkers, workerId: string): void => {
  if (crew.slots.has(workerId)) letGo(context, crew, (slot) => slot.workerId === workerId);
  else {
    // The worker has no slot in memory; only its record is left.
    context.tasks.run('remove worker', () => durably(context, 'remove worker', (tx) => tx.delete('workers', workerId)));
  }
};
