// Workers that an admin wants: made when they are missing, let go when they are too many, one by one or by number.
import type { ActorRecord } from '../domain/records/actor-records.ts';
import { type ActorWorkers, slotOf, type WorkerSlot } from './actor-workers.ts';
import { durably, type EngineContext } from './engine-context.ts';
import { workerRecord } from './transactions.ts';
import { join, letGo } from './worker-slots.ts';

const staying = (crew: ActorWorkers, revision: number): readonly WorkerSlot[] =>
  [...crew.slots.values()].filter((slot) => !slot.leaving && slot.revision === revision);

/** A worker that was dismissed meanwhile, or has claimed already, needs no record of ours. */
const record = (context: EngineContext, crew: ActorWorkers, slot: WorkerSlot): void =>
  context.tasks.run('record worker', () =>
    durably(context, 'record worker', (tx) => {
      const actor = tx.get('actors', crew.actorId);
      if (actor === undefined || actor.status === 'SHUTTING_DOWN') return;
      if (crew.slots.get(slot.workerId) !== slot || tx.get('workers', slot.workerId) !== undefined) return;
      tx.put('workers', workerRecord(slot, actor, context.clock.now()));
    }),
  );

/** Brings a ready actor to the number of workers that is wanted of it; never lets one go. */
export const startWantedWorkers = (context: EngineContext, crew: ActorWorkers, actor: ActorRecord): void => {
  if (actor.status !== 'READY' || crew.retired) return;
  const missing = (actor.wantedWorkers ?? 0) - staying(crew, actor.revision).length;
  for (let made = 0; made < missing; made += 1) {
    const slot = slotOf({ id: context.ids.id(), image: actor.image, revision: actor.revision });
    join(context, crew, slot);
    record(context, crew, slot);
  }
};

/** Lets those beyond `count` go, the idle ones first; a busy one finishes its execution. */
export const reduceTo = (context: EngineContext, crew: ActorWorkers, count: number): void => {
  const all = [...crew.slots.values()].filter((slot) => !slot.leaving);
  const idleFirst = all.toSorted((a, b) => Number(a.executionId !== undefined) - Number(b.executionId !== undefined));
  const going = new Set(idleFirst.slice(0, Math.max(0, all.length - count)));
  letGo(context, crew, (slot) => going.has(slot));
};

/** Lets one worker go: at once when it is idle, else when its execution is final. */
export const dismissWorker = (context: EngineContext, crew: ActorWorkers, workerId: string): void => {
  if (crew.slots.has(workerId)) letGo(context, crew, (slot) => slot.workerId === workerId);
  else {
    // It has no place in memory: what is left of it is the record.
    context.tasks.run('remove worker', () => durably(context, 'remove worker', (tx) => tx.delete('workers', workerId)));
  }
};
