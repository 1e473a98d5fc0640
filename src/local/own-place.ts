// Sockets and files for communication between processes of this user. They are used only in a folder that no other
// user could have created or written to. @see docs/conformance/security.md R143
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import path from 'node:path';
import { CliFailure, type FailureExtras, reasonOf, systemCode } from '../failure.ts';
import { readSmallFile } from './small-file.ts';

const refused = (file: string, why: string, extras: Pick<FailureExtras, 'cause' | 'blocked'> = {}): CliFailure =>
  new CliFailure('USAGE', `refused to use ${file}: ${why}`, {
    hint: 'move it away, or set ACTORCTL_HOME to a folder of your own',
    ...extras,
  });

/** @throws CliFailure USAGE that names path and owner */
const requireOwn = (file: string, { uid, mode }: Pick<Stats, 'uid' | 'mode'>, fault?: string): void => {
  const self = process.getuid?.();
  // Windows has neither owners nor modes.
  if (self === undefined) return;
  if (fault !== undefined) throw refused(file, `it belongs to user ${uid} and ${fault}`);
  if (uid !== self) throw refused(file, `it belongs to user ${uid}, and you are user ${self}`, { blocked: file });
  if ((mode & 0o022) !== 0) throw refused(file, `it belongs to user ${uid}, but other users can write to it`);
};

/**
 * Opens a folder, so that a later change of its path has no effect. @throws CliFailure USAGE; a system error if
 * there is none
 */
const openFolder = (folder: string): number => {
  let fd: number;
  try {
    fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    let found: Stats | undefined;
    try {
      found = lstatSync(folder);
    } catch (unseen) {
      if (systemCode(unseen) === 'EACCES') throw refused(folder, reasonOf(unseen), { cause: unseen, blocked: folder });
    }
    if (found) requireOwn(folder, found, found.isDirectory() ? undefined : 'is not a folder');
    throw error;
  }
  try {
    requireOwn(folder, fstatSync(fd));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return fd;
};

/**
 * The current folder, if the process can return to it: it may have been deleted, or belong to another user after
 * `su`.
 */
const folderToReturnTo = (): string | undefined => {
  try {
    const here = process.cwd();
    process.chdir(here);
    return here;
  } catch {
    return undefined;
  }
};

interface Place {
  /** A path of the file that leads through the open folder and is short enough for a socket. */
  readonly at: string;
  /**
   * True if `at` stays valid until `leave` is called. False if `at` is valid only in the current turn of the event
   * loop, in which `leave` must be called.
   */
  readonly lasts: boolean;
  readonly leave: () => void;
}

/**
 * Checks the folder of a file, and makes a short path of the file: systems limit the path of a socket to about 100
 * bytes. On Linux it leads through the descriptor of the open folder. On other systems a descriptor has no path, so
 * the process changes into the folder; `connect` and `listen` read the path before they return.
 * @throws CliFailure USAGE if the folder cannot be trusted; a system error if there is none
 */
const enter = (file: string): Place => {
  const nothing = () => undefined;
  if (process.platform === 'win32') return { at: file, lasts: true, leave: nothing };
  const folder = path.dirname(file);
  const name = path.basename(file);
  const fd = openFolder(folder);
  const opened = `/proc/self/fd/${fd}`;
  if (existsSync(opened)) return { at: `${opened}/${name}`, lasts: true, leave: () => closeSync(fd) };
  try {
    const before = folderToReturnTo();
    if (before === undefined) return { at: file, lasts: true, leave: nothing };
    process.chdir(folder);
    const leave = () => process.chdir(before);
    const [entered, checked] = [statSync('.'), fstatSync(fd)];
    if (entered.ino === checked.ino && entered.dev === checked.dev) return { at: name, lasts: false, leave };
    leave();
    throw refused(folder, 'it was replaced meanwhile');
  } finally {
    closeSync(fd);
  }
};

/**
 * @throws CliFailure USAGE if the file at the path of a socket does not belong to this user alone. A missing file
 * is not an error.
 */
const requireOwnSocket = (file: string, at: string): void => {
  if (process.platform === 'win32') return;
  const found = lstatSync(at, { throwIfNoEntry: false });
  // A connection to a regular file fails.
  if (found) requireOwn(file, found, found.isSymbolicLink() ? 'is a symbolic link' : undefined);
};

/** @throws CliFailure USAGE if the folder does not belong to this user, or others can write to it; a system error */
export const requireOwnFolder = (folder: string): void => enter(path.join(folder, 'any')).leave();

/**
 * Connects to a socket of this user, at a path of any length.
 * @throws CliFailure USAGE if another user could have made the socket: nothing was sent; a system error if there is no
 * folder
 */
export const connectOwn = (file: string): Socket => {
  const { at, leave } = enter(file);
  try {
    requireOwnSocket(file, at);
    // Loaded here, because help and completion of words need no socket.
    const socket = process.getBuiltinModule('node:net').connect(at);
    socket.prependOnceListener('error', (error) => {
      error.message = error.message.replace(at, file);
    });
    return socket;
  } finally {
    leave();
  }
};

export const answersAt = (file: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = connectOwn(file);
    const done = (answers: boolean) => {
      connection.destroy();
      resolve(answers);
    };
    connection.setTimeout(2_000, () => done(true));
    connection.once('connect', () => done(true));
    connection.once('error', () => done(false));
  });

/**
 * Listens at a path of any length in a folder of this user. The socket has its name when the function returns. Resolves
 * with the function that closes the server and removes the socket.
 * @throws CliFailure USAGE if the folder cannot be trusted; a system error, for example EADDRINUSE
 */
export const listenOwn = (server: Server, file: string): Promise<(closed?: () => void) => void> =>
  new Promise((resolve, reject) => {
    const { at, lasts, leave } = enter(file);
    const fail = (error: Error): void => {
      if (lasts) leave();
      error.message = error.message.replace(at, file);
      reject(error);
    };
    // Closing the server removes the socket by the path that `listen` received, so the process enters the folder again.
    const close = (closed?: () => void): void => {
      const again = lasts ? undefined : enter(file);
      try {
        server.close(() => closed?.());
      } finally {
        again?.leave();
      }
    };
    server.once('error', fail);
    server.listen(at, () => {
      server.off('error', fail);
      if (lasts) server.once('close', leave);
      resolve(close);
    });
    if (!lasts) leave();
  });

/**
 * Returns undefined if the file is missing or not JSON. @throws CliFailure USAGE if another user could have written
 * the file
 */
export const readOwnJson = (file: string): unknown => {
  let place: Place;
  try {
    place = enter(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const found = readSmallFile(place.at, { followLinks: false });
    if (found.kind === 'missing') return undefined;
    if (found.kind === 'refused') throw refused(file, found.reason);
    requireOwn(file, found);
    return JSON.parse(found.text);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    if (error instanceof SyntaxError) return undefined;
    throw refused(file, reasonOf(error), { cause: error, blocked: file });
  } finally {
    place.leave();
  }
};
