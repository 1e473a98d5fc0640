// The start and the end of a temporary instance. It ends with the process that started it, and nothing of it remains.
import type { CommandContext } from '../../context.ts';
import { CliFailure, messageOf, usage } from '../../failure.ts';
import { randomName } from '../../local/credentials/crypto.ts';
import type { LaunchFlags } from '../../local/daemon/launch.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { endInstance, instancesWithoutStarter, nameStarter } from '../../local/daemon/starter.ts';
import { stopDaemon } from '../daemon/down.ts';
import { removeInstance } from '../daemon/remove-instance.ts';
import { DEFAULT_START_MS } from '../daemon/until-started.ts';

const USER = 'dev';
/** Time for running executions to end, in milliseconds. */
const STOP_MS = 5_000;

export interface TemporaryInstance {
  /** The context for requests as the admin of the instance, until the command is interrupted. */
  readonly context: CommandContext;
  /** Stops the instance and removes its files. Works even after an interrupt. */
  readonly close: () => Promise<void>;
}

/** Stops the daemon, which halts all executions. */
export const stopTemporary = async (context: CommandContext): Promise<void> => {
  await stopDaemon(context, { graceMs: STOP_MS, haltExecutions: true });
};

export interface Begun {
  readonly status: ManageStatus;
  /** Access token of the first admin. It is valid as long as the instance. */
  readonly token: string;
}

/**
 * Starts the daemon of a temporary instance on a free port, and logs its first admin in. The daemon ends with this
 * process, even if the process is killed. The login is stored, so that other commands can use the instance.
 */
export const begin = async (lasting: CommandContext, flags: LaunchFlags): Promise<Begun> => {
  const { paths, manage, session } = lasting;
  await nameStarter(paths);
  const own = { ephemeral: true, withStarter: true, port: 'auto', dataDir: paths.dataDir };
  const { status } = await (await lasting.local()).start({ ...flags, ...own }, DEFAULT_START_MS);
  if (!status.bootstrapped) await manage('daemon.bootstrap', { username: USER });
  const { client_id: clientId, client_secret: secret, access_token: token, ...login } = await manage('daemon.token');
  const { username, tenant, scope, refresh_token: refreshToken } = login;
  await session.change(() => ({
    client: { id: clientId, secret },
    login: { username, tenant, flow: 'password', clientId, accessToken: token, refreshToken, scope, expiresAt: null },
  }));
  return { status, token };
};

/** Stops the daemon and removes the instance. If the daemon does not stop, the files stay, because they lead to it. */
const end = async (context: CommandContext): Promise<void> => {
  try {
    await stopTemporary(context);
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

/** Starts an instance beside those of this home, so that the user can name it in another terminal. */
export const startTemporaryInstance = async (outer: CommandContext): Promise<TemporaryInstance> => {
  const instance = `dev-${randomName(4)}`;
  const lasting = await outer.beside(instance, new AbortController().signal);
  const { paths, settings } = lasting;
  if (settings.baseUrl !== undefined)
    throw usage('the context "local" names an address', `remove "local" from ${paths.contextsFile}`);
  await endLeft(outer);
  const close = (): Promise<void> => end(lasting);
  try {
    await begin(lasting, {});
    return { context: await outer.beside(instance, outer.signal), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
};
