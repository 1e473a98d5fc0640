// The daemon of one instance: find it, start it (only one start at a time), run it in the foreground.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { CliFailure, messageOf } from '../../failure.ts';
import { withLock } from '../lock/with-lock.ts';
import type { Paths } from '../paths.ts';
import type { Settings } from '../settings/settings.ts';
import type { DataCheck } from './check-data.ts';
import { childEnv, type Ready, startDaemon } from './daemon-process.ts';
import {
  droppedSince,
  type Launch,
  type LaunchFlags,
  launchArguments,
  nextLaunch,
  readLaunch,
  type StartSources,
  sameLaunch,
} from './launch.ts';
import { type LeftBehind, readLeftBehind } from './left-behind.ts';
import { type DaemonState, formatCrash, locate } from './locator.ts';
import { type Manage, type ManageStatus, statusOf } from './manage.ts';

export interface Started {
  /** Absent if the daemon was already running. */
  readonly ready?: Ready;
  readonly status: ManageStatus;
  /** Notes about options that the last start used and this start does not. */
  readonly dropped: readonly string[];
}

export type Local = ReturnType<typeof createLocal>;

export interface LocalInput {
  readonly paths: Paths;
  readonly manage: Manage;
  readonly settings: Pick<Settings, 'instance' | 'origins'>;
  readonly daemon: { readonly file: string; readonly args: readonly string[] };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** First and longest pause (ms) between two attempts to start while another daemon holds the data folder. */
const PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_600;
const HALT_START_MS = 30_000;

/**
 * True if a start failed because another daemon of the instance is starting or stopping. A daemon of another home may
 * have the same instance name, but not the same state folder.
 */
const isHeld = (error: unknown, { stateDir }: Paths): boolean =>
  error instanceof CliFailure &&
  error.extras.details?.['reason'] === 'LOCKED' &&
  error.extras.details['state_dir'] === realpathSync(stateDir);

const heldFailure = (pid: number, what: 'starting' | 'stopping', { stateDir }: Paths): CliFailure =>
  new CliFailure('DAEMON_UNHEALTHY', `the daemon (process ${pid}) is still ${what}`, {
    hint: 'actorctl status',
    details: { reason: 'LOCKED', pid, state_dir: realpathSync(stateDir) },
  });

const endedFailure = (pid: number, cause: unknown): CliFailure =>
  new CliFailure('DAEMON_UNHEALTHY', `the daemon (process ${pid}) started, but no longer responds`, {
    hint: 'actorctl daemon logs -n 20',
    details: { reason: 'STARTED', pid },
    cause,
  });

/** True if the daemon became ready and failed afterwards, so that its data folder may contain data. */
export const hasStarted = (error: unknown): boolean =>
  error instanceof CliFailure && error.extras.details?.['reason'] === 'STARTED';

export const createLocal = ({ paths, manage, settings, daemon, env, signal }: LocalInput) => {
  const lastLaunch = () => readLaunch(paths.launchFile);
  const sources: StartSources = { origins: settings.origins, env };
  const argumentsOf = (flags: LaunchFlags, before: Launch | undefined): readonly string[] => [
    '--instance',
    settings.instance,
    ...launchArguments(nextLaunch(flags, sources, before)),
  ];

  type OnProgress = ((part: number) => void) | undefined;
  const startOnce = async (flags: LaunchFlags, waitMs: number, onProgress: OnProgress): Promise<Started> => {
    // Checked again under the lock: the previous holder of the lock may have started the daemon.
    const found = await locate(paths, manage);
    if (found.state === 'running') return { status: found.status, dropped: [] };
    if (found.state === 'unhealthy' && found.status) {
      throw new CliFailure(
        'DAEMON_UNHEALTHY',
        `the daemon (process ${found.status.pid}) is unhealthy: ${found.reason}`,
        {
          hint: 'actorctl daemon restart',
        },
      );
    }
    if (found.state === 'starting' && 'pid' in found) throw heldFailure(found.pid, 'starting', paths);
    if (found.state === 'stopping') throw heldFailure(found.status.pid, 'stopping', paths);
    const before = await lastLaunch();
    const ready = await startDaemon({
      daemon,
      args: argumentsOf(flags, before),
      paths,
      env,
      waitMs,
      signal,
      ...(onProgress && { onProgress }),
    });
    const cleaned = found.state === 'crashed' ? formatCrash(found) : undefined;
    const stale = [cleaned, ready.stale].filter((part) => part !== undefined).join('; ');
    const status = await statusOf(manage).catch((cause: unknown) => {
      throw endedFailure(ready.pid, cause);
    });
    return {
      ready: { ...ready, ...(stale !== '' && { stale }) },
      status,
      dropped:
        before && status.launch ? droppedSince(before, status.launch, nextLaunch(flags, sources, undefined), env) : [],
    };
  };

  /**
   * An interrupted `up` or `down` leaves a daemon that is still starting or stopping. The command waits for that
   * daemon instead of failing, as long as it would wait for its own start: a stop takes up to 40 s, and a start is
   * slow on a busy machine.
   */
  const startOrJoin = async (flags: LaunchFlags, waitMs: number, onProgress: OnProgress): Promise<Started> => {
    const deadline = performance.now() + waitMs;
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await startOnce(flags, waitMs, onProgress);
      } catch (error) {
        if (!isHeld(error, paths) || performance.now() > deadline) throw error;
        await elapse(pause, undefined, { signal }).catch(() => {
          throw new CliFailure('CANCELLED', 'interrupted', { cause: error });
        });
      }
    }
  };

  const haltLeft = async (): Promise<number | undefined> => {
    const before = await lastLaunch();
    const left = await readLeftBehind(paths.leftFile);
    const dataDir = left?.data_dir ?? before?.dataDir ?? paths.dataDir;
    // A killed daemon leaves its lock behind, and may leave running executions.
    if (left === undefined && !existsSync(path.join(dataDir, 'lock'))) return undefined;
    const quiet: LaunchFlags = {
      port: 'auto',
      bind: '127.0.0.1',
      publicUrl: 'auto',
      legacy: false,
      dataDir,
      dockerHost: env['DOCKER_HOST'] ? undefined : left?.docker_host,
    };
    const args = [...argumentsOf(before ? sameLaunch(before, quiet) : quiet, undefined), '--halt-only'];
    return (await startDaemon({ daemon, args, paths, env, waitMs: HALT_START_MS, signal })).pid;
  };

  return {
    /** Finds out whether the daemon runs. Removes the files of a daemon that has crashed. */
    locate: (): Promise<DaemonState> => locate(paths, manage),
    checkData: async (dataDir: string): Promise<DataCheck> =>
      (await import('./check-data.ts')).checkData(daemon, dataDir, childEnv(env)),
    /** The start options of the last daemon that was not ephemeral. */
    lastLaunch,
    leftBehind: (): Promise<LeftBehind | undefined> => readLeftBehind(paths.leftFile),
    /**
     * Starts a daemon that halts the executions that earlier daemons left running, and then ends. Returns its process
     * id, or undefined if the last daemon left none and stopped in order. Call it only if no daemon runs.
     */
    haltLeft: (): Promise<number | undefined> => withLock(paths.startLock, haltLeft, { waitMs: HALT_START_MS, signal }),
    /**
     * Starts the daemon and waits until it is ready. Of several concurrent callers, one starts the daemon and the
     * others find it running. Without a flag, variable or setting, port and engine are those of the last start; other
     * options have their defaults.
     * @param waitMs longest wait; during an import, the wait restarts with each progress message
     * @throws CliFailure PORT_IN_USE, DAEMON_UNHEALTHY, CANCELLED; VALIDATION, ALREADY_EXISTS, IN_USE for an import
     */
    start: (flags: LaunchFlags, waitMs: number, onProgress?: (part: number) => void): Promise<Started> =>
      withLock(paths.startLock, () => startOrJoin(flags, waitMs, onProgress), {
        waitMs: waitMs + 5_000,
        signal,
      }),
    runInForeground: async (
      flags: LaunchFlags,
      { logToFile }: { readonly logToFile: boolean } = { logToFile: false },
    ): Promise<number> => {
      const args = argumentsOf(flags, await lastLaunch());
      return new Promise((resolve, reject) => {
        const child = spawn(daemon.file, [...daemon.args, ...args, ...(logToFile ? [] : ['--log-stderr'])], {
          stdio: 'inherit',
          env: childEnv(env),
        });
        // The terminal signals the whole process group. A signal to this process alone is forwarded.
        signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
        child.once('error', (error) =>
          reject(new CliFailure('DAEMON_UNHEALTHY', `cannot start the daemon: ${messageOf(error)}`, { cause: error })),
        );
        child.once('close', (code) => resolve(code ?? 1));
      });
    },
  };
};
