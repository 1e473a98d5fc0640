// Unpacks an archive into the folder of prepared data, and checks it as a whole.
import type { FileHandle } from 'node:fs/promises';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { type ArchiveManifest, ArchiveRefused } from '../../../src/local/archive/archive-manifest.ts';
import { readArchive } from '../../../src/local/archive/archive-reader.ts';
import { openNew } from '../../../src/local/atomic-file.ts';
import { writeAt } from '../durable-files.ts';
import { SCHEMA_VERSION } from '../migrations.ts';
import { isCollectionName } from '../record-table.ts';
import { StoreUnwritable } from '../store-errors.ts';

/** Number of files synced together: a disk makes many files durable in about the time of one. */
const SYNCED_TOGETHER = 32;

const syncLater = () => {
  let open: FileHandle[] = [];
  const flush = async (): Promise<void> => {
    const files = open;
    open = [];
    // Even the files after a failed one are closed before the caller gets the error.
    const ends = await Promise.allSettled(files.map((file) => file.sync().finally(() => file.close())));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  return {
    async add(file: FileHandle): Promise<void> {
      open.push(file);
      if (open.length >= SYNCED_TOGETHER) await flush();
    },
    flush,
  };
};

/** @throws StoreUnwritable before anything is written, if the disk has no room for the announced bytes */
const checkRoom = async (folder: string, { bytes }: ArchiveManifest): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > bytes) return;
  const what = `the archive needs ${bytes} bytes, and ${bavail * bsize} are free`;
  throw new StoreUnwritable(folder, new Error(what));
};

const refuseUnknown = (name: string, { schema }: ArchiveManifest): void => {
  const collection = /^db\/(.+)\.json$/.exec(name)?.[1];
  if (collection === undefined || collection === 'manifest' || isCollectionName(collection)) return;
  // An older version may have had a collection that no longer exists.
  if (schema === SCHEMA_VERSION)
    throw new ArchiveRefused(`it holds "${name}", which this version of actorctl does not know`);
};

/** Every file is on disk when it returns. @param folder folder of `beginExchange` */
export const unpackArchive = async (
  file: string,
  folder: string,
  onProgress: (part: number) => void,
): Promise<ArchiveManifest> => {
  const { add, flush } = syncLater();
  let manifest: ArchiveManifest | undefined;
  let hasStore = false;
  try {
    const read = await readArchive(
      file,
      {
        async begin(read) {
          manifest = read;
          await checkRoom(folder, read);
        },
        async file(name, _size, pieces) {
          if (manifest !== undefined) refuseUnknown(name, manifest);
          hasStore ||= name === 'db/manifest.json';
          const handle = await openNew(path.join(folder, name));
          let position = 0;
          try {
            for await (const piece of pieces) {
              await writeAt(handle, piece, position);
              position += piece.length;
            }
          } catch (error) {
            await handle.close();
            throw error;
          }
          await add(handle);
        },
      },
      { schema: SCHEMA_VERSION, onProgress },
    );
    if (!hasStore) throw new ArchiveRefused('it holds no "db/manifest.json"');
    return read;
  } finally {
    await flush();
  }
};
