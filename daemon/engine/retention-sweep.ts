// Deletes expired logs, execution records and events, in slices.
import { setImmediate } from 'node:timers/promises';
import { endOf, executionRetention, type Kept, logLifeOf } from '../domain/events/retention.ts';
import { isFinal } from '../domain/executions/execution-status.ts';
import { deleteExecutions } from '../domain/executions/stored-executions.ts';
import { slicesOf } from '../domain/records/slices.ts';
import { elapse } from './background-tasks.ts';
import { type EngineContext, messageOf } from './engine-context.ts';
import { deleteExpiredEvents } from './event-retention.ts';

/** Records read before the event loop gets a turn. */
const READ_AT_ONCE = 500;

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

export const createSweeper = (context: EngineContext): Sweeper => {
  const { store, logs, clock, settings, signal } = context;
  const deletedLogs = new Map<string, DeletedLogs>();

  /** Makes the test whether the log of an execution has expired and is not deleted yet. */
  const logRetention = (lives: Map<string, number>, now: number): ((execution: Kept) => boolean) => {
    const lifeOf = (actorId: string): number => {
      const known = lives.get(actorId);
      if (known !== undefined) return known;
      const life = logLifeOf(store.get('actors', actorId)?.logEx, settings.logRetention);
      lives.set(actorId, life);
      return life;
    };
    return (execution) => {
      const lifeMs = lifeOf(execution.actorId);
      const deleted = deletedLogs.get(execution.actorId);
      const endsAt = endOf(execution) + lifeMs;
      return endsAt <= now && !(deleted?.lifeMs === lifeMs && endsAt <= deleted.until);
    };
  };

  const sweep = async (): Promise<void> => {
    const now = clock.now();
    const lives = new Map<string, number>();
    const isLogExpired = logRetention(lives, now);
    const isExpired = executionRetention(now, settings.executionRetention);
    const expiredLogs: string[] = [];
    const expired: string[] = [];
    let read = 0;
    for (const execution of store.all('executions', { newestFirst: true })) {
      if (isFinal(execution.status)) {
        if (isLogExpired(execution)) expiredLogs.push(execution.id);
        if (isExpired(execution)) expired.push(execution.id);
      }
      read += 1;
      if (read % READ_AT_ONCE === 0) {
        await setImmediate();
        signal.throwIfAborted();
      }
    }
    await logs.delete(expiredLogs);
    deletedLogs.clear();
    for (const [actorId, lifeMs] of lives) deletedLogs.set(actorId, { lifeMs, until: now });
    for (const slice of slicesOf(expired)) {
      // Logs are deleted before records, because without its record no log file could be found.
      await logs.delete(slice);
      await store.transact((tx) => deleteExecutions(tx, slice, now));
      signal.throwIfAborted();
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
          if (signal.aborted) return;
          context.logger.warn(
            { reason: messageOf(error) },
            'cannot delete expired executions and events; the next sweep tries again',
          );
        }
      } while (await elapse(settings.sweepEveryMs, signal));
    },
  };
};
