// Stores message bodies that are too large for a record: one file each, durable before any record refers to it.
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { openNew, removeFile, syncFolder } from '../../src/local/atomic-file.ts';
import type { Bodies } from '../ports/bodies.ts';
import { openToRead, writeAt } from './durable-files.ts';
import { prepareFolder } from './private-folder.ts';
import { unavailable, writing } from './store-errors.ts';

const NAME = /^[0-9a-f]{32}$/;

/**
 * Opens the folder of bodies in a data folder; creates it if it is missing.
 * @throws FolderRefused, StoreUnwritable
 */
export const openBodies = async (options: { readonly folder: string }): Promise<Bodies> => {
  const folder = path.join(options.folder, 'bodies');
  await prepareFolder(options.folder);
  await prepareFolder(folder);
  await writing(folder, () => syncFolder(options.folder));

  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new Error('This is not the name of a body.');
    return path.join(folder, name);
  };

  /** A file left half-written by a crash has a name that no record refers to; `sweep` removes it. */
  const write = async (name: string, bytes: Uint8Array): Promise<void> => {
    const file = await openNew(pathOf(name));
    try {
      await writeAt(file, bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(folder);
  };

  return {
    async put(bytes) {
      const name = randomBytes(16).toString('hex');
      try {
        await write(name, bytes);
        return name;
      } catch (error) {
        await removeFile(pathOf(name)).catch(() => false); // the disk has failed already; `sweep` tries again
        throw unavailable(error);
      }
    },
    path: pathOf,
    async read(name) {
      const file = await openToRead(pathOf(name));
      try {
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
    async delete(name) {
      await removeFile(pathOf(name));
    },
    async sweep(used) {
      for (const name of await readdir(folder)) {
        if (NAME.test(name) && !used.has(name)) await removeFile(pathOf(name));
      }
    },
  };
};
