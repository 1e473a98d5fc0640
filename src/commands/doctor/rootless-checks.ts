// Checks what a container engine without root needs from this machine.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { systemCode } from '../../failure.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** The socket of Docker as root, which comes first. */
const ROOT_SOCKET = '/var/run/docker.sock';

/** What was found on this machine. */
export interface RootlessMachine {
  readonly kind: 'podman' | 'docker';
  readonly user: string;
  readonly uid: number;
  /** Texts of `/etc/subuid` and `/etc/subgid`. */
  readonly ranges: readonly [string, string];
  readonly tun: 'usable' | 'missing' | 'closed';
  /** Whether a program is installed. */
  readonly has: (program: string) => boolean;
  readonly isSocketThere: boolean;
  readonly hasSystemd: boolean;
  /** True if the engine keeps running after the user has logged out. */
  readonly lingers: boolean;
}

const hasRange = (text: string, { user, uid }: RootlessMachine): boolean =>
  text.split('\n').some((line) => [user, String(uid)].includes(line.split(':')[0] ?? ''));

const STARTS = {
  podman: ['systemctl --user enable --now podman.socket', 'podman system service --time=0 &'],
  docker: ['systemctl --user enable --now docker', 'dockerd-rootless.sh &'],
} as const;

/** Everything that is missing, each with the line that fixes it. One `ok` if nothing is. */
export const rootlessFindings = (machine: RootlessMachine): readonly Finding[] => {
  const { kind, tun, has, isSocketThere, hasSystemd, lingers } = machine;
  const needsTun = kind === 'docker' || !has('pasta');
  const [bySystemd, byHand] = STARTS[kind];
  const problems: readonly (readonly [boolean, Finding])[] = [
    [
      !has('newuidmap'),
      failed('rootless', 'newuidmap is not installed', 'install the package uidmap (shadow-utils on Fedora and RHEL)'),
    ],
    [
      machine.ranges.some((text) => !hasRange(text, machine)),
      failed(
        'rootless',
        `/etc/subuid or /etc/subgid has no range for ${machine.user}`,
        `sudo usermod --add-subuids 200000-265535 --add-subgids 200000-265535 ${machine.user}${kind === 'podman' ? ' && podman system migrate' : ''}`,
      ),
    ],
    [needsTun && tun === 'missing', failed('rootless', '/dev/net/tun does not exist', 'sudo modprobe tun')],
    [needsTun && tun === 'closed', failed('rootless', 'you may not open /dev/net/tun', 'sudo chmod 666 /dev/net/tun')],
    [
      kind === 'podman' && !has('ip'),
      failed(
        'rootless',
        'the program ip is not installed: actors lose the API when others start',
        'install the package iproute2 (iproute on Fedora and RHEL)',
      ),
    ],
    [!isSocketThere, failed('rootless', `${kind} without root does not listen`, hasSystemd ? bySystemd : byHand)],
    [
      hasSystemd && !lingers,
      warning(
        'rootless',
        'the engine and its actors end when you log out',
        `sudo loginctl enable-linger ${machine.user}`,
      ),
    ],
  ];
  const found = problems.flatMap(([isSo, finding]) => (isSo ? [finding] : []));
  return found.length > 0 ? found : [ok('rootless', `${kind} without root has what it needs`)];
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const tunState = (): RootlessMachine['tun'] => {
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
    return 'usable';
  } catch (error) {
    return systemCode(error) === 'EACCES' ? 'closed' : 'missing';
  }
};

/**
 * Checks the engine without root that this user has or can have. Nothing if the user is root, or if the engine is
 * another one.
 * @param socket path of the engine's socket; undefined if none is known
 */
export const checkRootless = (
  env: Readonly<Record<string, string | undefined>>,
  socket: string | undefined,
): readonly Finding[] => {
  const uid = process.getuid?.();
  const runtimeDir = env['XDG_RUNTIME_DIR'];
  if (process.platform !== 'linux' || uid === undefined || uid === 0 || !runtimeDir) return [];
  const folders = [...(env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  const has = (program: string): boolean => folders.some((folder) => existsSync(path.join(folder, program)));
  const sockets = {
    podman: path.join(runtimeDir, 'podman', 'podman.sock'),
    docker: path.join(runtimeDir, 'docker.sock'),
  };
  const kinds = ['podman', 'docker'] as const;
  const kind =
    socket === undefined && !existsSync(ROOT_SOCKET)
      ? (kinds.find((each) => existsSync(sockets[each])) ?? (has('podman') ? 'podman' : undefined))
      : kinds.find((each) => sockets[each] === socket);
  if (kind === undefined) return [];
  const { username: user } = userInfo();
  return rootlessFindings({
    kind,
    user,
    uid,
    ranges: [textOf('/etc/subuid'), textOf('/etc/subgid')],
    tun: tunState(),
    has,
    isSocketThere: existsSync(sockets[kind]),
    hasSystemd: existsSync('/run/systemd/system'),
    lingers: existsSync(path.join('/var/lib/systemd/linger', user)),
  });
};
