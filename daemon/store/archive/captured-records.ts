// The durable records of one moment, readable while the store continues to write.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CollectionName, transient } from '../../domain/records/collections.ts';
import { snapshotSize, snapshotSlices, type Text } from '../journal/snapshot.ts';
import type { Loaded } from '../load-store.ts';
import { collectionNames } from '../record-table.ts';
import type { Place, RecordFiles } from '../table/record-files.ts';

export interface Moment {
  readonly decision: number;
  readonly sequence: number;
  readonly time: number;
}

export interface CapturedCollection {
  readonly name: CollectionName;
  /** Number of records, and total bytes that `slices` yields. Reads no record. */
  measure(): Promise<{ readonly records: number; readonly bytes: number }>;
  slices(): Iterable<Buffer>;
}

export interface CapturedRecords extends Moment {
  /** In the order of `collectionNames`, without those that archives leave out. */
  readonly collections: readonly CapturedCollection[];
  /** Number of place chunks (1024 places each) that were copied because records changed after the moment. */
  copies(): number;
  /** Releases the capture. Must be called once, even after an error. */
  release(): void;
}

/** Number of chunks measured between two turns of the event loop. */
const CHUNKS_AT_ONCE = 4;

const textsOf = function* (files: RecordFiles, chunks: Iterable<readonly Place[]>): Generator<Text> {
  const read = files.reader();
  for (const chunk of chunks) for (const place of chunk) yield { bytes: read(place), checksum: place.checksum };
};

/**
 * Captures the durable records of this moment in one synchronous step: no write waits for it, and it reads nothing. A
 * transaction becomes durable in one step as well, so the moment lies between two transactions.
 * @see docs/adr/0021-backup-archives-hold-one-instant.md
 */
export const captureRecords = (
  { snapshotFiles, files }: Pick<Loaded, 'snapshotFiles' | 'files'>,
  moment: Moment,
): CapturedRecords => {
  const releaseFiles = files.hold();
  const captured = collectionNames
    .filter((name) => !transient.has(name))
    .map((name) => ({ name, places: snapshotFiles[name].data.places.capture() }));
  return {
    ...moment,
    collections: captured.map(({ name, places }) => ({
      name,
      async measure() {
        const lengths: number[] = [];
        let chunks = 0;
        for (const chunk of places.chunks()) {
          for (const { length } of chunk) lengths.push(length);
          chunks += 1;
          if (chunks % CHUNKS_AT_ONCE === 0) await nextTurn();
        }
        return { records: lengths.length, bytes: snapshotSize(lengths) };
      },
      slices: () => snapshotSlices(textsOf(files, places.chunks())),
    })),
    copies: () => captured.reduce((sum, { places }) => sum + places.copies(), 0),
    release() {
      for (const { places } of captured) places.release();
      releaseFiles();
    },
  };
};
