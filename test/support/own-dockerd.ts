// A container engine of the test's own, which it may stop and start: its folders, socket and bridge are nobody else's.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dial } from '../../daemon/executor/endpoint.ts';
import { type Requirement, requirement } from './requirements.ts';

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
  const why = 'an engine of our own needs Linux, root, and dockerd and ip on the path';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return requirement('docker', false, why);
  try {
    execFileSync('dockerd', ['--version'], { stdio: 'ignore' });
    execFileSync('ip', ['-V'], { stdio: 'ignore' });
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
  /** By it the bridges are known that it leaves in the kernel. */
  const subnet = `10.${200 + (process.pid % 50)}.${randomInt(250)}`;
  const bridges = new RegExp(`(?<= )br-[0-9a-f]+(?= +inet ${subnet.replaceAll('.', '\\.')}\\.)`, 'g');
  // Its default bridge: with `--bridge=none` a dockerd deletes docker0, which is the bridge of the machine's own engine.
  const bridge = `actorctl${randomInt(1_000_000)}`;
  execFileSync('ip', ['link', 'add', bridge, 'type', 'bridge']);
  execFileSync('ip', ['address', 'add', `${subnet}.129/28`, 'dev', bridge]);
  execFileSync('ip', ['link', 'set', bridge, 'up']);
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
      bridge,
      iptables: 'false',
      'ip-forward': 'false',
      'ip-masq': 'false',
      'default-address-pool': `base=${subnet}.0/25,size=28`,
    };
    const given = Object.entries(args).map(([name, value]) => `--${name}=${value}`);
    child = spawn('dockerd', given, { stdio: ['ignore', log, log] });
    closeSync(log);
    for (;;) {
      try {
        await dial({ kind: 'socket', path: socketPath });
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
      for (const [name] of execFileSync('ip', ['-o', '-4', 'address']).toString().matchAll(bridges))
        execFileSync('ip', ['link', 'delete', name]);
      execFileSync('ip', ['link', 'delete', bridge]);
      killBelow(folder);
      for (const mount of mountsBelow(folder)) execFileSync('umount', ['-l', mount]);
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
};
