// Checkpoints: changed collections are written to snapshots while the store keeps working, then older journals are
// deleted.
import { removeFile } from '../../../src/local/atomic-file.ts';
import type { CollectionName } from '../../domain/records/collections.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Loaded } from '../load-store.ts';
import { SCHEMA_VERSION } from '../migrations.ts';
import { collectionNames } from '../record-table.ts';
import type { Committer } from './group-commit.ts';
import { createJournal, type Journal, journalPath } from './journal.ts';
import { writeManifest } from './manifest.ts';

export interface CheckpointOptions {
  readonly loaded: Loaded;
  readonly committer: Committer;
  readonly durable: () => { readonly decision: number; readonly sequence: number; readonly time: number };
  readonly beforeWrite: () => void;
  readonly logger: Logger;
  /** Journal size in bytes below which no checkpoint starts. */
  readonly floor: number;
}

/**
 * Collections may change while they are written. This is safe because the journal is rotated first: every change that
 * may or may not be in a snapshot is also in a journal that is kept. Replaying it over either version gives the same
 * records, because its operations put and delete by key. Records created after the rotation are left out of the
 * snapshot, so that replaying them keeps their order.
 * Old journals stay open for reading until every record in them is in a snapshot.
 */
export const createCheckpoints = (options: CheckpointOptions) => {
  const { loaded, committer, beforeWrite, durable, logger, floor } = options;
  const { db, snapshotFiles, dirty, sizes, cuts, files } = loaded;
  let { journal, firstJournal, olderBytes } = loaded;
  let under: Promise<void> | undefined;
  /** Journal size in bytes at which the next checkpoint starts. */
  let next = 0;

  const journalBytes = (): number => olderBytes + journal.size();
  const aim = (): void => {
    const snapshots = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    next = Math.max(floor, snapshots);
  };

  const begin = async () => {
    const fresh = await createJournal(db, journal.number + 1);
    try {
      return { fresh, keptFile: loaded.journalFile(fresh.number) };
    } catch (error) {
      await fresh.close();
      await removeFile(journalPath(db, fresh.number));
      throw error;
    }
  };

  const rotate = async () => {
    const { fresh, keptFile } = await begin();
    const old = journal;
    journal = fresh;
    olderBytes += old.size();
    for (const name of collectionNames) cuts.set(name, { limit: snapshotFiles[name].data.nextOrder(), keptFile });
    const at = durable();
    await old.close();
    // `dirty` is cleared only after the old journal is closed: if that had failed, a later checkpoint would delete
    // journals of collections that it does not write.
    const names = [...dirty];
    dirty.clear();
    return { names, at };
  };

  const checkpoint = async (): Promise<void> => {
    let names: readonly CollectionName[] = [];
    try {
      beforeWrite();
      const rotated = await committer.between(rotate);
      names = rotated.names;
      for (const name of names) {
        beforeWrite();
        await snapshotFiles[name].write();
      }
      const kept = journal.number;
      const snapshots = [...sizes].flatMap(([name, bytes]) => (bytes > 0 ? [name] : []));
      beforeWrite();
      await writeManifest(db, { schemaVersion: SCHEMA_VERSION, firstJournal: kept, ...rotated.at, snapshots });
      for (let number = firstJournal; number < kept; number += 1) {
        await files.close(loaded.journalFile(number));
        await removeFile(journalPath(db, number));
      }
      firstJournal = kept;
      olderBytes = 0;
      aim();
    } catch (error) {
      for (const name of names) dirty.add(name);
      next = journalBytes() + floor;
      logger.warn({ err: error }, 'cannot write a checkpoint; the journals are kept');
    }
  };

  const start = (): Promise<void> => {
    under ??= checkpoint().finally(() => {
      under = undefined;
    });
    return under;
  };

  aim();
  return {
    journal: (): Journal => journal,
    journalFile: (): number => loaded.journalFile(journal.number),
    /** Starts a checkpoint when the journals have become larger than the snapshots. */
    consider(): void {
      if (journalBytes() >= next) void start();
    },
    /**
     * Waits for a running checkpoint and writes a last one. A failure of the disk is only logged, because the journals
     * contain everything.
     */
    async close(): Promise<void> {
      await under;
      if (journalBytes() > 0 && committer.refusal() === undefined) await start();
    },
  };
};
