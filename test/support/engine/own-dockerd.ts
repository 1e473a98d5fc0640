// A separate dockerd for tests that stop and start their engine. It has its own folders, socket and bridge.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { INSTANCE_LABEL } from '../../../daemon/executor/docker/labels.ts';
import { probeEngine } from '../../../daemon/executor/engine/discovery.ts';
import { type Requirement, requirement } from '../runner/requirements.ts';
import { unmountBelow } from './unmount.ts';

export interface OwnDockerd {
  /** A value for DOCKER_HOST. */
  readonly host: string;
  readonly socketPath: string;
  /** Resolves when the engine responds. */
  start(): Promise<void>;
  /** Resolves when its process is gone. SIGTERM also ends its containers (without live-restore), SIGKILL does not. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Deletes the containers of an instance from the stopped engine. */
  forgetContainers(instanceId: string): Promise<void>;
  /** Stops the engine and deletes all its data. */
  remove(): Promise<void>;
}

/** Whether this machine can run a separate engine: it needs Linux, root and the program. */
export const ownDockerdRequirement = (): Requirement => {
  const why = 'an engine of our own needs Linux, root, and dockerd and unshare on the path';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return requirement('docker', false, why);
  try {
    execFileSync('dockerd', ['--version'], { stdio: 'ignore' });
    execFileSync('unshare', ['--version'], { stdio: 'ignore' });
    return requirement('docker', true, '');
  } catch {
    return requirement('docker', false, why);
  }
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Kills the processes that use a folder, and their children. A killed dockerd leaves its containers running. */
const killBelow = (folder: string): void => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`).includes(`${folder}/`) || Number(pid) === process.pid) continue;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
      for (const each of [...children, pid]) process.kill(Number(each), 'SIGKILL');
    } catch {
      // The process has ended in the meantime.
    }
  }
};

/** Creates the folders. The engine does not run before `start`. @param flags further flags of dockerd */
export const ownDockerd = async (flags: readonly string[] = []): Promise<OwnDockerd> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'actorctl-dockerd-'));
  const socketPath = path.join(folder, 'docker.sock');
  const logFile = path.join(folder, 'dockerd.log');
  let child: ChildProcess | undefined;

  const start = async () => {
    // Files of a killed dockerd. The next one would mistake another process with the same pid for its containerd.
    await rm(path.join(folder, 'exec', 'containerd', 'containerd.pid'), { force: true });
    await rm(path.join(folder, 'dockerd.pid'), { force: true });
    const log = openSync(logFile, 'a');
    const args = {
      'data-root': path.join(folder, 'data'),
      'exec-root': path.join(folder, 'exec'),
      pidfile: path.join(folder, 'dockerd.pid'),
      host: `unix://${socketPath}`,
      iptables: 'false',
      'ip-forward': 'false',
      'ip-masq': 'false',
    };
    const given = Object.entries(args).map(([name, value]) => `--${name}=${value}`);
    // Uses a separate network namespace, because a dockerd next to another one may delete docker0 at its start.
    child = spawn('unshare', ['--net', 'dockerd', ...given, ...flags], { stdio: ['ignore', log, log] });
    closeSync(log);
    for (;;) {
      try {
        await probeEngine({ kind: 'socket', path: socketPath });
        return;
      } catch (error) {
        if (child.exitCode !== null)
          throw new Error(`dockerd ended: ${await readFile(logFile, 'utf8')}`, { cause: error });
        await sleep(100);
      }
    }
  };

  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await gone;
  };

  return {
    host: `unix://${socketPath}`,
    socketPath,
    start,
    stop,
    forgetContainers: async (instanceId) => {
      const containers = path.join(folder, 'data', 'containers');
      for (const id of await readdir(containers)) {
        const { Config } = JSON.parse(await readFile(path.join(containers, id, 'config.v2.json'), 'utf8'));
        if (Config.Labels[INSTANCE_LABEL] === instanceId) await rm(path.join(containers, id), { recursive: true });
      }
    },
    remove: async () => {
      await stop();
      killBelow(folder);
      unmountBelow(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
};
