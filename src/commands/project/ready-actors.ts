// Waits until the actors of an applied project are READY, and reports those in ERROR.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { waitUntilReady } from '../actors/wait-until-ready.ts';
import { actorInError, type TimeLimit } from '../executions/wait-for-outcome.ts';
import type { DesiredState } from './plan/desired-state.ts';
import type { Ran } from './run-plan.ts';

/** The ids of the actors in the file, by their names there. */
const idsOf = ({ ids }: Ran, { actors }: DesiredState): ReadonlyMap<string, string> =>
  new Map(
    actors.flatMap(({ key }) => {
      const id = ids.get(key);
      return id === undefined ? [] : [[key, id] as const];
    }),
  );

const notReady = (error: unknown, key: string): unknown =>
  error instanceof CliFailure
    ? new CliFailure(error.code, `the project is applied, but actor "${key}" is not READY: ${error.message}`, {
        ...error.extras,
        cause: error,
      })
    : error;

/** Waits until the actors of the file are READY. @throws CliFailure ACTOR_ERROR, WAIT_TIMEOUT */
export const waitForAll = async (
  context: CommandContext,
  ran: Ran,
  wanted: DesiredState,
  limit: TimeLimit,
): Promise<void> => {
  for (const [key, actorId] of idsOf(ran, wanted)) {
    const actor = await context.call('actors.show', { params: { actorId } });
    try {
      await waitUntilReady(context, actor, limit);
    } catch (error) {
      throw notReady(error, key);
    }
  }
};

/** @throws CliFailure ACTOR_ERROR if an actor of the file is in ERROR. Does not wait for actors that are not READY yet. */
export const refuseErrors = async (
  { call }: Pick<CommandContext, 'call'>,
  ran: Ran,
  wanted: DesiredState,
): Promise<void> => {
  const ids = idsOf(ran, wanted);
  if (ids.size === 0) return;
  const actors = new Map((await call('actors.list')).map((actor) => [actor.id, actor]));
  for (const [key, id] of ids) {
    const actor = actors.get(id);
    if (actor?.status === 'ERROR') throw notReady(actorInError(actor), key);
  }
};
