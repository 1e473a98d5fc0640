// Runs actors by their cron plans: looks now and then whose time has come, and puts a message into their mailboxes.
import { putMessage } from '../domain/executions/put-message.ts';
import { CRON, CRON_MESSAGE, dueRun } from '../domain/schedule/cron-plan.ts';
import type { Transaction } from '../ports/store.ts';
import { elapse } from './background-tasks.ts';
import { type EngineContext, wordsOf } from './engine-context.ts';

export interface Ticker {
  /** Puts a message for every actor whose time has come; resolves when they are durable. */
  tick(): Promise<void>;
  /** Ticks now and then until the engine closes. */
  keepTicking(): Promise<void>;
}

/** Takes an actor one run further, unless nothing is due any more or its mailbox has no room. */
const runWhenDue = (tx: Transaction, context: EngineContext, actorId: string): void => {
  const actor = tx.get('actors', actorId);
  const now = context.clock.now();
  const due = actor && dueRun(actor, now);
  if (actor === undefined || due === undefined) return;
  // A plan whose actor cannot keep up is not taken further: when there is room again, one run tells how many were missed.
  if (tx.countBy('messages', 'actor', actorId) >= context.settings.cronQueueLimit) return;
  const text = due.plan.message ?? CRON_MESSAGE;
  tx.put('actors', { ...actor, cron: due.plan });
  putMessage(
    tx,
    actor,
    {
      executionId: context.ids.id(),
      executor: CRON,
      receivedAt: now,
      contentType: 'str',
      text,
      bodyFile: null,
      size: Buffer.byteLength(text),
      variables: {},
      cron: due.run,
    },
    { cause: { scheduledAt: due.run.scheduledAt } },
  );
};

/** The message and the step to the next time are one decision: whatever happens, no time is run for twice. */
export const createTicker = (context: EngineContext): Ticker => {
  const { store, clock, logger, settings, signal } = context;

  const tickFor = async (actorId: string): Promise<void> => {
    try {
      await store.transact((tx) => runWhenDue(tx, context, actorId));
    } catch (error) {
      // One plan that cannot be followed must not keep the others waiting; the next tick tries it again.
      logger.warn({ actorId, reason: wordsOf(error) }, 'an actor could not be run by its plan');
    }
  };

  const tick = async (): Promise<void> => {
    if (!context.accepting) return;
    const now = clock.now();
    const due = store
      .by('actors', 'cron', 'on')
      .filter((actor) => (actor.cron?.nextAt ?? Number.POSITIVE_INFINITY) <= now);
    await Promise.all(due.map(({ id }) => tickFor(id)));
  };

  return {
    tick,
    async keepTicking() {
      do await tick();
      while (await elapse(settings.tickEveryMs, signal));
    },
  };
};
