// Durable files: private from their creation, opened without following symbolic links, and synced together with their
// folder.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { errnoOf } from './store-errors.ts';

/** File mode passed to open(2), so that no file has wider permissions even for a moment. */
const FILE_MODE = 0o600;

/**
 * On Linux each write to a journal is durable when it returns (O_DSYNC), so that a transaction costs one system call and
 * one turn of a thread. On other systems O_DSYNC may leave data in the cache of the drive, so each write is followed by
 * a sync there.
 */
const SYNCED_WRITES = process.platform === 'linux' ? constants.O_DSYNC : 0;

/** Creates a file for `writeDurably`. @throws EEXIST if the name is taken, also by a dangling link */
export const createDurable = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | SYNCED_WRITES, FILE_MODE);

/** Opens an existing file for reading and `writeDurably`. @throws ELOOP when it is a symbolic link */
export const openDurable = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDWR | constants.O_NOFOLLOW | SYNCED_WRITES);

/** Opens an existing file for reading. @throws ELOOP when it is a symbolic link */
export const openToRead = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NOFOLLOW);

/** Opens an empty file for writing; an existing file is truncated. @throws ELOOP when it is a symbolic link */
export const openEmpty = (path: string): Promise<FileHandle> =>
  open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, FILE_MODE);

/** Opens an existing file for writing and drops what is behind `size`. @throws ELOOP when it is a symbolic link */
export const openUpTo = async (path: string, size: number): Promise<FileHandle> => {
  const handle = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await handle.truncate(size);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

export const exists = async (file: string): Promise<boolean> => {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
};

/** Writes all of `data` at `position`, because one write(2) may write less than requested. */
export const writeAt = async (file: FileHandle, data: Uint8Array, position: number): Promise<void> => {
  let done = 0;
  while (done < data.length) {
    const { bytesWritten } = await file.write(data, done, data.length - done, position + done);
    done += bytesWritten;
  }
};

/** Writes all of `data` at `position` to a file of `createDurable` or `openDurable`, and resolves once it is on disk. */
export const writeDurably = async (file: FileHandle, data: Uint8Array, position: number): Promise<void> => {
  await writeAt(file, data, position);
  if (SYNCED_WRITES === 0) await file.datasync();
};

const CHUNK = 1024 * 1024;
const NEWLINE = 10;

/**
 * Passes each line of a file to `onLine`, without the line end, numbered from 1, and with the offset at which it
 * begins. Holds one chunk in memory. `line` is valid only during the call.
 * Returns the offset after the last line end and the file size. The bytes between them are an incomplete line.
 */
export const readLines = async (
  path: string,
  onLine: (line: Buffer, number: number, offset: number) => void,
): Promise<{ readonly end: number; readonly size: number }> => {
  const file = await openToRead(path);
  try {
    // The buffer is not larger than the file, because most files of a store are small.
    const length = Math.min(CHUNK, (await file.stat()).size + 1);
    const chunk = Buffer.allocUnsafe(length);
    let rest: Buffer[] = [];
    let size = 0;
    let end = 0;
    let number = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, length, size);
      if (bytesRead === 0) return { end, size };
      let from = 0;
      for (;;) {
        const to = chunk.indexOf(NEWLINE, from);
        if (to < 0 || to >= bytesRead) break;
        const piece = chunk.subarray(from, to);
        number += 1;
        onLine(rest.length === 0 ? piece : Buffer.concat([...rest, piece]), number, end);
        rest = [];
        from = to + 1;
        end = size + from;
      }
      if (from < bytesRead) rest.push(Buffer.from(chunk.subarray(from, bytesRead)));
      size += bytesRead;
    }
  } finally {
    await file.close();
  }
};
