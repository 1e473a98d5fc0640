// Follows actors: shows the logs of their running and new executions until a signal.
import { setMaxListeners } from 'node:events';
import type { CommandContext } from '../../../context.ts';
import { CliFailure } from '../../../failure.ts';
import { followEvents } from '../../events/event-source.ts';
import { newestExecutions } from '../../framework/search-rows.ts';
import type { Actor } from '../../framework/views.ts';

/** Time between two checks for executions that have begun to run, in milliseconds. */
const POLL_MS = 500;

export type ShowLog = (actor: Actor, executionId: string, context: CommandContext) => Promise<void>;

/**
 * Shows the logs of all running and new executions of the actors, each once, until a signal. Executions that had
 * already ended are skipped. A periodic check finds running executions. The event stream finds executions that ran
 * between two checks.
 */
export const followActors = async (context: CommandContext, actors: readonly Actor[], show: ShowLog): Promise<void> => {
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  setMaxListeners(0, signal); // each followed log adds one listener
  const within: CommandContext = { ...context, signal, call: context.retryingCall({ signal }) };
  const byId = new Map(actors.map((actor) => [actor.id, actor]));
  const known = new Set<string>();
  const work = new Set<Promise<void>>();
  let trouble: unknown;
  const start = (task: () => Promise<void>): void => {
    const one: Promise<void> = task()
      .catch((error: unknown) => {
        trouble ??= error;
        failed.abort();
      })
      .finally(() => work.delete(one));
    work.add(one);
  };
  const begin = (actorId: string, executionId: string): boolean => {
    if (known.has(executionId)) return false;
    known.add(executionId);
    return byId.has(actorId);
  };
  const showRunning = async (): Promise<void> => {
    while (!signal.aborted) {
      for (const actor of actors) {
        const rows = await newestExecutions(
          within,
          { actorId: actor.id, conditions: { status: 'RUNNING' } },
          Number.MAX_SAFE_INTEGER,
        );
        for (const { id } of [...rows].reverse()) {
          if (begin(actor.id, id)) start(() => show(actor, id, within));
        }
      }
      await context.sleep(POLL_MS);
    }
  };
  const events = followEvents(within, { types: ['EXECUTION_COMPLETE'], actors: [...byId.keys()] }, { signal });
  const showEnded = async (): Promise<void> => {
    for await (const { event } of events) {
      const actor = event && byId.get(event.actor_id);
      const id = event?.execution_id;
      // Complete logs are shown one after the other, so that their lines are not mixed.
      if (actor && id !== undefined && begin(actor.id, id)) await show(actor, id, within);
    }
  };
  try {
    // The first step confirms that the stream is open. From then on, the stream reports every execution that ends.
    await events.next();
    start(showEnded);
    start(showRunning);
    while (work.size > 0) await Promise.all(work);
  } catch (error) {
    trouble ??= error;
  }
  if (context.signal.aborted && (!(trouble instanceof CliFailure) || trouble.code === 'CANCELLED')) return;
  throw trouble;
};
