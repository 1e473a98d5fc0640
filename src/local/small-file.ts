// Reads a small regular file. Anything else at its path (a FIFO, a device, a folder, a huge file) is refused, not
// waited for.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { CliFailure, reasonOf, systemCode } from '../failure.ts';

/** Largest size in bytes of a file of settings, contexts, credentials or a lock. */
export const SMALL_FILE_LIMIT = 4 * 1024 * 1024;

export type SmallFile =
  | { readonly kind: 'missing' }
  /** `reason`: why the file is not read, for the end of a message. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'read';
      readonly text: string;
      readonly bytes: Buffer;
      readonly mode: number;
      readonly uid: number;
      /** ms since the epoch. */
      readonly modified: number;
    };

const refused = (reason: string): SmallFile => ({ kind: 'refused', reason });

export interface SmallFileOptions {
  /** False: a symbolic link is refused. */
  readonly followLinks: boolean;
  /** Largest size in bytes. Default: `SMALL_FILE_LIMIT`. */
  readonly limit?: number;
}

/**
 * Reads the content from the start; undefined beyond the limit. The reported size of a file may be wrong, as in
 * /proc.
 */
const readUpTo = (fd: number, size: number, limit: number): Buffer | undefined => {
  const pieces: Buffer[] = [];
  let read = 0;
  for (;;) {
    const piece = Buffer.alloc(Math.min(limit + 1 - read, Math.max(size - read + 1, 64 * 1024)));
    const count = readSync(fd, piece);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, count));
    read += count;
    if (read > limit) return undefined;
  }
};

/**
 * Reads a small file. Never waits for another process. @throws a system error if the file cannot be opened or read
 * for another reason
 */
export const readSmallFile = (file: string, { followLinks, limit = SMALL_FILE_LIMIT }: SmallFileOptions): SmallFile => {
  let fd: number;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for its writer, and neither a signal nor the end of the process stops
    // that. Windows has neither of the two flags.
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
    const bytes = found.size > limit ? undefined : readUpTo(fd, found.size, limit);
    if (bytes === undefined) return refused(`it has more than ${limit / 1024 / 1024} MiB`);
    const { mode, uid, mtimeMs: modified } = found;
    return { kind: 'read', text: bytes.toString('utf8'), bytes, mode, uid, modified };
  } finally {
    closeSync(fd);
  }
};

/**
 * The text of a file that a person names, or why it cannot be read, for the end of a message. Never waits or
 * throws.
 */
export const readOrReason = (file: string): { readonly text: string } | { readonly reason: string } => {
  try {
    const found = readSmallFile(file, { followLinks: true });
    return found.kind === 'missing' ? { reason: 'there is no such file' } : found;
  } catch (error) {
    return { reason: reasonOf(error) };
  }
};

/**
 * Reads a file from a folder that may be untrusted; undefined if there is no file. @throws USAGE
 * @see docs/conformance/security.md R232
 */
export const readFolderFile = (file: string, limit: number = SMALL_FILE_LIMIT): Buffer | undefined => {
  let reason: string;
  try {
    const found = readSmallFile(file, { followLinks: true, limit });
    if (found.kind === 'missing') return undefined;
    if (found.kind === 'read') return found.bytes;
    reason = found.reason;
  } catch (error) {
    reason = reasonOf(error);
  }
  throw new CliFailure('USAGE', `cannot read ${file}: ${reason}`);
};

export const requireFolderFile = (file: string, limit?: number): Buffer => {
  const found = readFolderFile(file, limit);
  if (found === undefined) throw new CliFailure('USAGE', `cannot read ${file}: there is no such file`);
  return found;
};
