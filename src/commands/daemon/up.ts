// `up`: starts the daemon if it is down, creates the user and client on the first start, and prints the addresses.
import { rm, rmdir } from 'node:fs/promises';
import { shadowOf } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { failureCodes } from '../../contract/failure-codes.ts';
import { CliFailure, usage } from '../../failure.ts';
import type { Started } from '../../local/daemon/instance-daemon.ts';
import type { LaunchFlags } from '../../local/daemon/launch.ts';
import { formatCrash } from '../../local/daemon/locator.ts';
import { temporaryFolder } from '../../local/files.ts';
import { removeTree } from '../../local/folders/remove-tree.ts';
import { action } from '../framework/command.ts';
import { duration, flag, type ValuesOf } from '../framework/option.ts';
import { NO_LIMIT_MS, withTimeout } from '../framework/time-limit.ts';
import { admit, passwordGrant, refuseShadow } from '../login/complete-login.ts';
import { describeLogin } from '../login/login.ts';
import { loggedInAs } from '../login/stored-logins.ts';
import { type Bootstrapped, bootstrap } from './bootstrap.ts';
import { daemonOptions, instanceOptions, launchFlags, refuseOtherFlags, warnIfExposed } from './daemon-flags.ts';
import { checkFirst, importFlags, importOptions, refuseImport } from './import-flags.ts';
import { openDashboard } from './open.ts';
import { showStart } from './start-result.ts';
import { DEFAULT_START_MS } from './until-started.ts';

const options = {
  ...daemonOptions,
  ...instanceOptions,
  timeout: duration('--timeout <duration>', 'time limit of the command (default 30s to become ready)'),
  ephemeral: flag('--ephemeral', 'store data in a temporary folder that `down` removes'),
  detach: flag('--detach', 'run in the background (the default)'),
  foreground: flag('--no-detach', 'run in the foreground'),
  login: flag('--login', 'log in as the admin user, unless you are logged in already'),
  open: flag('--open', 'open the dashboard in a browser'),
  ...importOptions,
  showSecrets: flag('--show-secrets', 'with -o json: include the generated password'),
};

type UpOptions = ValuesOf<typeof options>;

const wantedLaunch = (context: CommandContext, given: UpOptions): LaunchFlags => {
  if (given.ephemeral && given.dataDir !== undefined) throw usage('--ephemeral and --data-dir cannot be used together');
  const { clock } = given;
  return {
    ...launchFlags(given),
    ...importFlags(context, given),
    ...(given.ephemeral && { ephemeral: true }),
    ...(clock !== undefined && { clock }),
  };
};

/**
 * Creates a new data folder for an ephemeral daemon. The folder is removed at the end, so it must not contain
 * existing data.
 */
const withFolder = async (flags: LaunchFlags): Promise<LaunchFlags> =>
  flags.ephemeral ? { ...flags, dataDir: await temporaryFolder('actorctl-ephemeral-') } : flags;

/**
 * Starts the daemon. A new folder of an ephemeral daemon is removed if the daemon did not start, or if another process
 * has started one. The folder stays while the daemon may still be starting, and after it has started: then the daemon
 * removes its own folder, or keeps it if the backup of its data failed.
 */
const startIn = async (
  { local }: CommandContext,
  flags: LaunchFlags,
  waitMs: number,
  onProgress: (part: number) => void,
): Promise<Started> => {
  const launch = await withFolder(flags);
  const removeUnused = async (): Promise<void> => {
    if (launch.ephemeral && launch.dataDir !== undefined) await rm(launch.dataDir, { recursive: true, force: true });
  };
  try {
    const started = await (await local()).start(launch, waitMs, onProgress);
    if (!started.ready) await removeUnused();
    return started;
  } catch (error) {
    const { hasStarted } = await import('../../local/daemon/instance-daemon.ts');
    const isOver = !(error instanceof CliFailure) || (error.code !== 'CANCELLED' && !hasStarted(error));
    const state = (await (await local()).locate().catch(() => undefined))?.state;
    if (isOver && (state === 'stopped' || state === 'crashed')) await removeUnused();
    throw error;
  }
};

/** Exit codes of a daemon that did not start. With any other exit code its data may still be needed. */
const notStarted: ReadonlySet<number> = new Set([failureCodes.USAGE.exit, failureCodes.PORT_IN_USE.exit]);

/** The new folder of an ephemeral daemon is removed if its port is taken, a setting is wrong, or it is empty. */
const runForeground = async ({ local }: CommandContext, flags: LaunchFlags): Promise<number> => {
  const launch = await withFolder(flags);
  const code = await (await local()).runInForeground(launch);
  if (launch.ephemeral && launch.dataDir !== undefined) {
    if (notStarted.has(code)) await removeTree(launch.dataDir);
    // Removes only an empty folder.
    else await rmdir(launch.dataDir).catch(() => undefined);
  }
  return code;
};

/** A sentence about the login, if one works or is asked for. */
const logIn = async (
  context: CommandContext,
  { user, password }: Bootstrapped,
  isWanted: boolean,
): Promise<string | undefined> => {
  const { prompt, settings } = context;
  const present = await loggedInAs(context);
  const isOther = settings.admin.username !== undefined && settings.admin.username !== present;
  if (present !== undefined && !(isWanted && (user !== undefined || isOther))) return `You are logged in as ${present}`;
  if (!isWanted) return undefined;
  const username =
    user?.username ?? settings.admin.username ?? (await prompt.text('User name:', 'ACTORCTL_ADMIN_USER'));
  const secret = password ?? settings.admin.password ?? (await prompt.secret('Password:', 'ACTORCTL_ADMIN_PASSWORD'));
  const obtain = passwordGrant(context, username, secret);
  const asked = { flow: 'password', obtain, force: user !== undefined, forceFlag: '--yes' } as const;
  return describeLogin(context, await admit(context, asked)).sentence;
};

const start = async (context: CommandContext, flags: LaunchFlags, waitMs: number): Promise<Started> => {
  const { local, output, settings } = context;
  const found = await (await local()).locate();
  if (found.state === 'running') {
    refuseImport(flags, found.status);
    refuseOtherFlags(flags, found.status);
    return { status: found.status, dropped: [] };
  }
  if (flags.importFile !== undefined) await checkFirst(context, flags.importFile);
  const progress = await output.progress(`Starting the daemon (instance ${settings.instance})`);
  try {
    const { ready, status, dropped } = await startIn(context, flags, waitMs, progress.advance);
    if (!ready) {
      refuseImport(flags, status);
      refuseOtherFlags(flags, status);
      return { status, dropped };
    }
    const stale = [found.state === 'crashed' ? formatCrash(found) : undefined, ready.stale].filter(
      (part) => part !== undefined,
    );
    return { status, dropped, ready: { ...ready, ...(stale.length > 0 && { stale: stale.join('; ') }) } };
  } finally {
    progress.stop();
  }
};

/**
 * Runs the steps after the start. If a step is interrupted, the error says that the daemon runs. @param hasUser
 * true if this start created the admin
 */
const sayingThatItRuns = async <T>({ status }: Started, hasUser: boolean, ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'CANCELLED') throw error;
    const isReady = status.bootstrapped || hasUser;
    const done = isReady ? '' : ', without an admin user';
    throw new CliFailure('CANCELLED', `interrupted: the daemon (process ${status.pid}) runs on${done}`, {
      hint: `${hasUser ? 'to log in: actorctl login' : 'to be asked again: actorctl up'}. To stop the daemon: actorctl down`,
      cause: error,
    });
  }
};

/** A warning that other commands use a service other than the started daemon. Undefined if they use this daemon. */
const formatElsewhere = ({ settings: { baseUrl, context, account } }: CommandContext): string | undefined => {
  if (baseUrl === undefined) return undefined;
  return account.startsWith('url/')
    ? `other commands go to ${baseUrl}, as ACTORCTL_BASE_URL says: unset it to use this daemon`
    : `other commands go to ${baseUrl}, the address of context "${context}": add -c local to use this daemon`;
};

/** A login would not help: the credential takes precedence over it. */
const formatRefused = (shadow: string): string =>
  `the service does not accept ${shadow}: ${shadow.startsWith('--') ? 'remove' : 'unset'} it to use a login`;

/**
 * Starts the daemon, creates its user, logs in and says where it is.
 * @param outer the context that names the service of other commands
 */
const startAndTell = async (
  outer: CommandContext,
  context: CommandContext,
  given: UpOptions,
  flags: LaunchFlags,
): Promise<number> => {
  const { output } = context;
  const started = await start(context, flags, given.timeout === undefined ? DEFAULT_START_MS : NO_LIMIT_MS);
  if (started.ready?.stale !== undefined) output.note(started.ready.stale);
  for (const line of started.dropped) output.note(line);
  const { replaced } = started.ready ?? {};
  if (replaced?.snapshot !== undefined) output.note(`the previous data are in snapshot ${replaced.snapshot}`);
  if (replaced?.kept !== undefined) output.note(`the previous data were damaged; they are in ${replaced.kept}`);
  warnIfExposed(context, started.status);
  if (started.status.legacy?.portNote !== undefined) output.note(started.status.legacy.portNote);
  const made = await sayingThatItRuns(started, false, () => bootstrap(context, started.status, replaced !== undefined));
  const tell = (login?: string) => showStart(context, started, made, { login, showSecrets: given.showSecrets });
  let login: string | undefined;
  try {
    login = await sayingThatItRuns(started, made.user !== undefined, async () => {
      if (made.endedBy !== undefined) throw made.endedBy;
      return logIn(context, made, given.login);
    });
  } catch (error) {
    // The password is shown even after a failure, because it is stored nowhere else.
    if (made.generated) tell();
    throw error;
  }
  tell(login);
  if (given.open) {
    const { address, opened } = await openDashboard(context, false);
    if (!opened) output.note(`the dashboard is at ${address}`);
  }
  const elsewhere = formatElsewhere(outer);
  const shadow = login === undefined ? shadowOf(context.settings) : undefined;
  if (elsewhere !== undefined) output.note(elsewhere);
  else if (shadow !== undefined) output.note(formatRefused(shadow));
  else output.next(login === undefined ? 'actorctl login' : 'actorctl actors create IMAGE');
  return 0;
};

export const upCommand = action({
  operations: ['daemon.bootstrap'],
  options,
  details:
    '--import starts an empty instance with the data of a file written by actorctl backup. --backup-on-exit writes such a file at each orderly stop of the daemon, but not after a crash.',
  examples: [
    'actorctl up --login',
    'actorctl up --instance test --port auto --ephemeral',
    'actorctl up --ephemeral --import data.tar.gz --backup-on-exit',
  ],
  run: async (outer, _args, given) => {
    // The user, the client and the login belong to the daemon that starts, not to the service of the context.
    const context = await outer.ownDaemon();
    if (given.login) {
      refuseShadow(context);
      // If the login file is not writable, the command fails before it creates a user.
      await context.credentials.accounts();
    }
    const flags = wantedLaunch(context, given);
    if (!given.foreground) return runForeground(context, flags);
    const limit = { timeout: given.timeout, goesOn: 'the daemon is not ready yet', hint: 'actorctl status' };
    return withTimeout(context, limit, (within) => startAndTell(outer, within, given, flags));
  },
});
