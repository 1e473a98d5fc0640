// Reads and writes the snapshot of a collection through lowdb, without parsing the records that it copies.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import type { StoredTable } from '../record-table.ts';
import { createPlaces, type Places } from '../table/places.ts';
import { placeIn, type RecordFiles } from '../table/record-files.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';

export interface Cut {
  /**
   * Entries with this order number or a higher one are left out, because they were created after the journal was
   * rotated.
   */
  readonly limit: number;
  /**
   * Number in `RecordFiles` of the journal that the rotation began. Records in this file or a later one stay where they
   * are.
   */
  readonly keptFile: number;
}

export interface SnapshotOptions<R> {
  readonly file: string;
  readonly mustExist: boolean;
  readonly files: RecordFiles;
  readonly createTable: () => StoredTable<R>;
  readonly cut: () => Cut;
  /** Called with the size in bytes after each read and write. */
  readonly onSize: (bytes: number) => void;
}

/**
 * Number of records moved to the new snapshot between two turns of the event loop. Moving them takes two milliseconds
 * while the code is not compiled yet.
 */
const MOVED_AT_ONCE = 512;

/**
 * A write copies the texts of the records from the files that contain them. Afterwards the records are read from the new
 * snapshot. A table may change while it is written, so that the file mixes older and newer records. Replaying the
 * journal corrects this: its operations are by key, and it begins before the first of these changes.
 */
export const snapshotAdapter = <R>(options: SnapshotOptions<R>): Adapter<StoredTable<R>> => {
  const { file, mustExist, files, createTable, cut, onSize } = options;
  /** Number of the snapshot in `RecordFiles`. Undefined if there are no records. */
  let current: number | undefined;

  const texts = function* (table: StoredTable<R>, limit: number) {
    const orders = table.orders();
    const read = files.reader();
    for (let order = orders.nth(0, false); order !== undefined && order < limit; order = orders.next(order, false)) {
      const place = table.places.get(order);
      if (place !== undefined) yield { order, place, bytes: read(place), checksum: place.checksum };
    }
  };

  /** Moves the records to their places in the new snapshot, except those that changed after the rotation. */
  const move = async (table: StoredTable<R>, written: Places, into: number, keptFile: number): Promise<void> => {
    let count = 0;
    for (const order of written.orders()) {
      const [place, before] = [written.get(order), table.places.get(order)];
      if (place !== undefined && before !== undefined && before.file < keptFile) {
        table.places.set(order, placeIn(into, place));
      }
      count += 1;
      if (count % MOVED_AT_ONCE === 0) await nextTurn();
    }
  };

  return {
    async read() {
      const table = createTable();
      const size = await readSnapshot(file, mustExist, (raw, span) => {
        current ??= files.open(file);
        // The checksum proves that this program wrote the record; the schema version proves its shape.
        table.load(raw as R, placeIn(current, span));
      });
      onSize(size);
      return table;
    },
    async write(table) {
      const { limit, keptFile } = cut();
      const written = createPlaces();
      const size = await writeSnapshot(file, texts(table, limit), ({ order, place }, offset) =>
        written.set(order, { file: place.file, offset, length: place.length, checksum: place.checksum }),
      );
      const replaced = current;
      current = files.open(file);
      await move(table, written, current, keptFile);
      if (replaced !== undefined) await files.close(replaced);
      onSize(size);
    },
  };
};
