// Paths of the files of an instance: a pure function of environment, platform, home and instance name.
import path from 'node:path';
import { shortDigest } from './credentials/crypto.ts';

export const DEFAULT_INSTANCE = 'default';

export interface PathsInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Absolute home folder of the user. */
  readonly home: string;
  readonly instance: string;
}

/** Absolute paths without a trailing separator. The files and folders need not exist. */
export interface Paths {
  readonly instance: string;
  readonly configDir: string;
  readonly settingsFile: string;
  readonly contextsFile: string;
  readonly credentialsFile: string;
  readonly dataDir: string;
  readonly stateDir: string;
  /** File that the daemon writes when it is ready. Valid only while the management socket responds. */
  readonly daemonFile: string;
  /** File in which the daemon stores its start options. The file stays after the stop. */
  readonly launchFile: string;
  /** File in which the daemon records executions that continue after its stop. Absent if there are none. */
  readonly leftFile: string;
  readonly daemonLog: string;
  /** Output of the daemon's process before its log was open, or during a crash. */
  readonly daemonErrors: string;
  /** Lock that is held while a daemon is being started. */
  readonly startLock: string;
  /** File that names the process for whose lifetime a temporary instance runs. Absent for other instances. */
  readonly starterFile: string;
  /** Folder of the temporary homes that commands of this home made. */
  readonly temporaryDir: string;
  /** Lock that a daemon holds until it is ready. */
  readonly startingLock: string;
  /**
   * Path of the management socket, or the name of a pipe on Windows. It depends only on the state folder, so that a
   * home folder always finds its own daemon and never the daemon of another. The path may be too long for the system:
   * connect and listen with `own-place.ts`.
   */
  readonly socket: string;
}

/** True if `name` is a valid instance name. The name becomes part of paths, container labels and network names. */
export const isInstanceName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name);

interface Roots {
  readonly config: string;
  readonly data: string;
  readonly state: string;
}

/** The XDG specification makes relative values invalid, so they are ignored. */
const absolute = (value: string | undefined): string | undefined =>
  value !== undefined && path.isAbsolute(value) ? value : undefined;

const unixRoots = ({ env, home }: PathsInput): Roots => {
  const at = (variable: string, fallback: string) =>
    path.join(absolute(env[variable]) ?? path.join(home, fallback), 'actorctl');
  return {
    config: at('XDG_CONFIG_HOME', '.config'),
    data: at('XDG_DATA_HOME', '.local/share'),
    state: at('XDG_STATE_HOME', '.local/state'),
  };
};

const windowsRoots = ({ env, home }: PathsInput): Roots => {
  const roaming = path.join(env['APPDATA'] ?? path.join(home, 'AppData', 'Roaming'), 'actorctl');
  const local = path.join(env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'actorctl');
  return {
    config: roaming,
    data: path.join(local, 'data'),
    state: path.join(local, 'state'),
  };
};

const rootsOf = (input: PathsInput): Roots => {
  const root = input.env['ACTORCTL_HOME'];
  if (root) {
    const at = (name: string) => path.resolve(root, name);
    return { config: at('config'), data: at('data'), state: at('state') };
  }
  return input.platform === 'win32' ? windowsRoots(input) : unixRoots(input);
};

const socketOf = ({ platform }: PathsInput, stateDir: string): string =>
  platform === 'win32' ? `\\\\.\\pipe\\actorctl-${shortDigest(stateDir, 16)}` : path.join(stateDir, 'daemon.sock');

/** The folder of the temporary homes, in the cache of the home that made them. */
const TEMPORARY = 'temporary';

/**
 * The name of a temporary home: of its folder, its instance, and the tags of the images that are built in it. Undefined
 * for any other home.
 */
export const temporaryName = (home: string | undefined): string | undefined => {
  if (!home || path.basename(path.dirname(path.resolve(home))) !== TEMPORARY) return undefined;
  const name = path.basename(home);
  return /^temp-[0-9a-f]{8}$/.test(name) ? name : undefined;
};

/**
 * The folder of files that can be created anew at any time, shared by all instances. A temporary home shares the folder
 * of the home that made it. @see docs/operations.md#folders
 */
export const cacheRoot = ({ env, platform, home }: Pick<PathsInput, 'env' | 'platform' | 'home'>): string => {
  const root = env['ACTORCTL_HOME'];
  if (root && temporaryName(root) !== undefined) return path.resolve(root, '..', '..');
  if (root) return path.resolve(root, 'cache');
  if (platform === 'win32') {
    return path.join(env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'actorctl', 'cache');
  }
  return path.join(absolute(env['XDG_CACHE_HOME']) ?? path.join(home, '.cache'), 'actorctl');
};

/**
 * `ACTORCTL_HOME` puts everything below one folder. Otherwise XDG folders are used, on macOS too.
 * @throws RangeError if the instance name is invalid; check with `isInstanceName` first
 * @see docs/operations.md#folders
 */
export const paths = (input: PathsInput): Paths => {
  if (!isInstanceName(input.instance)) throw new RangeError(`"${input.instance}" is not a valid instance name`);
  const roots = rootsOf(input);
  const dataDir = path.join(roots.data, input.instance);
  const stateDir = path.join(roots.state, input.instance);
  return {
    instance: input.instance,
    configDir: roots.config,
    settingsFile: path.join(roots.config, 'settings.json'),
    contextsFile: path.join(roots.config, 'contexts.json'),
    credentialsFile: path.join(roots.config, 'credentials.json'),
    dataDir,
    stateDir,
    daemonFile: path.join(stateDir, 'daemon.json'),
    launchFile: path.join(stateDir, 'launch.json'),
    leftFile: path.join(stateDir, 'running-executions.json'),
    daemonLog: path.join(stateDir, 'daemon.log'),
    daemonErrors: path.join(stateDir, 'daemon.err'),
    startLock: path.join(stateDir, 'start.lock'),
    starterFile: path.join(stateDir, 'starter.json'),
    temporaryDir: path.join(cacheRoot(input), TEMPORARY),
    startingLock: path.join(stateDir, 'daemon-starting.lock'),
    socket: socketOf(input, stateDir),
  };
};
