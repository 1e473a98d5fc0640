// Checkpoints: the changed collections are written out while work goes on, and the journals before them are dropped.

import { removeFile } from '../../../src/local/atomic-file.ts';
import type { CollectionName } from '../../domain/records/collections.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Loaded } from '../load-store.ts';
import { SCHEMA_VERSION } from '../migrations.ts';
import type { Committer } from './group-commit.ts';
import { createJournal, type Journal, journalPath } from './journal.ts';
import { writeManifest } from './manifest.ts';

export interface Checkpoints {
  /** The journal that is written to. */
  journal(): Journal;
  /** Starts a checkpoint when the journals have outgrown the snapshots. */
  consider(): void;
  /** Waits for a checkpoint that is under way and writes a last one. A disk that refuses is logged: the journals hold everything. */
  close(): Promise<void>;
}

export interface CheckpointOptions {
  readonly loaded: Loaded;
  readonly committer: Committer;
  /** Numbers of what is durable at this moment. */
  readonly durable: () => { readonly decision: number; readonly sequence: number; readonly time: number };
  readonly logger: Logger;
  /** Bytes of journal below which no checkpoint starts. */
  readonly floor: number;
}

/**
 * Why writing the tables while they change is safe: the journal is rotated first, so every change that may or may not have
 * got into a snapshot stands in a journal that is kept; replaying it over either version gives the same records, because
 * its operations put and delete by key. Records that are new since the rotation are left out, so their order is kept too.
 */
export const createCheckpoints = (options: CheckpointOptions): Checkpoints => {
  const { loaded, committer, durable, logger, floor } = options;
  const { db, lows, dirty, sizes, order, limit } = loaded;
  let { journal, firstJournal, olderBytes } = loaded;
  let under: Promise<void> | undefined;
  /** Bytes of journal at which the next one is tried. */
  let next = 0;

  const journalBytes = (): number => olderBytes + journal.size();
  const aim = (): void => {
    const snapshots = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    next = Math.max(floor, snapshots);
  };

  const rotate = async () => {
    const fresh = await createJournal(db, journal.number + 1);
    const old = journal;
    journal = fresh;
    olderBytes += old.size();
    limit.order = order.next;
    const at = durable();
    await old.close();
    // Not before: had the close failed, a later checkpoint would drop the journals of collections that it does not write.
    const names = [...dirty];
    dirty.clear();
    return { names, at };
  };

  const checkpoint = async (): Promise<void> => {
    let names: readonly CollectionName[] = [];
    try {
      const rotated = await committer.between(rotate);
      names = rotated.names;
      for (const name of names) await lows[name].write();
      const kept = journal.number;
      const snapshots = [...sizes].flatMap(([name, bytes]) => (bytes > 0 ? [name] : []));
      await writeManifest(db, { schemaVersion: SCHEMA_VERSION, firstJournal: kept, ...rotated.at, snapshots });
      for (let number = firstJournal; number < kept; number += 1) await removeFile(journalPath(db, number));
      firstJournal = kept;
      olderBytes = 0;
      aim();
    } catch (error) {
      for (const name of names) dirty.add(name);
      next = journalBytes() + floor;
      logger.warn({ err: error }, 'no checkpoint could be written; the journals are kept');
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
    journal: () => journal,
    consider() {
      if (under === undefined && journalBytes() >= next) void start();
    },
    async close() {
      await under;
      if (journalBytes() > 0 && committer.refusal() === undefined) await start();
    },
  };
};
