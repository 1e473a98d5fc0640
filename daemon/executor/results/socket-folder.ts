// The folder of the result sockets, which only this user may enter.
import { rmSync } from 'node:fs';
import { lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** @throws Error when the folder belongs to another user, or its mode has one of the bits `forbidden` */
const requireOwnFolder = async (folder: string, forbidden: number): Promise<void> => {
  const { mode, uid } = await lstat(folder);
  if (uid !== process.getuid?.() || (mode & forbidden) !== 0)
    throw new Error(`other users may use the folder ${folder}`);
};

/** Creates the folder for this user alone and deletes what a previous daemon left in it. @throws Error */
export const prepareSocketFolder = async (folder: string): Promise<void> => {
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await requireOwnFolder(parent, 0o022);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  await requireOwnFolder(folder, 0o077);
};

/** Deletes a socket. One that cannot be deleted stays until the next start, which empties the folder. */
export const removeSocket = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder is not as it was prepared.
  }
};

/** Deletes the folder. Does nothing if there is none, or if another user may change it. */
export const removeSocketFolder = async (folder: string): Promise<void> => {
  try {
    await requireOwnFolder(path.dirname(folder), 0o022);
    await rm(folder, { recursive: true, force: true });
  } catch {
    // There is no such folder, or another user may change it.
  }
};
