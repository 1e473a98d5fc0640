// A temporary instance of the daemon. It ends with the command that started it, and nothing of it remains.
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf, usage } from '../../failure.ts';
import { randomName } from '../../local/credentials/crypto.ts';
import { endInstance, instancesWithoutStarter, nameStarter } from '../../local/daemon/starter.ts';
import { stopDaemon } from '../daemon/down.ts';
import { removeInstance } from '../daemon/remove-instance.ts';
import { admit, passwordGrant } from '../login/complete-login.ts';

const USER = 'dev';
/** Longest time for the daemon to start, in milliseconds. */
const START_MS = 30_000;
/** Time for running executions to end, in milliseconds. */
const STOP_MS = 5_000;

export interface TemporaryInstance {
  /** The context for requests as the admin of the instance, until the command is interrupted. */
  readonly context: CommandContext;
  /** Stops the instance and removes its files. Works even after an interrupt. */
  readonly close: () => Promise<void>;
}

/** Stops the daemon and removes the instance. If the daemon does not stop, the files stay, because they lead to it. */
const end = async (context: CommandContext): Promise<void> => {
  try {
    await stopDaemon(context, { graceMs: STOP_MS, haltExecutions: true });
  } catch (error) {
    // `down` needs no login.
    await removeInstance(context, { onlyLogin: true });
    throw error;
  }
  await removeInstance(context);
};

/** Ends the temporary instances of commands that were killed. */
const endLeft = async (outer: CommandContext): Promise<void> => {
  for (const name of instancesWithoutStarter(outer.paths)) {
    try {
      await end(await outer.beside(name, outer.signal));
      outer.output.note(`removed the temporary instance ${name} of a command that was killed`);
    } catch (error) {
      if (error instanceof CliFailure && error.code === 'CANCELLED') throw error;
      outer.output.warn(
        `cannot end the temporary instance ${name}: ${messageOf(error)}. To end it: ${endInstance(name)}`,
      );
    }
  }
};

/** Starts an instance that nothing else uses. Its daemon ends with this process, even if the process is killed. */
export const startTemporaryInstance = async (outer: CommandContext): Promise<TemporaryInstance> => {
  const instance = `dev-${randomName(4)}`;
  const lasting = await outer.beside(instance, new AbortController().signal);
  const { paths, settings } = lasting;
  if (settings.baseUrl !== undefined)
    throw usage('the context "local" names an address', `remove "local" from ${paths.contextsFile}`);
  await endLeft(outer);
  const close = (): Promise<void> => end(lasting);
  try {
    await nameStarter(paths);
    const flags = { ephemeral: true, withStarter: true, port: 'auto', dataDir: paths.dataDir };
    await (await lasting.local()).start(flags, START_MS);
    const password = randomName(16);
    await lasting.manage('daemon.bootstrap', { username: USER, password });
    // The login is stored, so that commands in another terminal can use the instance while it runs.
    await admit(lasting, { flow: 'password', obtain: passwordGrant(lasting, USER, password), force: true });
    return { context: await outer.beside(instance, outer.signal), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
};
