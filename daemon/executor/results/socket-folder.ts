// The folder of the result sockets, which only this user may enter.
import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolders } from '../../../src/local/folders/make-folders.ts';
import { requireOwnFolder } from '../../../src/local/own-place.ts';

/** Creates the folder for this user alone and deletes what a previous daemon left in it. @throws Error */
export const prepareSocketFolder = async (folder: string): Promise<void> => {
  const parent = path.dirname(folder);
  await makeFolders(parent);
  requireOwnFolder(parent);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
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
    requireOwnFolder(path.dirname(folder));
    await rm(folder, { recursive: true, force: true });
  } catch {
    // There is no such folder, or another user may change it.
  }
};
