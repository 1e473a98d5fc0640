// Files that last: opened without following links, private from their first moment, synced together with their folder.
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from './store-errors.ts';

/** Only the owner reads and writes. Given to open(2), so that no file is ever wider for a moment. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** A file that exists, for reading and writing. @throws ELOOP when it is a link */
export const openExisting = (path: string): Promise<FileHandle> => open(path, constants.O_RDWR | constants.O_NOFOLLOW);

/** A file that exists, for reading. @throws ELOOP when it is a link */
export const openToRead = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NOFOLLOW);

/** An empty file, whether or not there was one. @throws ELOOP when it is a link */
export const openEmpty = (path: string): Promise<FileHandle> =>
  open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, FILE_MODE);

/** Makes a folder of ours with its parents. One that is there stays as it is. */
export const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, FOLDER_MODE);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    // Step by step, because mkdir's own `recursive` calls a read-only disk ENOENT.
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, FOLDER_MODE);
  }
};

/** Writes all of `data` at `position`: one write(2) may take less than it was given. */
export const writeAt = async (file: FileHandle, data: Uint8Array, position: number): Promise<void> => {
  let done = 0;
  while (done < data.length) {
    const { bytesWritten } = await file.write(data, done, data.length - done, position + done);
    done += bytesWritten;
  }
};

const CHUNK = 1024 * 1024;
const NEWLINE = 10;

/**
 * Hands over a file line by line (without the line end, numbered from 1), holding one chunk at a time. `line` is only
 * valid during the call. Returns the offset behind the last line end, and the size: what is between them is no line.
 */
export const readLines = async (
  path: string,
  onLine: (line: Buffer, number: number) => void,
): Promise<{ readonly end: number; readonly size: number }> => {
  const file = await openToRead(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK);
    let rest: Buffer[] = [];
    let size = 0;
    let end = 0;
    let number = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK, size);
      if (bytesRead === 0) return { end, size };
      let from = 0;
      for (;;) {
        const to = chunk.indexOf(NEWLINE, from);
        if (to < 0 || to >= bytesRead) break;
        const piece = chunk.subarray(from, to);
        number += 1;
        onLine(rest.length === 0 ? piece : Buffer.concat([...rest, piece]), number);
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
