// Starts waiting messages. Actors take turns, so that a busy actor does not starve the others, within the limits per
// actor and per instance.
import { capacityOf } from '../domain/actors/actor-limits.ts';
import { AHEAD_LIMIT, type Standing } from '../domain/executions/wait-reason.ts';
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

/** Reads at most `AHEAD_LIMIT` messages, because a client may ask every second. */
const countAhead = (
  { store }: SchedulerContext,
  actorId: string,
  id: string,
  starting: ReadonlySet<string>,
): number => {
  const own = store.get('messages', id)?.sequence;
  if (own === undefined) return 0;
  let [read, ahead] = [0, 0];
  for (const { executionId, sequence } of store.each('messages', 'actor', actorId)) {
    if (sequence < own && !starting.has(executionId)) ahead += 1;
    read += 1;
    if (read === AHEAD_LIMIT) break;
  }
  return ahead;
};

/** Where an execution stands that has not ended: the same facts that decide whether `startOne` starts it. */
export const standingOf = (
  context: SchedulerContext,
  { id, actorId }: { readonly id: string; readonly actorId: string },
): Standing => {
  const actor = context.store.get('actors', actorId);
  const slots = context.workersByActor.get(actorId)?.slots.values() ?? [];
  const busy = new Set([...slots].flatMap(({ executionId = '' }) => (executionId === '' ? [] : [executionId])));
  const executor = actor && executorFor(context, actor.image);
  return {
    trouble: context.runs.get(id)?.trouble,
    isEngineKnown: executor === undefined || context.recovered.get(executor)?.isOpen === true,
    isStarting: busy.has(id),
    running: busy.size,
    most: actor === undefined ? 1 : capacityOf(actor, maxParallelOf(context.settings)),
    isFull: context.busySlots >= maxInFlightOf(context.settings),
    ahead: countAhead(context, actorId, id, busy),
  };
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
