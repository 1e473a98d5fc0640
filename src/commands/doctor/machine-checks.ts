// Checks of this machine: node, folders, port, browser, clock and shell completion.
import { accessSync, constants, existsSync, lstatSync, readFileSync, type StatsFs, statfsSync } from 'node:fs';
import type { CommandContext } from '../../context.ts';
import { messageOf, systemCode } from '../../failure.ts';
import type { DataCheck } from '../../local/daemon/check-data.ts';
import { type DaemonState, formatElsewhere } from '../../local/daemon/locator.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { portHolder } from '../../local/daemon/port-holder.ts';
import { DEFAULT_PORT } from '../../local/daemon/start-options.ts';
import { accessProblem, homeElsewhere, nearestExisting } from '../../local/folders/access.ts';
import { shellNameOf, startFileOf } from '../../local/shell-files.ts';
import { formatBytes } from '../../ui/format/table.ts';
import { plural } from '../../ui/text.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Oldest version of node that the package supports. */
const NODE = [20, 19] as const;

export const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > NODE[0] || (major === NODE[0] && minor >= NODE[1])
    ? ok('node', version)
    : failed('node', `${version} is too old`, `install Node ${NODE.join('.')} or newer`);
};

export const checkDaemon = (found: DaemonState, version: string): Finding => {
  if (found.state === 'running') {
    const { status } = found;
    if (!status.store.writable)
      return failed('daemon', `refuses writes: ${status.store.reason ?? 'no reason given'}`, 'free space on its disk');
    return status.version === version
      ? ok('daemon', `runs (process ${status.pid}) at ${status.baseUrl}`)
      : warning('daemon', `runs version ${status.version}, this is ${version}`, 'actorctl daemon restart');
  }
  if (found.state === 'unhealthy') return failed('daemon', found.reason, 'actorctl daemon restart');
  if (found.state === 'crashed') return warning('daemon', 'had crashed', 'actorctl up');
  if (found.state === 'stopped' && found.elsewhere !== undefined)
    return warning('daemon', formatElsewhere(found.elsewhere), 'actorctl up');
  return ok('daemon', found.state === 'stopped' ? 'is stopped; to start it: actorctl up' : `is ${found.state}`);
};

/** Free bytes below which a disk counts as nearly full. */
const LITTLE_ROOM = 500_000_000;

type Statfs = (folder: string) => Pick<StatsFs, 'bavail' | 'bsize' | 'type'>;

/** Types of file systems of other machines: NFS, SMB, CIFS, SMB2. @see `man 2 statfs` */
const NETWORK_FILE_SYSTEMS = [0x6969, 0x517b, 0xff534d42, 0xfe534d42];
const isOnNetwork = (type: number): boolean => NETWORK_FILE_SYSTEMS.includes(type >>> 0);
const ON_NETWORK = 'is on a network file system: an engine that runs as another user may be refused its files';

const checkFolder = (name: string, folder: string, uid: number | undefined, statfs: Statfs): Finding => {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) {
      accessSync(nearestExisting(folder).at, constants.W_OK | constants.X_OK);
      return ok(name, `${folder} does not exist yet`);
    }
    if (!found.isDirectory()) return failed(name, `${folder} is not a folder`, `mv ${folder} ${folder}.old`);
    if (uid !== undefined && found.uid !== uid)
      return failed(name, `${folder} belongs to user ${found.uid}`, `sudo chown -R "$USER" ${folder}`);
    if ((found.mode & 0o022) !== 0) return failed(name, `other users can write to ${folder}`, `chmod 700 ${folder}`);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((found.mode & 0o055) !== 0) return warning(name, `other users can read ${folder}`, `chmod 700 ${folder}`);
    const { bavail, bsize, type } = statfs(folder);
    if (name !== 'config folder' && isOnNetwork(type)) return warning(name, `${folder} ${ON_NETWORK}`, homeElsewhere());
    const room = `${folder} (${formatBytes(bavail * bsize)} free)`;
    return bavail * bsize < LITTLE_ROOM ? warning(name, room, 'free space on this disk') : ok(name, room);
  } catch (error) {
    const { reason, fix = homeElsewhere() } = accessProblem(folder, error);
    return failed(name, `${folder} cannot be used: ${reason}`, fix);
  }
};

export const checkFolders = (
  { paths }: Pick<CommandContext, 'paths'>,
  dataDir: string,
  statfs: Statfs = statfsSync,
): readonly Finding[] => {
  const uid = process.getuid?.();
  return [
    checkFolder('data folder', dataDir, uid, statfs),
    checkFolder('state folder', paths.stateDir, uid, statfs),
    checkFolder('config folder', paths.configDir, uid, statfs),
  ];
};

/** Tries to listen on a loopback port. Returns the reason if that fails. */
const listenFault = (port: number): Promise<unknown> =>
  new Promise((resolve) => {
    const server = process.getBuiltinModule('node:net').createServer();
    server.once('error', resolve);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });

export const checkPort = async (
  { settings, local }: Pick<CommandContext, 'settings' | 'local'>,
  status: ManageStatus | undefined,
): Promise<Finding> => {
  if (status?.launch !== undefined) return ok('port', `${status.launch.port} is the port of the daemon`);
  const before = await (await local()).lastLaunch();
  const set = settings.origins['daemon.port'].value;
  const wanted = String(set ?? (before?.anyPort ? 'auto' : (before?.port ?? DEFAULT_PORT)));
  if (wanted === 'auto') return ok('port', 'any free port will be used');
  const reason = await listenFault(Number(wanted));
  if (reason === undefined) return ok('port', `${wanted} is free`);
  const holder = systemCode(reason) === 'EADDRINUSE' ? await portHolder(Number(wanted)) : undefined;
  const by = holder === undefined ? messageOf(reason) : `process ${holder.pid} uses it`;
  return failed('port', `cannot listen on ${wanted}: ${by}`, 'actorctl up --port auto');
};

export const checkBrowser = ({ browser }: Pick<CommandContext, 'browser'>): Finding => {
  const absence = browser.absence();
  if (absence === undefined) return ok('browser', 'can be opened');
  return warning('browser', `none is opened: ${absence}`, 'log in without one: actorctl login --terminal');
};

/** The line that sets the time of this machine. */
const SET_TIME =
  process.platform === 'darwin'
    ? 'if that is wrong: sudo sntp -sS time.apple.com'
    : existsSync('/run/systemd/system')
      ? 'if that is wrong: sudo timedatectl set-ntp true'
      : "if that is wrong: sudo date -u -s 'YYYY-MM-DD HH:MM:SS'";

/** The latest time in the data must not be in the future. A virtual clock may be anywhere. */
export const checkClock = (now: number, data: DataCheck): Finding => {
  const { time: latest = 0, virtual: isVirtual = false } = (data.ok ? data.found : undefined) ?? {};
  const date = new Date(now).toISOString();
  if (isVirtual) return ok('clock', `${date}; the instance has a virtual clock`);
  if (now < Date.UTC(2025, 0, 1) || latest > now + 60_000) {
    const since = latest > now ? `, and the data have a time after it (${new Date(latest).toISOString()})` : '';
    return failed('clock', `this machine says ${date}${since}`, SET_TIME);
  }
  return ok('clock', date);
};

export const checkCompletion = ({ user }: Pick<CommandContext, 'user'>): Finding => {
  const shell = shellNameOf(user.loginShell());
  if (shell !== 'bash' && shell !== 'zsh' && shell !== 'fish' && shell !== 'powershell')
    return ok('completion', 'there is none for this shell');
  const file = startFileOf(shell, user);
  try {
    if (existsSync(file) && readFileSync(file, 'utf8').includes('actorctl completion'))
      return ok('completion', `is in ${file}`);
  } catch {
    // An unreadable start-up file counts as a file without completion.
  }
  return warning('completion', `is not in ${file}`, 'actorctl completion install');
};

/**
 * Checks the data. With a running daemon, damage must be found twice: a checkpoint of the daemon may replace files
 * between two reads of one check.
 */
export const checkedData = async (check: () => Promise<DataCheck>, isRunning: boolean): Promise<DataCheck> => {
  const first = await check();
  return first.ok || !isRunning ? first : check();
};

export const checkRecords = (data: DataCheck, isRunning: boolean): Finding => {
  if (!data.ok && data.tooNew)
    return failed('records', data.message, 'install the version of actorctl that wrote them, or a newer one');
  if (!data.ok)
    return failed('records', data.message, 'actorctl snapshot list, then actorctl snapshot restore NAME --replace');
  if (data.found === undefined) return ok('records', 'there are none yet');
  const { records, schemaVersion, tornBytes } = data.found;
  const whole = `${plural(records, 'record')}, all checksums correct (schema ${schemaVersion})`;
  if (tornBytes === 0 || isRunning) return ok('records', whole);
  return warning(
    'records',
    `${whole}; ${tornBytes} bytes of an unconfirmed write at the end`,
    'the next start drops them: actorctl up',
  );
};
