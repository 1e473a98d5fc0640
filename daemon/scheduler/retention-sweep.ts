// Deletes expired logs, execution records and events, now and at an interval.
import { elapse } from './background-tasks.ts';
import { deleteExpiredEvents } from './event-retention.ts';
import { deleteExpiredExecutions } from './execution-retention.ts';
import { createLogRetention } from './log-retention.ts';
import { messageOf, type SchedulerContext } from './scheduler-context.ts';

export const createSweeper = (context: SchedulerContext) => {
  const { settings, signal } = context;
  const deleteExpiredLogs = createLogRetention(context);

  const sweep = async (): Promise<void> => {
    await deleteExpiredExecutions(context);
    await deleteExpiredLogs();
    await deleteExpiredEvents(context);
  };

  return {
    sweep,
    async keepSweeping(): Promise<void> {
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
