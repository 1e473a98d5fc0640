// Stores message bodies that are too large for a record: one file each, durable before any record refers to it.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { openNew, removeFile, syncFolder } from '../../src/local/atomic-file.ts';
import type { Bodies, BodyWriter } from '../ports/bodies.ts';
import { type HeldFolder, holdDeletions } from './archive/held-folder.ts';
import { openToRead, writeAt } from './durable-files.ts';
import { prepareFolder } from './private-folder.ts';
import { unavailable, writing } from './store-errors.ts';

const NAME = /^[0-9a-f]{32}$/;

export interface StoredBodies extends Bodies {
  hold(): HeldFolder;
}

export const openBodies = async (options: { readonly folder: string }): Promise<StoredBodies> => {
  const folder = path.join(options.folder, 'bodies');
  await prepareFolder(options.folder);
  await prepareFolder(folder);
  await writing(folder, () => syncFolder(options.folder));

  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new Error('This is not a valid name of a stored message body.');
    return path.join(folder, name);
  };

  const deletions = holdDeletions((name) => removeFile(pathOf(name)));
  /**
   * `unfinished`: bodies that are being written. `uncovered`: for each hold of an archive, the bodies that it leaves
   * out.
   */
  const unfinished = new Set<string>();
  const uncovered = new Set<Set<string>>();

  const begin = async (): Promise<BodyWriter> => {
    const name = randomBytes(16).toString('hex');
    unfinished.add(name);
    for (const each of uncovered) each.add(name);
    const hash = createHash('sha256');
    const file = await openNew(pathOf(name)).catch((error: unknown) => {
      unfinished.delete(name);
      throw unavailable(error);
    });
    let size = 0;
    const discard = async (): Promise<void> => {
      // On an error the disk has already failed; `sweep` tries again. Closing twice does nothing.
      await file.close().catch(() => undefined);
      unfinished.delete(name);
      await deletions.delete(name).catch(() => undefined);
    };
    const orDiscard = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        await discard();
        throw unavailable(error);
      }
    };
    return {
      name,
      write: (bytes) =>
        orDiscard(async () => {
          await writeAt(file, bytes, size);
          size += bytes.length;
          hash.update(bytes);
        }),
      finish: () =>
        orDiscard(async () => {
          await file.sync();
          await syncFolder(folder);
          await file.close();
          unfinished.delete(name);
          return { name, size, sha256: hash.digest('hex') };
        }),
      discard,
    };
  };

  return {
    begin,
    async put(bytes) {
      const body = await begin();
      await body.write(bytes);
      return (await body.finish()).name;
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
    async open(name) {
      const pieces = (await openToRead(pathOf(name))).createReadStream();
      return { pieces, close: () => void pieces.destroy() };
    },
    delete: (name) => deletions.delete(name),
    async sweep(used) {
      for (const name of await readdir(folder)) {
        if (NAME.test(name) && !used.has(name)) await deletions.delete(name);
      }
    },
    hold() {
      const without = new Set(unfinished);
      uncovered.add(without);
      const release = deletions.hold();
      return {
        async files() {
          const names = (await readdir(folder)).filter((name) => NAME.test(name) && !without.has(name));
          return Promise.all(names.map(async (name) => ({ name, size: (await stat(pathOf(name))).size })));
        },
        path: pathOf,
        release() {
          uncovered.delete(without);
          return release();
        },
      };
    },
  };
};
