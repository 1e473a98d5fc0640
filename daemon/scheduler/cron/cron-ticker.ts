// Sends the messages of schedules: checks at an interval which schedules are due and puts a message into their actors'
// mailboxes.
import { hasRoom, mailboxUse } from '../../domain/executions/mailbox.ts';
import { dueRun } from '../../domain/schedule/cron-plan.ts';
import { scheduleNow } from '../../domain/schedule/machine-time.ts';
import type { Transaction } from '../../ports/store.ts';
import { elapse } from '../background-tasks.ts';
import { messageOf, type SchedulerContext } from '../scheduler-context.ts';
import { cronText, putCronMessage } from './cron-message.ts';

/** Fires a schedule. Does nothing if it is no longer due or the mailbox is full. */
const sendWhenDue = (tx: Transaction, context: SchedulerContext, actorId: string): void => {
  const actor = tx.get('actors', actorId);
  const due = actor && dueRun(actor, scheduleNow(context.clock));
  if (actor === undefined || due === undefined) return;
  // The schedule of a full mailbox does not advance. When there is room again, a single message reports how many times
  // were missed.
  const size = Buffer.byteLength(cronText(actor));
  if (!hasRoom(mailboxUse(tx, actorId), size, context.settings.mailbox)) return;
  tx.put('actors', { ...actor, cron: due.plan });
  putCronMessage(tx, actor, due.run, { executionId: context.ids.id(), receivedAt: context.clock.now() });
};

/**
 * Each message and its schedule's next time are written in one transaction, so no time runs twice, even after a crash.
 */
export const createTicker = (context: SchedulerContext) => {
  const { store, clock, logger, settings, signal } = context;

  const tickFor = async (actorId: string): Promise<void> => {
    try {
      await store.transact((tx) => sendWhenDue(tx, context, actorId));
    } catch (error) {
      // A failing schedule must not delay the others. The next tick retries it.
      logger.warn({ actorId, reason: messageOf(error) }, 'cannot run an actor by its schedule');
    }
  };

  const tick = async (): Promise<void> => {
    if (!context.accepting) return;
    const now = scheduleNow(clock);
    const due = store
      .by('actors', 'cron', 'on')
      .filter((actor) => (actor.cron?.nextAt ?? Number.POSITIVE_INFINITY) <= now);
    await Promise.all(due.map(({ id }) => tickFor(id)));
  };

  return {
    /**
     * Puts one message into the mailbox of each actor whose schedule is due. Resolves when the messages are on disk.
     */
    tick,
    async keepTicking(): Promise<void> {
      do await tick();
      while (await elapse(settings.tickEveryMs, signal));
    },
  };
};
