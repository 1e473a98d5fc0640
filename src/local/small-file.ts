// Reads a small regular file. Anything else at its path (a FIFO, a device, a folder, a huge file) is refused, not waited for.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { reasonOf, systemCode } from '../failure.ts';

/** Largest size in bytes of a file of settings, contexts, credentials or a lock. */
export const SMALL_FILE_LIMIT = 4 * 1024 * 1024;

export type SmallFile =
  | { readonly kind: 'missing' }
  /** `reason`: why it is not read, for the end of a message. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'read';
      readonly text: string;
      readonly mode: number;
      readonly uid: number;
      /** ms since the epoch. */
      readonly modified: number;
    };

const refused = (reason: string): SmallFile => ({ kind: 'refused', reason });

export interface SmallFileOptions {
  /** False: a symbolic link is refused. */
  readonly followLinks: boolean;
}

/**
 * Reads a file of at most `SMALL_FILE_LIMIT` bytes. Never waits for another process.
 * @throws a system error if the file cannot be opened or read for another reason
 */
export const readSmallFile = (file: string, { followLinks }: SmallFileOptions): SmallFile => {
  let fd: number;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for its writer, and neither a signal nor the end of the process stops that.
    // Windows has neither of the two flags.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    fd = openSync(file, O_RDONLY | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW));
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'ELOOP') return refused(followLinks ? 'its symbolic links form a loop' : 'it is a symbolic link');
    if (code === 'ENXIO') return refused('it is not a regular file');
    throw error;
  }
  try {
    const found = fstatSync(fd);
    if (found.isDirectory()) return refused('it is a folder');
    if (!found.isFile()) return refused('it is not a regular file');
    if (found.size > SMALL_FILE_LIMIT) return refused(`it has more than ${SMALL_FILE_LIMIT / 1024 / 1024} MiB`);
    return { kind: 'read', text: readFileSync(fd, 'utf8'), mode: found.mode, uid: found.uid, modified: found.mtimeMs };
  } finally {
    closeSync(fd);
  }
};

/** The text of a file that a person names, or why it cannot be read, for the end of a message. Never waits or throws. */
export const readOrReason = (file: string): { readonly text: string } | { readonly reason: string } => {
  try {
    const found = readSmallFile(file, { followLinks: true });
    return found.kind === 'missing' ? { reason: 'there is no such file' } : found;
  } catch (error) {
    return { reason: reasonOf(error) };
  }
};
