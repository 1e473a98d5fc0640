// Starts waiting messages. Actors take turns, so that a busy actor does not starve the others, within the limits per
// actor and per instance.
import { capacityOf } from '../domain/actors/actor-limits.ts';
import { runMessage } from './runs/run-message.ts';
import { executorFor, type SchedulerContext } from './scheduler-context.ts';
import { maxInFlightOf, maxParallelOf } from './scheduler-settings.ts';
import { takeSlot } from './worker-slots.ts';

const startOne = (context: SchedulerContext, actorId: string): boolean => {
  const actor = context.store.get('actors', actorId);
  if (actor?.status !== 'READY') return false;
  const workers = context.workersOf(actorId);
  if (workers.deleting || workers.hold !== undefined) return false;
  const executor = executorFor(context, actor.image);
  if (executor === undefined || !context.recovered.get(executor)?.isOpen) return false;
  if (workers.busyCount() >= capacityOf(actor, maxParallelOf(context.settings))) return false;
  const message = workers.mailbox.take();
  if (message === undefined) return false;
  const slot = takeSlot(context, workers, actor, message.executionId);
  context.tasks.run('serve', () => runMessage(context, { workers, slot, message, executor }, actor));
  return true;
};

/** Returns `offer`, which adds an actor to the rotation and starts as many waiting messages as the limits allow. */
export const createActorRotation = (context: () => SchedulerContext): ((actorId: string) => void) => {
  const rotation = new Set<string>();
  return (actorId) => {
    rotation.add(actorId);
    const now = context();
    while (now.accepting && now.busySlots < maxInFlightOf(now.settings) && rotation.size > 0) {
      const [next = ''] = rotation;
      rotation.delete(next);
      if (startOne(now, next)) rotation.add(next);
    }
  };
};
