// A temporary instance of the daemon. Its data, login and logs are removed at the end.
import { rm } from 'node:fs/promises';
import type { CommandContext } from '../../context.ts';
import { usage } from '../../failure.ts';
import { randomName } from '../../local/credentials/crypto.ts';
import { temporaryFolder } from '../../local/files.ts';
import { removeTree } from '../../local/folders/remove-tree.ts';
import { stopDaemon } from '../daemon/down.ts';
import { admit, passwordGrant } from '../login/complete-login.ts';
import { removeAccount } from '../login/stored-logins.ts';

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

/** Starts an instance that nothing else uses. */
export const startTemporaryInstance = async (outer: CommandContext): Promise<TemporaryInstance> => {
  const instance = `dev-${randomName(4)}`;
  const lasting = await outer.beside(instance, new AbortController().signal);
  if (lasting.settings.baseUrl !== undefined)
    throw usage('the context "local" names an address', `remove "local" from ${lasting.paths.contextsFile}`);
  const dataDir = await temporaryFolder('actorctl-ephemeral-');
  const close = async (): Promise<void> => {
    try {
      await stopDaemon(lasting, { graceMs: STOP_MS, haltExecutions: true });
    } finally {
      // If the daemon could not be stopped, its login is still removed, because `down` needs no login.
      await removeAccount(lasting);
    }
    // The files stay if the daemon still runs, because they lead to it.
    await rm(lasting.paths.stateDir, { recursive: true, force: true });
    await removeTree(dataDir);
  };
  try {
    await (await lasting.local()).start({ ephemeral: true, port: 'auto', dataDir }, START_MS);
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
