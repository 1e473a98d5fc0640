// Replaces the data of the local instance: halts running executions if allowed, stops the daemon, and starts it with
// other data.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { Started } from '../../local/daemon/instance-daemon.ts';
import { type LaunchFlags, sameLaunch } from '../../local/daemon/launch.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { plural } from '../../ui/text.ts';
import { bootstrap, forgetAll } from '../daemon/bootstrap.ts';
import { DEFAULT_GRACE_MS, stopDaemon } from '../daemon/down.ts';
import { launchToKeep, refuseService } from '../daemon/restart.ts';
import { startAsBefore } from '../daemon/start-again.ts';
import { DEFAULT_START_MS } from '../daemon/until-started.ts';
import { flag } from '../framework/option.ts';
import { loggedInAs } from '../login/stored-logins.ts';

export const haltExecutions = flag('--halt-executions', 'halt running executions');

export interface Present {
  /** The running daemon. Absent if no daemon runs. */
  readonly status: ManageStatus | undefined;
  /** Number of running executions, including those that run without the daemon. */
  readonly running: number;
}

export const lookAround = async ({ local }: Pick<CommandContext, 'local'>): Promise<Present> => {
  const found = await (await local()).locate();
  const status = 'status' in found ? found.status : undefined;
  const left = (await (await local()).leftBehind())?.executions.length ?? 0;
  return { status, running: (status?.counts.executions.running ?? 0) + (status === undefined ? left : 0) };
};

/** `--yes` does not answer this question: executions of other users may run. */
const mayHalt = async ({ prompt, settings }: CommandContext, running: number, halt: boolean): Promise<void> => {
  if (running === 0 || halt) return;
  const what = `${plural(running, 'execution')} ${running === 1 ? 'runs' : 'run'}`;
  const refused = new CliFailure('IN_USE', `${what}, and would be lost with the data`, {
    hint: 'wait for them, or add --halt-executions to halt them',
    details: { running },
  });
  if (settings.yes) throw refused;
  await prompt.confirm(`${what} and would be lost. Halt ${running === 1 ? 'it' : 'them'}?`, refused);
};

/**
 * Starts the daemon with its previous options after a start with other data has failed, and reports which data it
 * uses.
 */
const failedReplacement = async (context: CommandContext, flags: LaunchFlags, error: unknown): Promise<never> => {
  const { failure, again } = await startAsBefore(context, flags, error);
  // Without `ready`, the daemon was started by another command, or by this command, whose wait timed out.
  const replaced = failure.extras.details?.['data_replaced'];
  const data = replaced === true ? 'has the new data' : replaced === false ? undefined : 'may have the new data';
  const now =
    again === undefined
      ? `The daemon could not be started again${data === undefined ? '' : ` and ${data}`}`
      : again.ready === undefined
        ? 'The daemon is running now, and may have the new data'
        : data === undefined
          ? 'Nothing was changed, and the daemon runs again'
          : `The daemon runs again and ${data}`;
  throw new CliFailure(failure.code, `${failure.message}. ${now}`, failure.extras);
};

export interface Replaced {
  readonly started: Started;
  /** The user whose login works with the new data. Undefined if there is none. */
  readonly user: string | undefined;
}

/** Replaces the data. If that fails, the previous daemon is started again with its data. */
export const replaceData = async (
  context: CommandContext,
  { status, running }: Present,
  change: LaunchFlags,
  halt: boolean,
): Promise<Replaced> => {
  await refuseService(context);
  await mayHalt(context, running, halt);
  const kept = await launchToKeep(context);
  const flags = kept === undefined ? {} : sameLaunch(kept, {});
  if (status !== undefined || running > 0)
    await stopDaemon(context, { graceMs: DEFAULT_GRACE_MS, haltExecutions: running > 0, keepData: true });
  const progress = await context.output.progress('Replacing the data');
  let started: Started;
  try {
    started = await (await context.local()).start({ ...flags, ...change }, DEFAULT_START_MS, progress.advance);
  } catch (error) {
    if (status === undefined) throw error;
    return await failedReplacement(context, flags, error);
  } finally {
    progress.stop();
  }
  if (started.ready?.replaced === undefined) {
    const what = `another command has started the daemon (process ${started.status.pid}); no data were replaced`;
    throw new CliFailure('ALREADY_RUNNING', what, { hint: 'run this command again' });
  }
  const own = await context.ownDaemon();
  if (!started.status.bootstrapped) await forgetAll(own);
  else await bootstrap(own, started.status, true);
  return { started, user: await loggedInAs(own) };
};

/** Says where the previous data are, and whether a login works with the new data. */
export const formatReplaced = ({ started: { ready }, user }: Replaced): string => {
  const { snapshot, kept } = ready?.replaced ?? {};
  return [
    '',
    ...(snapshot === undefined ? [] : [`The previous data are in snapshot ${snapshot}`]),
    ...(snapshot !== undefined || kept === undefined ? [] : [`The previous data were damaged; they are in ${kept}`]),
    user === undefined ? 'You are not logged in to the new data' : `You are still logged in as ${user}`,
  ].join('\n');
};
