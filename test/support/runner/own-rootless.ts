// An engine without root, of a Unix user of its own: needs root, which adds the user and removes it with all that it has.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { unmountBelow } from '../engine/unmount.ts';
import { DOCKERD, type RootlessKind, rootlessService, socketIn } from './rootless-service.ts';

export interface OwnRootless {
  readonly uid: number;
  readonly gid: number;
  /** The variables of the user's processes: HOME, XDG_RUNTIME_DIR, DOCKER_HOST and others. */
  readonly env: Readonly<Record<'HOME' | 'XDG_RUNTIME_DIR' | 'DOCKER_HOST', string>>;
  /** Starts the service and resolves when it responds. */
  start(): Promise<void>;
  /** Ends every process of the user, and removes the user and its files. */
  remove(): Promise<void>;
}

/** The folder on the way to a file that other users may not enter; undefined if there is none. */
const closedFolder = (file: string): string | undefined => {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
};

/** Why this machine cannot run such an engine; undefined if it can. */
export const whyNoRootless = (kind: RootlessKind): string | undefined => {
  const packages = {
    podman: 'podman runc netavark aardvark-dns uidmap slirp4netns iproute2',
    docker: 'docker.io rootlesskit uidmap slirp4netns iproute2',
  }[kind];
  const why = `an engine without root needs Linux, root to add its user, and the packages ${packages}`;
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return why;
  try {
    for (const program of [
      'useradd',
      'newuidmap',
      'slirp4netns',
      'ip',
      ...(kind === 'podman' ? ['podman', 'runc'] : ['rootlesskit']),
    ])
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    if (kind === 'docker') accessSync(DOCKERD, constants.X_OK);
  } catch {
    return why;
  }
  // The tests run as the new user.
  const files = [fileURLToPath(new URL('../../../package.json', import.meta.url)), realpathSync(process.execPath)];
  const closed = files.map(closedFolder).find((folder) => folder !== undefined);
  return (
    closed && `other users may not enter ${closed}, which the tests of engines without root need: chmod o+x ${closed}`
  );
};

/** crun does not work where control groups are mounted in hybrid mode, and systemd may not run. */
const SETTINGS = `[containers]
default_ulimits = ["nofile=1024:4096", "nproc=1024:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

/** A container of a virtual machine may lack the device, or give it to root alone. */
const provideTun = (): void => {
  if (!existsSync('/dev/net/tun')) {
    mkdirSync('/dev/net', { recursive: true });
    execFileSync('mknod', ['/dev/net/tun', 'c', '10', '200']);
  }
  execFileSync('chmod', ['666', '/dev/net/tun']);
};

const idsOf = (name: string): { readonly uid: number; readonly gid: number } => {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const processesOf = (uid: number): readonly number[] => {
  try {
    return execFileSync('ps', ['-o', 'pid=', '-u', String(uid)], { encoding: 'utf8' })
      .split(/\s+/)
      .filter(Boolean)
      .map(Number);
  } catch {
    return []; // ps fails if there is none.
  }
};

/** Adds the user. The engine does not run before `start`. */
export const ownRootless = (kind: RootlessKind): OwnRootless => {
  const name = `actorctl-${randomBytes(4).toString('hex')}`;
  execFileSync('useradd', ['--create-home', '--shell', '/bin/bash', name], { stdio: 'pipe' });
  provideTun();
  const ids = idsOf(name);
  const home = path.join('/home', name);
  const runtimeDir = path.join('/run/user', String(ids.uid));
  const socketPath = socketIn(kind, runtimeDir);
  const settings = path.join(home, '.config', 'containers');
  for (const folder of [runtimeDir, path.dirname(socketPath), path.dirname(settings), settings]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chownSync(folder, ids.uid, ids.gid);
  }
  for (const [file, text] of [
    ['policy.json', '{"default":[{"type":"insecureAcceptAnything"}]}'],
    ['containers.conf', SETTINGS],
  ] as const) {
    writeFileSync(path.join(settings, file), text);
    chownSync(path.join(settings, file), ids.uid, ids.gid);
  }
  const env = {
    HOME: home,
    USER: name,
    LOGNAME: name,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    XDG_RUNTIME_DIR: runtimeDir,
    // The one of root may be closed to others.
    TMPDIR: '/tmp',
    DOCKER_HOST: `unix://${socketPath}`,
  };
  const { start } = rootlessService({ kind, env, ids });

  return {
    ...ids,
    env,
    start,
    remove: async () => {
      for (let left = processesOf(ids.uid); left.length > 0; left = processesOf(ids.uid)) {
        for (const pid of left) {
          try {
            process.kill(pid, 'SIGKILL');
          } catch {
            // It has ended in the meantime.
          }
        }
        await pause(100);
      }
      unmountBelow(runtimeDir);
      unmountBelow(home);
      await rm(runtimeDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
      execFileSync('userdel', ['--remove', name], { stdio: 'pipe' });
    },
  };
};
