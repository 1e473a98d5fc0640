// `down`: asks the daemon to shut down and waits until its process has ended.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { isAlive } from '../../local/process-identity.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { action } from '../kernel/command.ts';
import { flag, parsed } from '../kernel/option.ts';

/** How the daemon is stopped. */
export interface StopOptions {
  /** Time for running executions to end, in milliseconds. */
  readonly timeoutMs: number;
  /** Halts running executions instead of waiting for them. */
  readonly killActors: boolean;
  /** Keeps the data of an ephemeral daemon. */
  readonly keepData?: boolean;
}

/** Extra time for the daemon to close its store and release its lock, in milliseconds. */
const GRACE_MS = 20_000;
const POLL_MS = 50;

const askToStop = async ({ local }: CommandContext, options: StopOptions): Promise<number | undefined> => {
  const found = await local.locate();
  if (found.state === 'running' || (found.state === 'unhealthy' && found.status))
    return (await local.manage.stop(options)).pid;
  if (found.state === 'unhealthy' && found.pid !== undefined) {
    process.kill(found.pid, 'SIGTERM');
    return found.pid;
  }
  if (found.state === 'starting') {
    throw new CliFailure('DAEMON_UNHEALTHY', `the daemon is still starting (process ${found.starter})`, {
      hint: 'try again in a moment',
    });
  }
  return undefined;
};

/**
 * Stops the daemon and waits until its process has ended. Returns its process id, or undefined if no daemon was
 * running.
 * @throws CliFailure WAIT_TIMEOUT if it takes longer; the daemon continues to stop
 */
export const stopDaemon = async (context: CommandContext, options: StopOptions): Promise<number | undefined> => {
  const pid = await askToStop(context, options);
  if (pid === undefined) return undefined;
  const progress = await context.output.progress('Stopping the daemon');
  try {
    const deadline = context.now() + options.timeoutMs + GRACE_MS;
    while (isAlive(pid)) {
      if (context.now() > deadline) {
        throw new CliFailure('WAIT_TIMEOUT', `the daemon (process ${pid}) is still stopping`, {
          hint: 'actorctl down --kill-actors',
          details: { pid },
        });
      }
      await context.sleep(POLL_MS);
    }
  } finally {
    progress.stop();
  }
  return pid;
};

/** Flags of `down` and `daemon stop`. */
export const stopOptions = {
  timeout: parsed('--timeout <duration>', 'time for running executions to end (default 30s)', (text) =>
    parseDuration(text),
  ),
  killActors: flag('--kill-actors', 'halt running executions immediately'),
};

/** Runs `down` and `daemon stop`. */
export const runStop = async (
  context: CommandContext,
  options: { readonly timeout: number | undefined; readonly killActors: boolean },
): Promise<number> => {
  const pid = await stopDaemon(context, { timeoutMs: options.timeout ?? 30_000, killActors: options.killActors });
  const value = { stopped: true, was_running: pid !== undefined, pid: pid ?? null };
  context.output.result(
    pid === undefined ? 'The daemon was already stopped' : `Stopped the daemon (process ${pid})`,
    value,
  );
  return 0;
};

/** `down` */
export const downCommand = action({
  options: stopOptions,
  run: (context, _args, options) => runStop(context, options),
});
