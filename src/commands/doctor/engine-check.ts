// Checks the container engine: its socket, the rights on it, its version and its disk.
import { accessSync, constants, lstatSync, statfsSync } from 'node:fs';
import http from 'node:http';
import type { CommandContext } from '../../context.ts';
import { messageOf, systemCode } from '../../failure.ts';
import type { ManageStatus } from '../../local/daemon/manage.ts';
import { formatBytes } from '../../ui/format/table.ts';
import { type Finding, failed, ok, warning } from './finding.ts';
import { checkReach } from './reach-check.ts';
import { checkRootless } from './rootless-checks.ts';

const SOCKET = '/var/run/docker.sock';
/** Podman runs several programs to report its version, which takes seconds on a busy machine. */
const LIMIT_MS = 15_000;
const LITTLE_ROOM = 2_000_000_000;

const ask = (socketPath: string, path: string): Promise<Readonly<Record<string, unknown>>> =>
  new Promise((resolve, reject) => {
    const request = http.get({ socketPath, path, agent: false, timeout: LIMIT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.once('end', () => {
        try {
          resolve(JSON.parse(text) as Record<string, unknown>);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    request.once('timeout', () => request.destroy(new Error(`it does not respond within ${LIMIT_MS / 1000} s`)));
    request.once('error', reject);
  });

/** Podman names its platform, like `linux/amd64/debian-12`, where Docker names its edition. */
const nameIn = (version: Readonly<Record<string, unknown>>): unknown => {
  const { Platform: platform, Components: components } = version as {
    readonly Platform?: { readonly Name?: unknown };
    readonly Components?: readonly { readonly Name?: unknown }[];
  };
  return /podman/i.test(String(components?.[0]?.Name)) ? 'Podman' : platform?.Name || 'Docker';
};

/** The path of the engine's socket; undefined for an engine that is not reached through a socket. */
const socketOf = (address: string | undefined) => {
  if (address === undefined) return SOCKET;
  return /^unix:\/\//.test(address) ? address.replace(/^unix:\/\//, '') : undefined;
};

const NONE = 'install Docker or Podman, or name one: actorctl up --docker-host URI. file: actors need none';

const checkDisk = (info: Readonly<Record<string, unknown>>): Finding => {
  const root = String(info['DockerRootDir'] ?? '');
  try {
    const { bavail, bsize } = statfsSync(root);
    const room = `${formatBytes(bavail * bsize)} free in ${root}`;
    return bavail * bsize < LITTLE_ROOM
      ? warning('engine disk', room, 'docker system prune, or free space on that disk')
      : ok('engine disk', room);
  } catch {
    // The engine runs in a virtual machine, or its folder is accessible only to root.
    return ok('engine disk', `cannot be seen from here (${root})`);
  }
};

const checkSocket = async (
  { local, settings }: Pick<CommandContext, 'local' | 'settings'>,
  engine: ManageStatus['engines'][number] | undefined,
): Promise<readonly Finding[]> => {
  const set = settings.origins['docker.host'].value ?? (await (await local()).lastLaunch())?.dockerHost;
  const socket = socketOf(engine?.endpoint ?? (typeof set === 'string' && set !== 'auto' ? set : undefined));
  const seen = engine?.available === true;
  if (socket === undefined) {
    if (engine === undefined) return [ok('engine', 'is not on this machine; only a running daemon can check it')];
    return [seen ? ok('engine', engine.detail ?? 'answers') : failed('engine', engine.detail ?? 'is away', NONE)];
  }
  try {
    if (lstatSync(socket, { throwIfNoEntry: false }) === undefined) {
      return seen
        ? [ok('engine', engine.detail ?? 'answers')]
        : [warning('engine', `there is no container engine at ${socket}`, NONE)];
    }
    accessSync(socket, constants.R_OK | constants.W_OK);
    const version = await ask(socket, '/version');
    const words = [nameIn(version), version['Version'], `API ${String(version['ApiVersion'] ?? 'unknown')}`].filter(
      Boolean,
    );
    return [ok('engine', `${words.join(' ')} at ${socket}`), checkDisk(await ask(socket, '/info'))];
  } catch (error) {
    if (systemCode(error) === 'EACCES')
      return [failed('engine', `you may not use ${socket}`, 'sudo usermod -aG docker "$USER", then log in again')];
    const fix = /podman/.test(socket)
      ? `restart it: systemctl ${process.getuid?.() === 0 ? '' : '--user '}restart podman.socket`
      : 'start the container engine: systemctl start docker, or start its desktop application';
    return [failed('engine', `${socket} does not respond: ${messageOf(error)}`, fix)];
  }
};

/** Checks the engine, and finds out what actors lack on it. */
export const checkEngine = async (
  context: Pick<CommandContext, 'local' | 'manage' | 'settings' | 'user'>,
  status: ManageStatus | undefined,
): Promise<readonly Finding[]> => {
  const engine = status?.engines.find(({ name }) => name !== 'process');
  const { env } = context.user;
  const socket = (engine?.endpoint || env['DOCKER_HOST'] || undefined)?.replace(/^unix:\/\//, '');
  return [
    ...(await checkSocket(context, engine)),
    ...checkRootless(env, socket),
    ...(engine?.available ? await checkReach(context, engine) : []),
  ];
};
