// A container engine of the test's own, which it may stop and start: its folders, socket and bridge are nobody else's.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { probeEngine } from '../../../daemon/executor/engine/discovery.ts';
import { type Requirement, requirement } from '../runner/requirements.ts';

export interface OwnDockerd {
  /** As DOCKER_HOST has it. */
  readonly host: string;
  readonly socketPath: string;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** Resolves when its process is gone. SIGTERM takes its containers down with it; SIGKILL does not. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** While it is stopped: makes it forget all its containers. */
  forgetContainers(): Promise<void>;
  /** Stops it for good and removes everything of it. */
  remove(): Promise<void>;
}

/** Whether this machine lets us run one: it takes Linux, root and the program. */
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

/** What is mounted in a folder, the innermost first: a dockerd that was killed leaves its mounts. */
const mountsBelow = (folder: string): string[] =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mount) => mount.startsWith(`${folder}/`))
    .reverse();

/** Ends the processes that work in a folder, and their children: a dockerd that was killed leaves its containers running. */
const killBelow = (folder: string): void => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`).includes(`${folder}/`) || Number(pid) === process.pid) continue;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
      for (const each of [...children, pid]) process.kill(Number(each), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
};

/** Makes its folders; it does not run before `start`. */
export const ownDockerd = async (): Promise<OwnDockerd> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'actorctl-dockerd-'));
  const socketPath = path.join(folder, 'docker.sock');
  const logFile = path.join(folder, 'dockerd.log');
  let child: ChildProcess | undefined;

  const start = async () => {
    // Left by one that was killed: the next would take whoever has the number now for its containerd.
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
    // In a network namespace of its own: beside another engine a dockerd takes the liberty to delete docker0 when it starts again.
    child = spawn('unshare', ['--net', 'dockerd', ...given], { stdio: ['ignore', log, log] });
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
    forgetContainers: () => rm(path.join(folder, 'data', 'containers'), { recursive: true, force: true }),
    remove: async () => {
      await stop();
      killBelow(folder);
      for (const mount of mountsBelow(folder)) execFileSync('umount', ['-l', mount]);
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
};
