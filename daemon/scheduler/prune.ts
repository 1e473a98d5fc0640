// Pruning is retention with a stricter rule: everything before an instant has expired, whatever its number.
import { isOver } from '../domain/events/delivery-status.ts';
import type { ExecutionRecord } from '../domain/records/actor-records.ts';
import { type DeliveryRecord, eventKey } from '../domain/records/event-records.ts';
import type { Amount, Pruning } from '../ports/pruning.ts';
import { deleteExpiredEvents } from './event-retention.ts';
import { deleteExpiredExecutions, endedBefore, endedOf } from './execution-retention.ts';
import { readInSlices } from './read-in-slices.ts';
import type { SchedulerContext } from './scheduler-context.ts';

type Context = Pick<SchedulerContext, 'store' | 'logs' | 'signal' | 'tasks'>;

const NOTHING: Amount = { count: 0, bytes: 0 };

const plus = ({ count, bytes }: Amount, more: readonly number[]): Amount => ({
  count: count + more.length,
  bytes: more.reduce((sum, each) => sum + each, bytes),
});

const bytesOf = (record: object): number => Buffer.byteLength(JSON.stringify(record));

const countExecutions = async ({ store, logs, signal }: Context, before: number): Promise<Amount> => {
  const bytesWith = async (execution: ExecutionRecord): Promise<number> => {
    const results = store.by('results', 'execution', execution.id).reduce((sum, { size }) => sum + size, 0);
    return bytesOf(execution) + results + (await logs.size(execution.id));
  };
  let amount = NOTHING;
  for (const { id } of store.all('actors')) {
    for await (const ended of endedBefore({ store, signal }, endedOf(id), before))
      amount = plus(amount, await Promise.all(ended.map(bytesWith)));
  }
  return amount;
};

const countEvents = async (
  { store, signal }: Context,
  before: number,
): Promise<{ readonly events: Amount; readonly deliveries: Amount }> => {
  let [events, deliveries] = [NOTHING, NOTHING];
  for (const { tenant } of store.all('serials')) {
    for await (const slice of readInSlices(store.each('events', 'tenant', tenant), signal)) {
      const old = slice.filter(({ at }) => at < before);
      for (const event of old) {
        const key = eventKey(event.number);
        const stays = store.countBy('deliveries', 'pendingOfEvent', key) > 0;
        const goes = ({ status, createdAt }: DeliveryRecord): boolean =>
          !stays || (isOver(status) && createdAt < before);
        deliveries = plus(deliveries, store.by('deliveries', 'event', key).filter(goes).map(bytesOf));
        if (!stays) events = plus(events, [bytesOf(event)]);
      }
      if (old.length < slice.length) break;
    }
  }
  return { events, deliveries };
};

/** Creates the pruning of a scheduler. When the scheduler stops, pruning ends after the current slice. */
export const createPruning = (context: Context): Pruning => {
  const within = (signal: AbortSignal): Context => ({ ...context, signal: AbortSignal.any([context.signal, signal]) });

  const deleteBefore = async (before: number, signal: AbortSignal): Promise<void> => {
    const expired = {
      ...within(signal),
      // The clock is fixed at the instant, so that no younger record expires while slices are deleted.
      clock: { now: () => before },
      settings: {
        executionRetention: { perActor: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY, ageMs: 0 },
        eventRetention: { total: Number.POSITIVE_INFINITY, ageMs: 0 },
      },
    };
    await deleteExpiredExecutions(expired);
    await deleteExpiredEvents(expired);
  };

  return {
    count: async (before, signal) => ({
      executions: await countExecutions(within(signal), before),
      ...(await countEvents(within(signal), before)),
    }),
    prune: (before, signal) =>
      new Promise((resolve, reject) =>
        context.tasks.run('prune', () => deleteBefore(before, signal).then(resolve, reject)),
      ),
  };
};
