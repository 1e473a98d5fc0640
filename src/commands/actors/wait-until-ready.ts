// Waits until an actor is READY, for commands that create or change one.
import type { CommandContext } from '../../context.ts';
import { stoppedAfter } from '../../failure.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { actorInError, gaveUp, limitFrom, type TimeLimit, waitUntil } from '../executions/wait-for-outcome.ts';
import { duration, flag, type ValuesOf } from '../framework/option.ts';
import { refuseLimitWithout } from '../framework/time-limit.ts';
import type { Actor } from '../framework/views.ts';

/** Default time limit for an actor to become READY, in milliseconds. */
const READY_WAIT_MS = 300_000;

export const waitOptions = {
  wait: flag('--wait', 'wait until the actor is READY'),
  timeout: duration('--timeout <duration>', 'time limit of --wait (default 5m), exit code 8 when it is over'),
};

/** The deadline of the wait, counted from now. Undefined without `--wait`. */
export const readyLimit = (
  context: Pick<CommandContext, 'now'>,
  { wait, timeout }: ValuesOf<typeof waitOptions>,
): TimeLimit | undefined => {
  refuseLimitWithout('--wait', wait, timeout);
  return wait ? limitFrom(context, timeout ?? READY_WAIT_MS) : undefined;
};

export const titleOf = (actor: Pick<Actor, 'id' | 'name'>): string =>
  actor.name === '' ? actor.id : `${actor.name} (${actor.id})`;

/**
 * Waits until the actor is READY, even across a restart of the daemon. @throws CliFailure ACTOR_ERROR,
 * WAIT_TIMEOUT; any other failure with the id of the actor
 */
export const waitUntilReady = async (
  context: CommandContext,
  given: Actor,
  { timeoutMs, until }: TimeLimit,
): Promise<Actor> => {
  const { output, now, signal } = context;
  const { id } = given;
  const title = titleOf(given);
  const begun = now();
  /** The call waits for an unreachable daemon, but not beyond the deadline of the command. */
  const call = context.retryingCall({ until, signal });
  const settled = ({ status }: Actor): boolean => status === 'READY' || status === 'ERROR';
  const progress = await output.progress(`waiting for ${title} to become READY`, { terminalOnly: true });
  try {
    const { state, settled: isSettled } = await waitUntil(context, {
      read: async () => {
        const actor = await call('actors.show', { params: { actorId: id } });
        if (!settled(actor))
          progress.update([title, actor.status, actor.statusMessage].filter((part) => part !== '').join('  '));
        return actor;
      },
      settled,
      until,
    }).catch((error: unknown) => {
      throw stoppedAfter(error, `waited for actor ${title} to become READY`, { actorId: id });
    });
    if (state.status === 'ERROR') throw actorInError(state);
    if (!isSettled) {
      const why = state.statusMessage === '' ? '' : `: ${state.statusMessage}`;
      throw gaveUp(`actor ${title} is still ${state.status}${why}`, timeoutMs, `actorctl actors show ${id} --wait`, {
        actor_id: id,
        status: state.status,
      });
    }
    progress.stop();
    output.note(`${given.name || id}  READY in ${formatDuration(now() - begun)}`);
    return state;
  } finally {
    progress.stop();
  }
};

/** Passes on the response to a creation or an update, and shows what the container engine does not provide. */
export const showWarnings =
  ({ output }: Pick<CommandContext, 'output'>) =>
  (actor: Actor & { readonly warnings?: readonly string[] | undefined }): Actor => {
    for (const text of actor.warnings ?? []) output.warn(text);
    return actor;
  };
