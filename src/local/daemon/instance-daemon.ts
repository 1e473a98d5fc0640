// The daemon of one instance: looked for, started once however many ask, asked and run in the foreground.
import { spawn } from 'node:child_process';
import { CliFailure, messageOf } from '../../failure.ts';
import { withLock } from '../lock.ts';
import type { Paths } from '../paths.ts';
import type { Settings } from '../settings.ts';
import { childEnv, type Ready, startDaemon } from './daemon-process.ts';
import { createImageAccess, type ImageAccess } from './image-client.ts';
import { type DaemonState, locate, wordCrash } from './locator.ts';
import { createManage, type Manage, type ManageStatus } from './management-client.ts';

/** A daemon that answers. */
export interface Started {
  /** Absent when it was running already. */
  readonly ready?: Ready;
  readonly status: ManageStatus;
}

/** The daemon of this instance, as a process of this machine. */
export interface Local {
  /** Looks whether it runs; removes the files of one that has crashed. */
  readonly locate: () => Promise<DaemonState>;
  readonly manage: Manage;
  readonly images: ImageAccess;
  /**
   * Starts it and waits until it is ready; of several at once one starts it, the others find it running.
   * @param args arguments of `actorctld` beside the instance
   * @param waitMs longest wait
   * @throws CliFailure PORT_IN_USE, DAEMON_UNHEALTHY, CANCELLED
   */
  readonly start: (args: readonly string[], waitMs: number) => Promise<Started>;
  /** Runs it in the foreground until it ends, and answers its exit code. */
  readonly runInForeground: (args: readonly string[]) => Promise<number>;
}

export interface LocalInput {
  readonly paths: Paths;
  readonly settings: Pick<Settings, 'instance' | 'daemon' | 'dockerHost'>;
  /** Program and leading arguments of the daemon. */
  readonly daemon: { readonly file: string; readonly args: readonly string[] };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Settings stand before the arguments of a command, which therefore outrank them. */
const settled = ({ instance, daemon, dockerHost }: LocalInput['settings']): readonly string[] => [
  '--instance',
  instance,
  ...(daemon.port === undefined ? [] : ['--port', daemon.port]),
  ...(daemon.bind === undefined ? [] : ['--bind', daemon.bind]),
  ...(dockerHost === undefined ? [] : ['--docker-host', dockerHost]),
];

/** How long a daemon that holds the data folder and does not answer gets to do so, or to go. */
const HELD_MS = 5_000;
const LOOK_MS = 200;

const isHeld = (error: unknown, instance: string): boolean =>
  error instanceof CliFailure &&
  error.extras.details?.['reason'] === 'LOCKED' &&
  error.extras.details['instance'] === instance;

/** Makes the access to the daemon of an instance. */
export const createLocal = ({ paths, settings, daemon, env, signal }: LocalInput): Local => {
  const manage = createManage(paths.socket);
  const arguments_ = (args: readonly string[]): readonly string[] => [...settled(settings), ...args];

  const startOnce = async (args: readonly string[], waitMs: number): Promise<Started> => {
    // Looked at again under the lock: whoever held it before may have started the daemon.
    const found = await locate(paths);
    if (found.state === 'running') return { status: found.status };
    if (found.state === 'unhealthy' && found.status) {
      throw new CliFailure(
        'DAEMON_UNHEALTHY',
        `the daemon (process ${found.status.pid}) is not well: ${found.reason}`,
        {
          hint: 'actorctl daemon restart',
        },
      );
    }
    const ready = await startDaemon({ daemon, args: arguments_(args), paths, env, waitMs, signal });
    const cleaned = found.state === 'crashed' ? wordCrash(found) : undefined;
    const stale = [cleaned, ready.stale].filter((part) => part !== undefined).join('; ');
    return { ready: { ...ready, ...(stale !== '' && { stale }) }, status: await manage.status() };
  };

  /** An `up` or a `down` that was cut short leaves a daemon that still starts or still stops: that is waited for, not complained about. */
  const startOrJoin = async (args: readonly string[], waitMs: number): Promise<Started> => {
    const deadline = performance.now() + Math.min(waitMs, HELD_MS);
    for (;;) {
      try {
        return await startOnce(args, waitMs);
      } catch (error) {
        if (!isHeld(error, settings.instance) || signal.aborted || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    }
  };

  return {
    locate: () => locate(paths),
    manage,
    images: createImageAccess(paths.socket, signal),
    start: (args, waitMs) =>
      withLock(paths.startLock, () => startOrJoin(args, waitMs), { patienceMs: waitMs + 5_000, signal }),
    runInForeground: (args) =>
      new Promise((resolve, reject) => {
        const child = spawn(daemon.file, [...daemon.args, ...arguments_(args), '--log-stderr'], {
          stdio: 'inherit',
          env: childEnv(env, 'foreground'),
        });
        // The terminal signals the whole group; a signal to us alone is passed on.
        signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
        child.once('error', (error) =>
          reject(
            new CliFailure('DAEMON_UNHEALTHY', `the daemon cannot be started: ${messageOf(error)}`, { cause: error }),
          ),
        );
        child.once('close', (code) => resolve(code ?? 1));
      }),
  };
};
