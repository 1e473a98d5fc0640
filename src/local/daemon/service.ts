// The daemon of an instance as a service of the user: a unit of systemd, or an agent of launchd on macOS.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, readFile, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';
import { CliFailure, fileFailure, messageOf, systemCode, usage } from '../../failure.ts';
import { removeFile, replaceFile } from '../atomic-file.ts';
import { shortDigest } from '../credentials/crypto.ts';
import { makeFolders } from '../folders/make-folders.ts';
import type { Paths } from '../paths.ts';
import { shellWord } from '../single-quoted.ts';
import { commandLineOf, launchdPlist, SERVICE_VARIABLE, type ServiceSpec, systemdUnit } from './service-text.ts';
import { startRows } from './start-options.ts';

export interface ServiceState {
  readonly name: string;
  readonly file: string;
  readonly installed: boolean;
  /** True if the service starts when the user logs in. */
  readonly enabled: boolean;
  /** Set if the service cannot start, because Node or actorctl was moved after the installation. */
  readonly broken: { readonly missing: string; readonly fix: string } | null;
}

export const formatBroken = (name: string, { missing }: NonNullable<ServiceState['broken']>): string =>
  `the service ${name} cannot start: ${missing} no longer exists`;

export interface Uninstalled {
  readonly removed: boolean;
  /** Why the service manager did not stop the service. Also set if the service did not run. */
  readonly failed?: string;
}

export type Service = ReturnType<typeof createService>;

export interface ServiceInput {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
  readonly paths: Paths;
  readonly program: { readonly file: string; readonly args: readonly string[] };
}

const START_VARIABLES = new Set(startRows.map(([, { variable }]) => variable));

/** Variables that the service copies from the shell in addition to those of the start options. None holds a secret. */
const KEPT = new RegExp(
  `^(?:${[
    'PATH|XDG_(?:DATA|STATE|CONFIG)_HOME|XDG_RUNTIME_DIR|DOCKER_(?:CONTEXT|CONFIG|TLS_VERIFY|CERT_PATH)',
    'ACTORCTL_(?:HOME|LOG_LEVEL|CONFIG_KEY_FILE|WEBHOOK_PRIVATE)',
    'ACTORCTL_(?:MAX_WORKERS|MAX_RUN_TIME|MEMORY_MB|DISK_MB|PIDS|MESSAGE_LIMIT|MAILBOX_MB|STATE_LIMIT)',
    'ACTORCTL_(?:QUOTA_[A-Z]+|EVENTS_[A-Z]+|EXECUTIONS_KEPT|EXECUTIONS_KEPT_PER_ACTOR)',
  ].join('|')})$`,
);

const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  );

export const createService = ({ platform, env, home, uid, paths, program }: ServiceInput) => {
  const isMac = platform === 'darwin';
  // Instances with different home folders must not share a service.
  const own = env['ACTORCTL_HOME'] ? `-${shortDigest(env['ACTORCTL_HOME'], 8)}` : '';
  const label = `actorctl-${paths.instance}${own}`;
  const name = isMac ? label : `${label}.service`;
  const config = env['XDG_CONFIG_HOME'];
  const units = path.join(config && path.isAbsolute(config) ? config : path.join(home, '.config'), 'systemd', 'user');
  const file = isMac ? path.join(home, 'Library', 'LaunchAgents', `${name}.plist`) : path.join(units, name);
  // The link that `systemctl --user enable` would make. It works without a running manager.
  const link = path.join(units, 'default.target.wants', name);

  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) =>
      value && (KEPT.test(key) || START_VARIABLES.has(key)) ? [[key, value] as const] : [],
    ),
  );

  const run = (command: string, args: readonly string[]) =>
    new Promise<{ readonly out: string; readonly failed?: string; readonly isMissing: boolean }>((resolve) => {
      execFile(command, [...args], { env, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({
          out: stdout.trim(),
          ...(error !== null && { failed: stderr.trim() || messageOf(error) }),
          isMissing: systemCode(error) === 'ENOENT',
        }),
      );
    });
  const call = async (command: string, args: readonly string[]) => (await run(command, args)).failed;
  const systemctl = (...args: readonly string[]) => call('systemctl', ['--user', ...args]);
  const launchctl = (...args: readonly string[]) => call('launchctl', args);

  const specOf = (args: readonly string[]): ServiceSpec => ({
    name,
    description: `actorctl daemon (instance ${paths.instance})`,
    program: program.file,
    args: [...program.args, 'daemon', 'run', '--log-file', '--instance', paths.instance, ...args],
    variables: { ...variables, [SERVICE_VARIABLE]: name },
    errors: paths.daemonErrors,
  });

  const state = async (): Promise<ServiceState> => {
    const installed = await isThere(file);
    const enabled = installed && (isMac || (await isThere(link)));
    const words = installed ? commandLineOf((await textOf(file)) ?? '') : [];
    const missing = words.slice(0, words.indexOf('daemon')).find((word) => path.isAbsolute(word) && !existsSync(word));
    const flags = words.slice(words.indexOf('--instance') + 2).map(shellWord);
    const fix = ['actorctl daemon install', ...flags].join(' ');
    return { name, file, installed, enabled, broken: missing === undefined ? null : { missing, fix } };
  };

  /** Why no service manager of this machine would start the service. */
  const managerFault = async (): Promise<string | undefined> => {
    if (isMac) return undefined;
    if (platform !== 'linux') return `actorctl knows no service manager of ${platform}`;
    const { out, isMissing } = await run('systemctl', ['is-system-running']);
    if (isMissing) return 'this machine has no systemd';
    return out === 'offline' ? 'systemd does not run this machine (it is not process 1)' : undefined;
  };

  const textFor = (args: readonly string[]): string => (isMac ? launchdPlist : systemdUnit)(specOf(args));
  const differs = async (args: readonly string[]): Promise<boolean> => {
    const fault = await managerFault();
    if (fault !== undefined) {
      throw usage(
        `cannot install the service: ${fault}`,
        'to start it without a service: actorctl up. In a container: actorctl daemon run',
      );
    }
    return !(await state()).enabled || (await textOf(file)) !== textFor(args);
  };

  // The daemon writes to stderr why it cannot start: into the journal of systemd, or into a file with launchd.
  const logsCommand = isMac ? `cat ${paths.daemonErrors}` : `journalctl --user -u ${name}`;

  return {
    state,
    /** The command that shows why the daemon of the service cannot start. */
    logsCommand: (): Promise<string> => Promise.resolve(logsCommand),
    /** Names of the variables that the service copies from this environment. */
    kept: (): Promise<readonly string[]> => Promise.resolve(Object.keys(variables)),
    /** True if `install` with these arguments would change something. @throws CliFailure USAGE as `install` */
    differs,
    /**
     * Installs the service. Returns false if it was already installed like this. @param args arguments of `daemon run`
     */
    install: async (args: readonly string[]): Promise<boolean> => {
      if (!(await differs(args))) return false;
      const text = textFor(args);
      try {
        await makeFolders(path.dirname(isMac ? file : link), 0o777);
        await replaceFile(file, (append) => append(text));
        if (!isMac && (await readlink(link).catch(() => undefined)) !== file) {
          await removeFile(link);
          await symlink(file, link);
        }
      } catch (error) {
        throw fileFailure('cannot write', file, error);
      }
      return true;
    },
    /** Stops and removes the service. The files are removed even if the service manager does not stop it. */
    uninstall: async (): Promise<Uninstalled> => {
      if (!(await isThere(file)) && (isMac || !(await isThere(link)))) return { removed: false };
      // Errors are ignored if the service does not run or the service manager does not respond.
      const failed = await (isMac ? launchctl('bootout', `gui/${uid}/${name}`) : systemctl('stop', name));
      if (!isMac) await removeFile(link);
      await removeFile(file);
      if (!isMac) {
        await systemctl('daemon-reload');
        await systemctl('reset-failed', name);
      }
      return { removed: true, ...(failed !== undefined && { failed }) };
    },
    /** Makes the service manager reload its files. Returns the reason of a failure, or undefined. */
    reload: (): Promise<string | undefined> => (isMac ? Promise.resolve(undefined) : systemctl('daemon-reload')),
    /**
     * Makes the service manager start the service. Does not wait for the daemon. @throws CliFailure
     * DAEMON_UNHEALTHY
     */
    start: async (): Promise<void> => {
      const failed = await (isMac ? launchctl('bootstrap', `gui/${uid}`, file) : systemctl('start', name));
      if (failed !== undefined) {
        throw new CliFailure('DAEMON_UNHEALTHY', `cannot start the service ${name}: ${failed}`, {
          hint: isMac ? 'actorctl daemon logs -n 50' : logsCommand,
        });
      }
    },
  };
};
