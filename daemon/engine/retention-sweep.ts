// Deletes expired logs, execution records and events, in slices.
import { setImmediate } from 'node:timers/promises';
import { endOf, expiredExecutions, type Kept, logLifeOf } from '../domain/events/retention.ts';
import { isFinal } from '../domain/executions/execution-status.ts';
import { deleteExecutions } from '../domain/executions/execution-totals.ts';
import { SLICE, slicesOf } from '../domain/records/slices.ts';
import { elapse } from './background-tasks.ts';
import { type EngineContext, messageOf } from './engine-context.ts';
import { deleteExpiredEvents } from './event-retention.ts';

/** The time up to which the logs of an actor are deleted. It is reset when the actor's log retention changes. */
interface DeletedLogs {
  readonly lifeMs: number;
  readonly until: number;
}

export interface Sweeper {
  /** Deletes what has expired. */
  sweep(): Promise<void>;
  /** Calls `sweep` at an interval until the engine closes. */
  keepSweeping(): Promise<void>;
}

const finalExecutions = async ({ store, signal }: EngineContext): Promise<readonly Kept[]> => {
  const finals: Kept[] = [];
  let seen = 0;
  for (const { id, tenant, actorId, sequence, receivedAt, finishedAt, status } of store.all('executions')) {
    if (isFinal(status)) {
      finals.push({ id, tenant, actorId, sequence, receivedAt, ...(finishedAt !== undefined && { finishedAt }) });
    }
    seen += 1;
    if (seen % SLICE === 0) {
      await setImmediate();
      signal.throwIfAborted();
    }
  }
  return finals;
};

export const createSweeper = (context: EngineContext): Sweeper => {
  const { store, logs, clock, settings } = context;
  const deletedLogs = new Map<string, DeletedLogs>();

  const removeExpiredLogs = async (finals: readonly Kept[], now: number): Promise<void> => {
    const lives = new Map<string, number>();
    const lifeOf = (actorId: string): number => {
      const known = lives.get(actorId);
      if (known !== undefined) return known;
      const life = logLifeOf(store.get('actors', actorId)?.logEx, settings.logRetention);
      lives.set(actorId, life);
      return life;
    };
    const expired = finals.filter((execution) => {
      const lifeMs = lifeOf(execution.actorId);
      const deleted = deletedLogs.get(execution.actorId);
      const endsAt = endOf(execution) + lifeMs;
      return endsAt <= now && !(deleted?.lifeMs === lifeMs && endsAt <= deleted.until);
    });
    await logs.delete(expired.map(({ id }) => id));
    deletedLogs.clear();
    for (const [actorId, lifeMs] of lives) deletedLogs.set(actorId, { lifeMs, until: now });
  };

  const sweep = async (): Promise<void> => {
    const now = clock.now();
    const finals = await finalExecutions(context);
    await removeExpiredLogs(finals, now);
    const expired = expiredExecutions(finals, now, settings.executionRetention).map(({ id }) => id);
    for (const slice of slicesOf(expired)) {
      // Logs are deleted before records, because without its record no log file could be found.
      await logs.delete(slice);
      await store.transact((tx) => deleteExecutions(tx, slice, now));
      context.signal.throwIfAborted();
    }
    await deleteExpiredEvents(context);
  };

  return {
    sweep,
    async keepSweeping() {
      do {
        try {
          await sweep();
        } catch (error) {
          if (context.signal.aborted) return;
          context.logger.warn(
            { reason: messageOf(error) },
            'cannot delete expired executions and events; the next sweep tries again',
          );
        }
      } while (await elapse(settings.sweepEveryMs, context.signal));
    },
  };
};
