// `down`: asks the daemon to shut down, waits until its process has ended, and lists the executions that continue.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { LeftBehind } from '../../local/daemon/left-behind.ts';
import type { DaemonState } from '../../local/daemon/locator.ts';
import { hasLostStarter } from '../../local/daemon/starter.ts';
import { identityOf, stillRuns } from '../../local/process-identity.ts';
import { formatDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { action } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { duration, flag, type ValuesOf } from '../framework/option.ts';
import { NO_LIMIT_MS, withTimeout } from '../framework/time-limit.ts';
import { expectBackup } from './import-flags.ts';
import { removeEphemeral, removeInstance } from './remove-instance.ts';
import { staysStopped } from './start-again.ts';
import { locateStarted, stillStarting } from './until-started.ts';

export interface StopOptions {
  /** Time for running executions to end, in milliseconds. */
  readonly graceMs: number;
  /** True to halt running executions instead of waiting for them. */
  readonly haltExecutions: boolean;
  /** True to keep the data of an ephemeral daemon, because the command starts it again. */
  readonly keepData?: boolean;
  /** True if the whole command has a time limit. Otherwise the wait has its own limit. */
  readonly isLimited?: boolean;
}

/** Time for the daemon to close its store and release its lock, in milliseconds. */
const CLOSE_MS = 20_000;
/** Time for the same steps if the daemon also writes all data to the file of `--backup-on-exit`, in milliseconds. */
const BACKUP_MS = 15 * 60_000;
const POLL_MS = 50;
/** Largest number of executions that a message lists. */
const NAMED = 5;

/** The process of the daemon. Undefined if no daemon runs, including after a crash. */
const processOf = (found: DaemonState): number | undefined => {
  if ('status' in found && found.status !== undefined) return found.status.pid;
  return found.state !== 'crashed' && 'pid' in found ? found.pid : undefined;
};

const askToStop = async (
  { manage }: CommandContext,
  found: DaemonState,
  { graceMs, haltExecutions, keepData }: StopOptions,
): Promise<number | undefined> => {
  // A daemon that is already stopping gets a second request only to halt its executions. It may end before the
  // request arrives.
  if (found.state === 'stopping' && !haltExecutions) return found.status.pid;
  if ('status' in found && found.status !== undefined)
    return (await manage('daemon.stop', { graceMs, haltExecutions, keepData })).pid;
  if (found.state === 'unhealthy' && found.pid !== undefined) {
    process.kill(found.pid, 'SIGTERM');
    return found.pid;
  }
  if (found.state === 'starting') {
    throw stillStarting('pid' in found ? found.pid : found.starter);
  }
  return undefined;
};

const waitingFor = (found: DaemonState, { graceMs, haltExecutions, keepData }: StopOptions): string => {
  const status = 'status' in found ? found.status : undefined;
  const running = status?.counts.executions.running ?? 0;
  if (running === 0) return 'Stopping the daemon';
  if (haltExecutions || (status?.launch?.ephemeral && !keepData))
    return `Stopping the daemon: halting ${plural(running, 'execution')}`;
  return `Stopping the daemon: waiting up to ${formatDuration(graceMs)} for ${plural(running, 'execution')} to end (--halt-executions halts them)`;
};

const untilGone = async (context: CommandContext, pid: number, says: string, waitMs: number): Promise<void> => {
  // Another process may get the same process id between two checks.
  const daemon = identityOf(pid);
  const progress = await context.output.progress(says);
  try {
    const deadline = context.now() + waitMs;
    while (stillRuns(daemon)) {
      if (context.now() > deadline) {
        throw new CliFailure('WAIT_TIMEOUT', `the daemon (process ${pid}) is still stopping`, {
          hint: 'actorctl down --halt-executions',
          details: { pid },
        });
      }
      await context.sleep(POLL_MS);
    }
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
    throw new CliFailure('CANCELLED', `interrupted: the daemon (process ${pid}) continues to stop`, {
      hint: 'actorctl status',
    });
  } finally {
    progress.stop();
  }
};

/**
 * Stops the daemon and waits until its process has ended. Waits first for a daemon that is starting. Returns its
 * process id, or undefined if no daemon was running. With `haltExecutions` it also halts executions that an earlier
 * daemon left running.
 * @throws CliFailure WAIT_TIMEOUT if it takes longer; the daemon continues to stop. DAEMON_UNHEALTHY if the daemon is
 * still starting. STORE_UNAVAILABLE if the file of `--backup-on-exit` was not written
 */
export const stopDaemon = async (context: CommandContext, options: StopOptions): Promise<number | undefined> => {
  const found = await locateStarted(context);
  const status = 'status' in found ? found.status : undefined;
  const checkBackup = options.keepData === true ? () => undefined : expectBackup(status);
  const pid = await askToStop(context, found, options);
  const closeMs = status?.launch?.backupOnExit === undefined ? CLOSE_MS : CLOSE_MS + BACKUP_MS;
  const waitMs = options.isLimited ? NO_LIMIT_MS : options.graceMs + closeMs;
  try {
    if (pid !== undefined) await untilGone(context, pid, waitingFor(found, options), waitMs);
  } catch (error) {
    if (!options.keepData || !(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
    const message = `${error.message} and is not started again`;
    throw staysStopped(new CliFailure(error.code, message, error.extras), status?.launch);
  }
  checkBackup();
  if (!options.haltExecutions) return pid;
  const halted = found.state !== 'stopping' && 'status' in found ? found.status?.dataDir : undefined;
  const left = await (await context.local()).leftBehind();
  if (halted !== undefined && (left === undefined || left.data_dir === halted)) return pid;
  const helper = await (await context.local()).haltLeft();
  if (helper !== undefined) {
    await untilGone(context, helper, 'Halting the executions that run without the daemon', 2 * CLOSE_MS);
  }
  return pid;
};

export const stopOptions = {
  grace: duration('--grace <duration>', 'time for running executions to end (default 30s)'),
  haltExecutions: flag('--halt-executions', 'halt running executions immediately'),
  timeout: duration('--timeout <duration>', 'time limit of the command, exit code 8 when it is over'),
};

type RunStopOptions = ValuesOf<typeof stopOptions> & { readonly dryRun: boolean };

/** Default time for running executions to end, in milliseconds. */
export const DEFAULT_GRACE_MS = 30_000;

const namesOf = ({ executions: left }: LeftBehind): string => {
  const names = left.slice(0, NAMED).map(({ actor, execution_id, runs_in, ref }) => {
    const place = runs_in === 'container' ? `container ${ref}` : 'a process';
    return `  ${execution_id} of ${actor}, in ${place}`;
  });
  return [...names, ...(left.length > NAMED ? [`  and ${left.length - NAMED} more`] : [])].join('\n');
};

const sentenceOf = (
  { output, paths }: CommandContext,
  pid: number | undefined,
  left: LeftBehind | undefined,
): string => {
  const stopped = pid === undefined ? 'The daemon was already stopped' : `Stopped the daemon (process ${pid})`;
  if (left === undefined) return stopped;
  const folder = left.data_dir === paths.dataDir ? '' : ` --data-dir ${left.data_dir}`;
  const count = left.executions.length;
  return [
    stopped,
    `${plural(count, 'execution')} ${count === 1 ? 'runs' : 'run'} on without it:`,
    namesOf(left),
    output.sameTarget(`The next start takes them up again: actorctl up${folder}`),
    output.sameTarget('To end them now: actorctl down --halt-executions'),
  ].join('\n');
};

const tellStop = async (
  context: CommandContext,
  options: StopOptions,
  left: LeftBehind | undefined,
): Promise<number> => {
  const found = await (await context.local()).locate();
  const status = 'status' in found ? found.status : undefined;
  const pid = processOf(found);
  const running = status?.counts.executions.running ?? 0;
  const ended = left?.executions ?? [];
  const halts = options.haltExecutions || (status?.launch?.ephemeral && !options.keepData);
  const lines = [
    ...(pid === undefined ? [] : [`stop the daemon (process ${pid})`]),
    ...(running === 0
      ? []
      : [
          halts
            ? `halt ${plural(running, 'execution')}`
            : `wait up to ${formatDuration(options.graceMs)} for ${plural(running, 'execution')} to end`,
        ]),
    ...(options.haltExecutions && ended.length > 0
      ? [`halt ${plural(ended.length, 'execution')} that run without it`]
      : []),
  ];
  return tellDryRun(context, lines, { was_running: pid !== undefined, pid: pid ?? null, running, left: ended });
};

/** True if the data of the daemon end with it. With `--backup-on-exit` they are in the file of the backup. */
const endsItsData = async ({ local }: Pick<CommandContext, 'local'>): Promise<boolean> => {
  const found = await (await local()).locate();
  const launch = 'status' in found ? found.status?.launch : undefined;
  return launch?.ephemeral === true && launch.backupOnExit === undefined;
};

const stopAndTell = async (
  context: CommandContext,
  { grace: graceMs = DEFAULT_GRACE_MS, timeout, haltExecutions, dryRun: isDryRun }: RunStopOptions,
): Promise<number> => {
  const before = await (await context.local()).leftBehind();
  if (isDryRun) return tellStop(context, { graceMs, haltExecutions }, before);
  const endsData = await endsItsData(context);
  const pid = await stopDaemon(context, { graceMs, haltExecutions, isLimited: timeout !== undefined });
  if (endsData) await removeEphemeral(context);
  const left = await (await context.local()).leftBehind();
  if (haltExecutions && left !== undefined) {
    throw new CliFailure(
      'RUNTIME_UNAVAILABLE',
      `the daemon is stopped, but ${plural(left.executions.length, 'execution')} could not be halted:\n${namesOf(left)}`,
      {
        hint: `start the container engine${left.docker_host === undefined ? '' : ` at ${left.docker_host}`}, then run: actorctl down --halt-executions`,
        details: { left: left.executions },
      },
    );
  }
  const value = { stopped: true, was_running: pid !== undefined, pid: pid ?? null, left: left?.executions ?? [] };
  // The command that would have removed this temporary instance was killed.
  const isOver = haltExecutions && hasLostStarter(context.paths.starterFile);
  if (isOver) await removeInstance(context);
  const halted = left === undefined && haltExecutions ? (before?.executions.length ?? 0) : 0;
  const lines = [
    sentenceOf(context, pid, left),
    ...(halted === 0 ? [] : [`Halted ${plural(halted, 'execution')} that ran without the daemon`]),
    ...(isOver ? [`Removed the temporary instance ${context.settings.instance}`] : []),
  ];
  context.output.result(lines.join('\n'), value);
  return 0;
};

export const runStop = async (context: CommandContext, options: RunStopOptions): Promise<number> => {
  const limit = { timeout: options.timeout, goesOn: 'the daemon is not stopped', hint: 'actorctl status' };
  return withTimeout(context, limit, (within) => stopAndTell(within, options));
};

export const downCommand = action({
  operations: ['daemon.status', 'daemon.stop'],
  options: { ...stopOptions, dryRun },
  details:
    'Stopping an ephemeral daemon deletes its data, and the logins of them.\nRunning executions get 30 seconds to end, or the time of --grace. Executions that still run after that time continue without the daemon, and the next start resumes them. --halt-executions halts them, even if the daemon has already stopped.',
  run: (context, _args, options) => runStop(context, options),
});
