// Deletes expired logs. The records of their executions stay.
import { endOf, logLifeOf, receivedBefore } from '../domain/events/retention.ts';
import { isFinal } from '../domain/executions/execution-status.ts';
import type { ExecutionRecord } from '../domain/records/actor-records.ts';
import { firstIndex } from '../domain/records/first-index.ts';
import { readInSlices } from './read-in-slices.ts';
import type { SchedulerContext } from './scheduler-context.ts';

type Context = Pick<SchedulerContext, 'store' | 'logs' | 'clock' | 'signal'> & {
  readonly settings: Pick<SchedulerContext['settings'], 'logRetention'>;
};

interface Examined {
  /** Sequence number of the last examined execution. */
  upTo: number;
  /** Ids of executions whose logs had not expired. */
  readonly kept: Set<string>;
}

/**
 * Returns the function that deletes expired logs. Its first call examines all old executions, because no record says
 * which logs are already deleted.
 */
export const createLogRetention = (context: Context): (() => Promise<void>) => {
  const { store, logs, clock, settings, signal } = context;
  const examinedOf = new Map<string, Examined>();

  const unexamined = (actorId: string, { upTo }: Examined): Iterable<ExecutionRecord> => {
    const isLater = (index: number): boolean => {
      const [execution] = store.page('executions', 'actor', actorId, { skip: index, limit: 1 });
      return execution === undefined || execution.sequence > upTo;
    };
    const skip = upTo === 0 ? 0 : firstIndex(store.countBy('executions', 'actor', actorId), isLater);
    return store.each('executions', 'actor', actorId, { skip });
  };

  const deleteOf = async (actorId: string, examined: Examined, time: number): Promise<void> => {
    const isExpired = (execution: ExecutionRecord): boolean => isFinal(execution.status) && endOf(execution) <= time;
    for await (const ids of readInSlices(examined.kept, signal)) {
      const expired = ids.filter((id) => {
        const execution = store.get('executions', id);
        return execution === undefined || isExpired(execution);
      });
      await logs.delete(expired);
      for (const id of expired) examined.kept.delete(id);
    }
    for await (const slice of readInSlices(receivedBefore(unexamined(actorId, examined), time), signal)) {
      await logs.delete(slice.filter(isExpired).map(({ id }) => id));
      for (const execution of slice) {
        examined.upTo = execution.sequence;
        if (!isExpired(execution)) examined.kept.add(execution.id);
      }
    }
  };

  return async () => {
    for (const { id, logEx } of store.all('actors')) {
      const examined = examinedOf.get(id) ?? { upTo: 0, kept: new Set() };
      examinedOf.set(id, examined);
      await deleteOf(id, examined, clock.now() - logLifeOf(logEx, settings.logRetention));
    }
    for (const id of examinedOf.keys()) if (store.get('actors', id) === undefined) examinedOf.delete(id);
  };
};
