// A separate Podman service for the tests of that engine. It has its own folders and socket, and leaves nothing behind.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { probeEngine } from '../../../daemon/executor/engine/discovery.ts';
import { unmountBelow } from './unmount.ts';

export interface OwnPodman {
  /** A value for DOCKER_HOST. */
  readonly host: string;
  /** Ends the service process. Its containers continue to run. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /** Starts the service and resolves when it responds. */
  start(): Promise<void>;
  /** Removes all containers and networks, stops the service and deletes all its data. */
  remove(): Promise<void>;
}

/** Waits until the engine of this process answers at its socket. @throws Error with the log, if the process has ended */
export const untilEngineAnswers = async (child: ChildProcess, socketPath: string, logFile: string): Promise<void> => {
  for (;;) {
    try {
      await probeEngine({ kind: 'socket', path: socketPath });
      return;
    } catch (cause) {
      if (child.exitCode !== null) throw new Error(`the engine ended: ${await readFile(logFile, 'utf8')}`, { cause });
      await pause(100);
    }
  }
};

/** Why this machine cannot run a separate Podman; undefined if it can. */
export const whyNoPodman = (): string | undefined => {
  const why =
    'Podman of our own needs Linux, root, and podman, runc, netavark, aardvark-dns and catatonit (apt-get install podman runc netavark aardvark-dns catatonit)';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return why;
  try {
    for (const program of ['podman', 'runc']) execFileSync(program, ['--version'], { stdio: 'ignore' });
    for (const program of ['netavark', 'aardvark-dns']) accessSync(`/usr/lib/podman/${program}`, constants.X_OK);
    accessSync('/usr/libexec/podman/catatonit', constants.X_OK);
    return undefined;
  } catch {
    return why;
  }
};

/** In memory where possible: Podman syncs its files for every container. */
const parentFolder = (): string => {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
};

/** crun does not work where control groups are mounted in hybrid mode, and systemd may not run. */
const SETTINGS = `[containers]
default_ulimits = ["nofile=1024:4096", "nproc=1024:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

/** How often the removal of the containers is tried. */
const ROUNDS = 20;

/** Creates the folders. The service does not run before `start`. */
export const ownPodman = (): OwnPodman => {
  const folder = mkdtempSync(path.join(parentFolder(), 'actorctl-podman-'));
  const inFolder = (name: string) => path.join(folder, name);
  const socketPath = inFolder('podman.sock');
  mkdirSync(inFolder('.config/containers'), { recursive: true });
  writeFileSync(inFolder('.config/containers/policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}');
  writeFileSync(inFolder('containers.conf'), SETTINGS);
  const env = { ...process.env, HOME: folder, CONTAINERS_CONF: inFolder('containers.conf') };
  const folders = ['--root', inFolder('root'), '--runroot', inFolder('run'), '--tmpdir', inFolder('tmp')];
  const common = [...folders, '--network-config-dir', inFolder('networks')];
  let child: ChildProcess | undefined;

  /** Not every file system of a container can be the upper one of an overlay. */
  const storageDriver = (): string => {
    try {
      execFileSync('podman', [...common, '--storage-driver', 'overlay', 'info'], { env, stdio: 'ignore' });
      return 'overlay';
    } catch {
      return 'vfs';
    }
  };
  let driver: string | undefined;

  const start = async (): Promise<void> => {
    driver ??= storageDriver();
    const log = openSync(inFolder('log'), 'a');
    const service = ['--storage-driver', driver, 'system', 'service', '--time=0', `unix://${socketPath}`];
    // conmon writes a file `oom` into the folder in which Podman was started.
    child = spawn('podman', [...common, ...service], { cwd: folder, env, stdio: ['ignore', log, log] });
    closeSync(log);
    await untilEngineAnswers(child, socketPath, inFolder('log'));
  };

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await gone;
  };

  const empty = async (): Promise<void> => {
    const docker = new Docker({ socketPath, host: '' });
    let refusal: unknown;
    for (let round = 0; round < ROUNDS; round += 1) {
      const all = await docker.listContainers({ all: true });
      if (all.length === 0) return void (await docker.pruneNetworks());
      // A container cannot be removed before those that use its network, or while another call removes it.
      for (const { Id } of all)
        await docker
          .getContainer(Id)
          .remove({ force: true })
          .catch((error: unknown) => {
            refusal = error;
          });
      await pause(100);
    }
    throw new Error('Podman does not remove its containers', { cause: refusal });
  };

  return {
    host: `unix://${socketPath}`,
    start,
    stop,
    remove: async () => {
      if (child !== undefined) await empty();
      await stop('SIGKILL');
      unmountBelow(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
};
