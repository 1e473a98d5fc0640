// Creates, replaces and removes files so that a reader, even after a crash, sees the old or the new content and never
// a partial file.
import { constants } from 'node:fs';
import { type FileHandle, link, open, readdir, realpath, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../failure.ts';
import { randomName } from './credentials/crypto.ts';

/**
 * File mode: only the owner may read and write. The mode is passed to open(2), so the file never has wider
 * permissions.
 */
const PRIVATE = 0o600;

/** Ending of the names of files that are still being written. A file with this ending is left over from a crash. */
export const TEMPORARY = '.tmp';

/** Creates a file and opens it for reading and writing. @throws EEXIST if the name is taken, even by a dangling link */
export const openNew = (file: string, mode = PRIVATE): Promise<FileHandle> =>
  open(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);

/** Makes the names in a folder durable. Syncing a file does not make its name durable. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** The target of a symbolic link, so that a replacement preserves the link. For a dangling link, the link itself. */
export const behindLinks = async (file: string): Promise<string> => {
  try {
    return await realpath(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return file;
    throw error;
  }
};

/** Removes a file. Returns false if there was none. */
export const removeFile = async (file: string): Promise<boolean> => {
  try {
    await unlink(file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
};

/** Creates a file with this text. `durable`: the text is on disk when the promise resolves. @throws EEXIST */
export const createFile = async (file: string, text: string, { durable = true } = {}): Promise<void> => {
  const handle = await openNew(file);
  try {
    await handle.writeFile(text);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
};

const RANDOM_BYTES = 12;

/** Removes temporary files of killed processes. Call it only while no other process can be replacing the file. */
export const sweepTemporary = async (file: string): Promise<void> => {
  const folder = path.dirname(file);
  const start = `${path.basename(file)}.`;
  const isLeft = (name: string): boolean =>
    name.startsWith(start) &&
    name.endsWith(TEMPORARY) &&
    new RegExp(`^[0-9a-f]{${2 * RANDOM_BYTES}}$`).test(name.slice(start.length, -TEMPORARY.length));
  for (const name of await readdir(folder)) if (isLeft(name)) await removeFile(path.join(folder, name));
};

export interface ReplaceOptions {
  /** Default true: content and name are on disk when the promise resolves. */
  readonly durable?: boolean;
  /** Permission bits before the umask; default 0600. */
  readonly mode?: number;
  /** True if the name must be free, even if another process creates the file at the same time. */
  readonly isNew?: boolean;
}

/** Errors of link(2) on file systems without hard links, such as exFAT. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Gives a completely written file its final name. @throws EEXIST if the name is taken */
const nameNew = async (temporary: string, file: string): Promise<void> => {
  try {
    await link(temporary, file);
  } catch (error) {
    if (!NO_LINKS.has(systemCode(error))) throw error;
    // An empty file reserves the name for a moment.
    await (await openNew(file)).close();
    await rename(temporary, file);
    return;
  }
  await removeFile(temporary);
};

/**
 * Replaces a file. If `produce` or the disk fails, the old file stays and no temporary file remains. Returns the new
 * size in bytes.
 * @throws EEXIST if the file must be new but exists
 */
export const replaceFile = async (
  file: string,
  produce: (append: (content: string | Uint8Array) => Promise<void>) => Promise<void>,
  { durable = true, mode = PRIVATE, isNew = false }: ReplaceOptions = {},
): Promise<number> => {
  const temporary = `${file}.${randomName(RANDOM_BYTES)}${TEMPORARY}`;
  const handle = await openNew(temporary, mode);
  let size = 0;
  try {
    try {
      await produce(async (content) => {
        const bytes = typeof content === 'string' ? Buffer.from(content) : content;
        await handle.writeFile(bytes);
        size += bytes.length;
      });
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await (isNew ? nameNew(temporary, file) : rename(temporary, file));
  } catch (error) {
    await removeFile(temporary);
    throw error;
  }
  if (durable) await syncFolder(path.dirname(file));
  return size;
};
