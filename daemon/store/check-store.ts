// Reads and checks the records of a data folder without changing anything, even while its daemon runs.
import { lstat } from 'node:fs/promises';
import { readManifest } from './journal/manifest.ts';
import { readAll } from './load-store.ts';
import { dbFolder } from './migrate.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { collectionNames } from './record-table.ts';
import { StoreTooNew } from './store-errors.ts';
import { openRecordFiles } from './table/record-files.ts';

export interface CheckedStore {
  readonly records: number;
  readonly schemaVersion: number;
  /** Bytes at the end of the journal that a crash left, or that the daemon is writing. They were never confirmed. */
  readonly tornBytes: number;
  /** Latest time in the records, in ms since the epoch. */
  readonly time: number;
  /** True if the latest time is on a virtual clock. */
  readonly virtual: boolean;
}

/** Number of attempts. A checkpoint may exchange the files while they are read; they are then read again. */
const ATTEMPTS = 5;

/** Checks every checksum, the order of all transactions and the manifest. Undefined if the folder has no records. */
export const checkStore = async (data: string): Promise<CheckedStore | undefined> => {
  const db = dbFolder(data);
  for (let left = ATTEMPTS; ; left -= 1) {
    const isThere = await lstat(db).catch(() => undefined);
    const manifest = isThere && (await readManifest(db));
    if (manifest === undefined) return undefined;
    if (manifest.schemaVersion > SCHEMA_VERSION) throw new StoreTooNew(db, manifest.schemaVersion, SCHEMA_VERSION);
    const files = openRecordFiles();
    try {
      const { snapshotFiles, replayed } = await readAll(db, manifest, files, 0);
      return {
        records: collectionNames.reduce((sum, name) => sum + snapshotFiles[name].data.orders().count(), 0),
        schemaVersion: manifest.schemaVersion,
        tornBytes: replayed.torn?.bytes ?? 0,
        time: Math.max(manifest.time, replayed.time),
        virtual: snapshotFiles.meta.data.get('instance')?.record.clock !== undefined,
      };
    } catch (error) {
      const now = await readManifest(db);
      if (left <= 1 || now?.firstJournal === manifest.firstJournal) throw error;
    } finally {
      files.closeAll();
    }
  }
};
