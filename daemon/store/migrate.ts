// Migrates a data folder from an older schema version. The old folder is renamed and kept as the backup.
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../src/local/atomic-file.ts';
import { makeFolders } from '../../src/local/folders/make-folders.ts';
import type { CollectionName, Collections } from '../domain/records/collections.ts';
import type { Logger } from '../ports/logger.ts';
import { exists } from './durable-files.ts';
import { createJournal, replay } from './journal/journal.ts';
import { type Manifest, writeManifest } from './journal/manifest.ts';
import { recordChecksum } from './journal/sealed-line.ts';
import { readSnapshot, snapshotPath, type Text, writeSnapshot } from './journal/snapshot.ts';
import { migrateData, type RawData, SCHEMA_VERSION } from './migrations.ts';
import { collectionNames, isCollectionName, rules } from './record-table.ts';
import { StoreDamaged } from './store-errors.ts';

type RawRecord = RawData[string][number];

/** The shape of older records is unknown, but they are objects and their keys are built in the same way. */
const keyOf = <N extends CollectionName>(name: N, record: unknown): string => rules[name].key(record as Collections[N]);

/** Folder for the migrated data; it is renamed to its final name when it is complete. */
const nextFolder = (data: string): string => path.join(data, 'db.next');
export const dbFolder = (data: string): string => path.join(data, 'db');

/** Completes an exchange of folders that a crash interrupted, or deletes the new folder if none had begun. */
export const finishMigration = async (data: string): Promise<void> => {
  if (!(await exists(nextFolder(data)))) return;
  if (await exists(dbFolder(data))) await rm(nextFolder(data), { recursive: true, force: true });
  else await rename(nextFolder(data), dbFolder(data));
  await syncFolder(data);
};

const readRaw = async (db: string, manifest: Manifest) => {
  const collections = new Map<string, Map<string, RawRecord>>();
  for (const name of collectionNames) {
    const records = new Map<string, RawRecord>();
    const mustExist = manifest.snapshots?.includes(name) ?? false;
    await readSnapshot(snapshotPath(db, name), mustExist, (raw) => records.set(keyOf(name, raw), raw as RawRecord));
    collections.set(name, records);
  }
  let sequence = manifest.sequence;
  const replayed = await replay(db, manifest.firstJournal, manifest.decision, (operation, { file, line }) => {
    if (operation[0] === 's') {
      sequence = operation[1];
      return;
    }
    const [kind, name, value] = operation;
    const records = collections.get(name);
    if (!isCollectionName(name) || records === undefined) {
      throw new StoreDamaged(file, line, `there is no collection "${name}"`);
    }
    if (kind === 'd') records.delete(value);
    else records.set(keyOf(name, value), value as RawRecord);
  });
  const data = Object.fromEntries([...collections].map(([name, records]) => [name, [...records.values()]]));
  return { data, sequence, replayed };
};

const textsOf = function* (records: readonly RawRecord[]): Generator<Text> {
  for (const record of records) {
    const bytes = Buffer.from(JSON.stringify(record));
    yield { bytes, checksum: recordChecksum(bytes) };
  }
};

/** After a crash at any moment, either the old or the new data are complete. @throws StoreDamaged */
export const migrate = async (options: {
  readonly data: string;
  readonly manifest: Manifest;
  readonly now: number;
  readonly logger: Logger;
}): Promise<Manifest> => {
  const { data, manifest, now, logger } = options;
  const old = await readRaw(dbFolder(data), manifest);
  const migrated = migrateData(old.data, manifest.schemaVersion);

  const next = nextFolder(data);
  await makeFolders(next);
  for (const [name, records] of Object.entries(migrated))
    await writeSnapshot(snapshotPath(next, name), textsOf(records));
  const journal = await createJournal(next, 1);
  await journal.close();
  const made: Manifest = {
    schemaVersion: SCHEMA_VERSION,
    firstJournal: 1,
    decision: old.replayed.decision,
    sequence: old.sequence,
    time: Math.max(manifest.time, old.replayed.time),
    snapshots: Object.keys(migrated),
  };
  await writeManifest(next, made);

  const backup = path.join(data, `db.backup-v${manifest.schemaVersion}-${now}`);
  await rename(dbFolder(data), backup);
  await rename(next, dbFolder(data));
  await syncFolder(data);
  logger.info(
    { from: manifest.schemaVersion, to: SCHEMA_VERSION, backup },
    'the data folder was migrated to a new schema version',
  );
  return made;
};
