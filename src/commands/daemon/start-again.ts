// Starts the daemon again after a command has stopped it. If that fails, starts it as it was started before.
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf } from '../../failure.ts';
import type { Started } from '../../local/daemon/instance-daemon.ts';
import { type Launch, type LaunchFlags, sameLaunch } from '../../local/daemon/launch.ts';
import { DEFAULT_START_MS } from './until-started.ts';

export interface StartedAsBefore {
  readonly failure: CliFailure;
  /** The restarted daemon. Absent if the start with the previous options failed too. */
  readonly again?: Started;
  readonly reason?: string;
}

/**
 * Starts the daemon with its previous options after a start with other flags has failed. @throws `error` if it is
 * not a start failure, or is an interrupt
 */
export const startAsBefore = async (
  { local }: CommandContext,
  flags: LaunchFlags,
  error: unknown,
): Promise<StartedAsBefore> => {
  if (!(error instanceof CliFailure) || error.code === 'CANCELLED') throw error;
  try {
    return { failure: error, again: await (await local()).start(flags, DEFAULT_START_MS) };
  } catch (second) {
    return { failure: error, reason: messageOf(second) };
  }
};

/** The failure of a restart. `up` would forget the other flags of the daemon, so hints name `daemon restart`. */
const restartFailure = ({ code, message, extras }: CliFailure): CliFailure =>
  new CliFailure(code, message, {
    ...extras,
    ...(extras.hint !== undefined && { hint: extras.hint.replace(/^actorctl up /, 'actorctl daemon restart ') }),
  });

/**
 * Adds the command that starts the daemon again. For an ephemeral daemon it names the data folder, because nothing
 * else leads to its data.
 */
export const staysStopped = ({ code, message, extras }: CliFailure, kept: Launch | undefined): CliFailure => {
  if (!kept?.ephemeral)
    return new CliFailure(code, message, { ...extras, hint: 'to start it as before: actorctl daemon restart' });
  return new CliFailure(code, `${message}. The data of the ephemeral daemon are kept in ${kept.dataDir}`, {
    ...extras,
    hint: `actorctl up --data-dir ${kept.dataDir}`,
  });
};

const stoppedFailure = ({ failure: { code, message, extras }, reason }: StartedAsBefore, kept: Launch | undefined) => {
  const why = reason === message ? '' : `: ${reason}`;
  const what = `${message}. The daemon was stopped and could not be started again as before${why}`;
  return staysStopped(new CliFailure(code, what, extras), kept);
};

/**
 * Starts the daemon. If that fails, starts it with its previous options and reports that. @param before the
 * previous options, and whether the daemon was stopped
 */
export const startAgain = async (
  context: CommandContext,
  flags: LaunchFlags,
  waitMs: number,
  { kept, ran }: { readonly kept: Launch | undefined; readonly ran: boolean },
): Promise<Started> => {
  try {
    return await (await context.local()).start(flags, waitMs);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const { state } = await (await context.local()).locate();
    // A daemon that is not ready in time is still starting, with the new flags.
    if (!ran || (state !== 'stopped' && state !== 'crashed')) throw restartFailure(error);
    if (error.code === 'CANCELLED')
      throw staysStopped(new CliFailure('CANCELLED', 'interrupted: the daemon is stopped'), kept);
    const done = await startAsBefore(context, kept === undefined ? {} : sameLaunch(kept, {}), restartFailure(error));
    if (done.again === undefined) throw stoppedFailure(done, kept);
    const { code, message, extras } = done.failure;
    const how =
      done.again.ready === undefined ? 'runs, because another command has started it' : 'runs again as before';
    throw new CliFailure(code, `${message}. The daemon ${how}`, extras);
  }
};
