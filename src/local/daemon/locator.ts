// Finds out whether the daemon of an instance runs, from its process, its socket and its health, never from a file
// alone.
import { type BigIntStats, lstatSync, unlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import * as z from 'zod/mini';
import { CliFailure, systemCode } from '../../failure.ts';
import { livingOwner } from '../lock/lock-file.ts';
import { readOwnJson } from '../own-place.ts';
import type { Paths } from '../paths.ts';
import { isAlive, machineId } from '../process-identity.ts';
import { localOrigin } from './listen-address.ts';
import { type Manage, type ManageStatus, statusOf } from './manage.ts';

/**
 * Schema of the file that the daemon writes when it is ready. `machine` is absent if the daemon has an older
 * version.
 */
const daemonFile = z.object({ pid: z.number(), baseUrl: z.string(), machine: z.optional(z.string()) });

export type DaemonState =
  | { readonly state: 'running'; readonly status: ManageStatus }
  /** A command is starting the daemon at this moment. */
  | { readonly state: 'starting'; readonly starter: number }
  /** The daemon is starting, and the command that started it has ended. */
  | { readonly state: 'starting'; readonly pid: number }
  /** The daemon was asked to stop and still has work to finish. */
  | { readonly state: 'stopping'; readonly status: ManageStatus }
  /** `elsewhere`: process id of a daemon that ran on another machine, or before this one was started. */
  | { readonly state: 'stopped'; readonly elsewhere?: number }
  /** The daemon has ended and left files behind, which were removed. */
  | { readonly state: 'crashed'; readonly pid: number; readonly cleaned: readonly string[] }
  /** A process or socket exists but does not respond correctly. */
  | { readonly state: 'unhealthy'; readonly reason: string; readonly pid?: number; readonly status?: ManageStatus };

export const formatCrash = ({ pid, cleaned }: Extract<DaemonState, { readonly state: 'crashed' }>): string =>
  `the daemon${pid > 0 ? ` (process ${pid})` : ''} had crashed${cleaned.length > 0 ? `; removed ${cleaned.join(', ')}` : ''}`;

export const formatElsewhere = (pid: number): string =>
  `the last daemon of this home (process ${pid}) ran on another machine, or before this machine was restarted; actorctl up checks whether it still runs`;

const textOf = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR' || systemCode(error) === 'ESRCH')
      return undefined;
    throw error;
  }
};

type Written = z.output<typeof daemonFile> | undefined;

/**
 * Reads `daemon.json`. An incomplete file counts as missing, because only the socket shows whether the daemon runs.
 * @throws CliFailure USAGE if another user could have written the file
 */
const written = (file: string): Written => daemonFile.safeParse(readOwnJson(file)).data;

/**
 * True if the daemon runs, or ran, on another machine that shares this home folder. Its socket does not work from
 * here.
 */
const isElsewhere = (file: Written): boolean => {
  if (!file?.machine) return false;
  const here = machineId();
  return here !== '' && file.machine !== here;
};

/** True if the process is a daemon. The system reuses process ids, so on Linux the command line is checked too. */
const isDaemon = async (pid: number): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  const commandLine = await textOf(`/proc/${pid}/cmdline`);
  return commandLine === undefined ? process.platform !== 'linux' : commandLine.includes('actorctld');
};

/** True if the service responds and belongs to this instance. */
const isHealthy = (baseUrl: string, instance: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = http.get(new URL('/healthz', baseUrl), { agent: false, timeout: 3_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > 65_536) request.destroy();
      });
      response.once('error', () => resolve(false));
      response.once('end', () => resolve(response.statusCode === 200 && text.includes(JSON.stringify(instance))));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
    request.once('close', () => resolve(false));
  });

type Found = BigIntStats | undefined;

const fileAt = (file: string): Found => {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    // An error here is ignored: the state of the daemon is known, and the file is just not removed.
    return undefined;
  }
};

/** True if both are the same file. The system reuses inode numbers, so the time of the last change is compared too. */
const isSame = (one: BigIntStats, other: BigIntStats): boolean =>
  one.dev === other.dev && one.ino === other.ino && one.ctimeNs === other.ctimeNs;

interface Before {
  /** The process id of a daemon that is not ready. */
  readonly starting: number | undefined;
  readonly daemonFile: Found;
  readonly socket: Found;
}

/** Removes a file, unless it was replaced since `before`. A daemon that starts at the same time replaces its files. */
const remove = (file: string, before: Found): boolean => {
  const now = fileAt(file);
  if (before === undefined || now === undefined || !isSame(before, now)) return false;
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
};

/**
 * Removes the socket, but only after a connection to that same socket has failed. @see docs/conformance/security.md
 * R143
 */
const clean = ({ daemonFile: file, socket }: Paths, before: Before): readonly string[] => {
  const cleaned: string[] = [];
  if (before.daemonFile?.isFile() && remove(file, before.daemonFile)) cleaned.push(file);
  if (before.socket?.isSocket() && remove(socket, before.socket)) cleaned.push(socket);
  return cleaned;
};

const withoutSocket = async (paths: Paths, before: Before, elsewhere: boolean): Promise<DaemonState> => {
  const starter = (await livingOwner(paths.startLock))?.pid;
  if (starter !== undefined && starter !== process.pid) return { state: 'starting', starter };
  if (before.starting !== undefined) return { state: 'starting', pid: before.starting };
  const file = written(paths.daemonFile);
  if (file && elsewhere) return { state: 'stopped', elsewhere: file.pid };
  if (file && (await isDaemon(file.pid))) {
    return {
      state: 'unhealthy',
      pid: file.pid,
      reason: `process ${file.pid} runs but its management socket is missing`,
    };
  }
  const cleaned = clean(paths, before);
  return file || cleaned.length > 0 ? { state: 'crashed', pid: file?.pid ?? 0, cleaned } : { state: 'stopped' };
};

/**
 * Finds out whether the daemon of an instance runs. Removes the files of a daemon that has crashed.
 * @throws CliFailure USAGE if another user could have made the state folder, the socket or `daemon.json`
 */
export const locate = async (paths: Paths, manage: Manage): Promise<DaemonState> => {
  // The file is read first, because reading it checks the folder.
  const elsewhere = isElsewhere(written(paths.daemonFile));
  // The lock is read before the connection: a daemon accepts connections before it releases the lock.
  const starting = (await livingOwner(paths.startingLock))?.pid;
  const before = { starting, daemonFile: fileAt(paths.daemonFile), socket: fileAt(paths.socket) };
  if (elsewhere) return withoutSocket(paths, before, true);
  let status: ManageStatus;
  try {
    status = await statusOf(manage);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    if (error.code === 'DAEMON_NOT_RUNNING') return withoutSocket(paths, before, false);
    if (error.code === 'USAGE') throw error;
    const file = written(paths.daemonFile);
    const isIts = file !== undefined && (await isDaemon(file.pid));
    return { state: 'unhealthy', reason: error.message, ...(isIts && { pid: file.pid }) };
  }
  if (status.stopping) return { state: 'stopping', status };
  const { launch, baseUrl } = status;
  // A public URL may lead over a proxy, or work only from other machines.
  const origin = launch === undefined ? baseUrl : localOrigin(launch.bind, launch.port);
  if (await isHealthy(origin, status.instance)) return { state: 'running', status };
  return { state: 'unhealthy', pid: status.pid, status, reason: `${origin} does not respond` };
};
