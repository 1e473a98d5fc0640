// Waits for a daemon that is starting.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import type { DaemonState } from '../../local/daemon/locator.ts';

/** Default time for the daemon to become ready, in milliseconds. */
export const DEFAULT_START_MS = 30_000;
const POLL_MS = 50;

/** The failure of a command that needs the daemon while it is still starting. @param pid process id of the daemon */
export const stillStarting = (pid: number): CliFailure =>
  new CliFailure('DAEMON_UNHEALTHY', `the daemon is still starting (process ${pid})`, {
    hint: 'try again in a moment',
  });

/**
 * Waits until the daemon is ready, if the command that started it has ended. @throws CliFailure DAEMON_UNHEALTHY if
 * not in time
 */
export const locateStarted = async ({ local, output, now, sleep }: CommandContext): Promise<DaemonState> => {
  let found = await (await local()).locate();
  if (found.state !== 'starting' || !('pid' in found)) return found;
  const progress = await output.progress(`Waiting for the daemon (process ${found.pid}), which is still starting`);
  try {
    const deadline = now() + DEFAULT_START_MS;
    while (found.state === 'starting' && 'pid' in found) {
      if (now() > deadline) throw stillStarting(found.pid);
      await sleep(POLL_MS);
      found = await (await local()).locate();
    }
    return found;
  } finally {
    progress.stop();
  }
};
