// Loads the store at start: snapshots, then the journals over them. Everything is read and checked before anything is
// changed.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Low } from 'lowdb';
import { removeFile, TEMPORARY } from '../../src/local/atomic-file.ts';
import { type CollectionName, type Collections, growing } from '../domain/records/collections.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import {
  type Apply,
  createJournal,
  type Journal,
  journalPath,
  listJournals,
  openJournal,
  type Replayed,
  replay,
} from './journal/journal.ts';
import { type Manifest, readManifest, writeManifest } from './journal/manifest.ts';
import { snapshotPath } from './journal/snapshot.ts';
import { type Cut, snapshotAdapter } from './journal/snapshot-adapter.ts';
import { dbFolder, finishMigration, migrate } from './migrate.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { prepareFolder } from './private-folder.ts';
import { collectionNames, createStoredTable, isCollectionName, rules, type StoredTable } from './record-table.ts';
import { StoreDamaged, StoreTooNew, writing } from './store-errors.ts';
import { openRecordFiles, type Place, placeIn, type RecordFiles } from './table/record-files.ts';

/** The lowdb of every collection; its `data` is the table of durable records. */
export type SnapshotFiles = { readonly [N in CollectionName]: Low<StoredTable<Collections[N]>> };

/** Bytes of text of the latest records of a growing collection that stay in memory. See `storedRecords`. */
const LATEST = 512 * 1024;

export interface Loaded {
  readonly db: string;
  readonly snapshotFiles: SnapshotFiles;
  readonly journal: Journal;
  /** Number of the first journal that the snapshots need. */
  readonly firstJournal: number;
  /** Total bytes of the journals before `journal`. */
  readonly olderBytes: number;
  readonly decision: number;
  readonly sequence: number;
  readonly time: number;
  /** Collections that the journals changed, so that their snapshots are out of date. */
  readonly dirty: Set<CollectionName>;
  readonly sizes: Map<CollectionName, number>;
  /** The open files that contain records. `journalFile` returns the number of a journal among these files. */
  readonly files: RecordFiles;
  readonly journalFile: (journal: number) => number;
  /** What the next snapshot of a collection must contain; set before it is written. */
  readonly cuts: Map<CollectionName, Cut>;
}

/** The manifest is written last: while it is missing, no transaction was ever confirmed. */
const beginEmpty = async (db: string): Promise<Manifest> => {
  const names = await readdir(db);
  const stray = names.find((name) => name !== 'journal-1.ndjson' && !name.endsWith(TEMPORARY));
  if (stray !== undefined)
    throw new StoreDamaged(path.join(db, 'manifest.json'), undefined, `the file is missing although ${stray} exists`);
  if (names.includes('journal-1.ndjson')) {
    const { sizes, torn } = await replay(db, 1, 0, () => undefined);
    if (sizes.get(1) !== 0 || torn !== undefined) {
      throw new StoreDamaged(
        path.join(db, 'manifest.json'),
        undefined,
        'the file is missing although a journal has content',
      );
    }
  }
  const manifest: Manifest = {
    schemaVersion: SCHEMA_VERSION,
    firstJournal: 1,
    decision: 0,
    sequence: 0,
    time: 0,
    snapshots: [],
  };
  await writing(db, async () => {
    if (!names.includes('journal-1.ndjson')) await (await createJournal(db, 1)).close();
    await writeManifest(db, manifest);
  });
  return manifest;
};

const removeLeftovers = async (db: string, firstJournal: number): Promise<void> => {
  for (const number of await listJournals(db)) if (number < firstJournal) await removeFile(journalPath(db, number));
  for (const name of await readdir(db)) if (name.endsWith(TEMPORARY)) await removeFile(path.join(db, name));
};

const openLast = async (db: string, replayed: Replayed): Promise<Journal> => {
  const { sizes, torn } = replayed;
  const last = Math.max(...sizes.keys());
  if (torn !== undefined && torn.number !== last) {
    await (await openJournal(db, torn.number, sizes.get(torn.number) ?? 0)).close();
  }
  return openJournal(db, last, sizes.get(last) ?? 0);
};

/** The cut that includes every record, for a store without concurrent writes. */
const EVERYTHING: Cut = { limit: Number.POSITIVE_INFINITY, keptFile: Number.POSITIVE_INFINITY };

/** Returns a function that opens a journal in `files` when it is first needed, and returns its number in `files`. */
const journalsIn = (files: RecordFiles, db: string): ((journal: number) => number) => {
  const opened = new Map<number, number>();
  return (journal) => {
    const file = opened.get(journal) ?? files.open(journalPath(db, journal));
    opened.set(journal, file);
    return file;
  };
};

export const readAll = async (db: string, manifest: Manifest, files: RecordFiles, latest: number) => {
  const cuts = new Map<CollectionName, Cut>();
  const sizes = new Map<CollectionName, number>();
  const dirty = new Set<CollectionName>();
  const journalFile = journalsIn(files, db);

  const low = async <N extends CollectionName>(name: N): Promise<[N, Low<StoredTable<Collections[N]>>]> => {
    const rule = rules[name];
    const createTable = (): StoredTable<Collections[N]> =>
      createStoredTable(rule, files, growing.has(name) ? latest : Number.POSITIVE_INFINITY);
    const adapter = snapshotAdapter({
      file: snapshotPath(db, name),
      mustExist: manifest.snapshots?.includes(name) ?? false,
      files,
      createTable,
      cut: () => cuts.get(name) ?? EVERYTHING,
      onSize: (bytes) => sizes.set(name, bytes),
    });
    const opened = new Low(adapter, createTable());
    await opened.read();
    return [name, opened];
  };
  const opened: [CollectionName, unknown][] = [];
  for (const name of collectionNames) opened.push(await low(name));
  const snapshotFiles = Object.fromEntries(opened) as SnapshotFiles;

  const put = <N extends CollectionName>(name: N, raw: unknown, place: Place): void => {
    const record = raw as Collections[N];
    const key = rules[name].key(record);
    const table = snapshotFiles[name].data;
    const before = table.get(key);
    table.set(key, { order: before?.order ?? table.takeOrder(), record }, place, before);
  };
  const remove = (name: CollectionName, key: string): void => {
    const table: StoredTable<unknown> = snapshotFiles[name].data;
    table.remove(key, table.get(key));
  };
  let sequence = manifest.sequence;
  const apply: Apply = (operation, { journal, file, line }) => {
    if (operation[0] === 's') {
      sequence = operation[1];
      return;
    }
    const [kind, name, value] = operation;
    if (!isCollectionName(name)) throw new StoreDamaged(file, line, `there is no collection "${name}"`);
    if (kind === 'd') remove(name, value);
    else put(name, value, placeIn(journalFile(journal), operation[3]));
    dirty.add(name);
  };
  const replayed = await replay(db, manifest.firstJournal, manifest.decision, apply);
  return { cuts, sizes, dirty, snapshotFiles, journalFile, replayed, sequence };
};

/** Creates missing files and migrates older ones to the current schema version. */
export const loadStore = async (options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly latestBytes?: number;
}): Promise<Loaded> => {
  const { folder, clock, logger, latestBytes = LATEST } = options;
  await prepareFolder(folder);
  await writing(folder, () => finishMigration(folder));
  const db = dbFolder(folder);
  await prepareFolder(db);
  let manifest = (await readManifest(db)) ?? (await beginEmpty(db));
  if (manifest.schemaVersion > SCHEMA_VERSION) throw new StoreTooNew(db, manifest.schemaVersion, SCHEMA_VERSION);
  if (manifest.schemaVersion < SCHEMA_VERSION) {
    const old = manifest;
    manifest = await writing(folder, () => migrate({ data: folder, manifest: old, now: clock.now(), logger }));
  }

  const { firstJournal } = manifest;
  const files = openRecordFiles();
  const { replayed, ...read } = await readAll(db, manifest, files, latestBytes).catch((error: unknown) => {
    files.closeAll();
    throw error;
  });
  const journal = await writing(db, async () => {
    const last = await openLast(db, replayed);
    // The journal is opened for reading here, because opening it only after a transaction became durable could fail.
    read.journalFile(last.number);
    await removeLeftovers(db, firstJournal);
    return last;
  });
  if (replayed.torn !== undefined) {
    const { number, bytes } = replayed.torn;
    logger.warn(
      { file: journalPath(db, number), bytes },
      'dropped a write that was interrupted by a crash; it had never been confirmed',
    );
  }
  const allBytes = [...replayed.sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  return {
    db,
    ...read,
    files,
    journal,
    firstJournal,
    olderBytes: allBytes - journal.size(),
    decision: replayed.decision,
    time: Math.max(manifest.time, replayed.time),
  };
};
