// The service of an engine without root: how it is started, and how it is killed as its service manager would do it.
import { spawn } from 'node:child_process';
import { closeSync, fchownSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { until } from '../daemon/daemon.ts';
import { untilEngineAnswers } from '../engine/own-podman.ts';

export type RootlessKind = 'podman' | 'docker';

export const DOCKERD = '/usr/share/docker.io/contrib/dockerd-rootless.sh';

const COMMAND = {
  podman: (socket: string) => ['podman', 'system', 'service', '--time=0', `unix://${socket}`],
  // The kernel lets no user mount an overlay everywhere.
  docker: () => [DOCKERD, '--storage-driver', 'vfs', '--exec-opt', 'native.cgroupdriver=cgroupfs'],
} as const;

/**
 * Pid files of a killed Docker. A new one would mistake the process that has this id now for a `dockerd` or a
 * `containerd` that runs.
 */
const PID_FILES = ['docker.pid', path.join('docker', 'containerd', 'containerd.pid')];

export const socketIn = (kind: RootlessKind, runtimeDir: string): string =>
  kind === 'podman' ? path.join(runtimeDir, 'podman', 'podman.sock') : path.join(runtimeDir, 'docker.sock');

export interface RootlessService {
  /** Starts the service and resolves when it responds. */
  start(...flags: readonly string[]): Promise<void>;
  /**
   * Sends SIGKILL to all processes that systemd ends with the service, until none is left. Also ends a service that
   * another process has started.
   */
  kill(): Promise<void>;
}

const commandLine = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');

const ownNamespace = (): string => readlinkSync('/proc/self/ns/user');

/**
 * Whether systemd ends the process with the service. The unit of Podman ends its first process alone. The unit of Docker ends
 * its control group. That has all processes in the user namespace of `dockerd`, including containers, and those that made the
 * namespace. A relay is in the control group of the daemon that started it.
 */
const BELONGS = {
  podman: (pid: number) => commandLine(pid).startsWith('podman system service'),
  docker: (pid: number) =>
    !commandLine(pid).includes('actor-relay.cjs') &&
    (readlinkSync(`/proc/${pid}/ns/user`) !== ownNamespace() ||
      ['rootlesskit', 'slirp4netns'].includes(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())),
} as const;

/** Processes of this user. */
const processesOf = (kind: RootlessKind): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        // It exists, is not a zombie, and belongs to this user.
        readlinkSync(`/proc/${pid}/exe`);
        return BELONGS[kind](pid);
      } catch {
        return false;
      }
    });

/** Sends SIGKILL. A process that has ended meanwhile is no error. */
export const sendKill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
};

/**
 * @param inputs.env the variables of the user's processes: HOME, XDG_RUNTIME_DIR and others
 * @param inputs.ids the user, if this process is root
 */
export const rootlessService = (inputs: {
  readonly kind: RootlessKind;
  readonly env: Readonly<Record<'HOME' | 'XDG_RUNTIME_DIR', string>>;
  readonly ids?: { readonly uid: number; readonly gid: number };
}): RootlessService => {
  const { kind, env, ids } = inputs;
  const runtimeDir = env.XDG_RUNTIME_DIR;
  const socketPath = socketIn(kind, runtimeDir);
  const logFile = path.join(env.HOME, 'service.log');

  return {
    start: async (...flags) => {
      for (const file of PID_FILES) rmSync(path.join(runtimeDir, file), { force: true });
      const log = openSync(logFile, 'a');
      if (ids !== undefined) fchownSync(log, ids.uid, ids.gid);
      const [command = '', ...args] = [...COMMAND[kind](socketPath), ...flags];
      const child = spawn(command, args, { ...ids, cwd: env.HOME, env, detached: true, stdio: ['ignore', log, log] });
      closeSync(log);
      await untilEngineAnswers(child, socketPath, logFile);
    },
    kill: () =>
      until(() => {
        for (const pid of processesOf(kind)) sendKill(pid);
        return processesOf(kind).length === 0;
      }),
  };
};
