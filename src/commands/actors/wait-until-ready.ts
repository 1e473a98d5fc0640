// Waits until an actor is READY, for commands that create or change one.
import type { CommandContext } from '../../context.ts';
import { stoppedAfter, usage } from '../../failure.ts';
import { formatDuration, parseDuration } from '../../ui/format/time.ts';
import { actorInError, gaveUp, waitUntil } from '../executions/wait-for-outcome.ts';
import type { Option } from '../framework/option.ts';
import type { Actor } from '../framework/views.ts';

/** Default time limit for an actor to become READY, in milliseconds. */
const READY_WAIT_MS = 300_000;

/** `--wait [duration]`, in milliseconds. Without a duration: the default. */
export const waitOption: Option<number | undefined> = {
  flags: '--wait [duration]',
  description: 'wait until it is READY (default 5m), exit code 8 if the time is over',
  read: (given) => {
    const value = given.at(-1);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return READY_WAIT_MS;
    // The word after --wait may be the image or the actor.
    if (!/^\d/.test(value)) throw usage(`--wait: "${value}" is not a duration`, 'put --wait last, or write --wait=5m');
    return parseDuration(value, 'a duration for --wait');
  },
};

export const titleOf = (actor: Pick<Actor, 'id' | 'name'>): string =>
  actor.name === '' ? actor.id : `${actor.name} (${actor.id})`;

/** Goes on after a restart. @throws CliFailure ACTOR_ERROR, WAIT_TIMEOUT; any other with the id of the actor */
export const waitUntilReady = async (context: CommandContext, { id }: Actor, timeoutMs: number): Promise<Actor> => {
  const { output, now, signal } = context;
  const begun = now();
  /** It waits for a daemon that is away, but not longer than the command. */
  const call = context.retryingCall({ until: begun + timeoutMs, notes: true, signal });
  const progress = await output.progress(`waiting for ${id} to become READY`);
  try {
    const { state, settled } = await waitUntil(context, {
      read: async () => {
        const actor = await call('actors.show', { params: { actorId: id } });
        progress.update([id, actor.status, actor.statusMessage].filter((part) => part !== '').join('  '));
        return actor;
      },
      settled: ({ status }) => status === 'READY' || status === 'ERROR',
      timeoutMs,
    }).catch((error: unknown) => {
      throw stoppedAfter(error, `waited for actor ${id} to become READY`, { actorId: id });
    });
    if (state.status === 'ERROR') throw actorInError(state);
    if (!settled) {
      const why = state.statusMessage === '' ? '' : `: ${state.statusMessage}`;
      throw gaveUp(`actor ${id} is still ${state.status}${why}`, timeoutMs, `actorctl actors show ${id} --wait`, {
        actor_id: id,
        status: state.status,
      });
    }
    progress.stop();
    output.note(`READY in ${formatDuration(now() - begun)}`);
    return state;
  } finally {
    progress.stop();
  }
};
