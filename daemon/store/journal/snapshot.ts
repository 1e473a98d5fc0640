// Snapshots: one collection as a JSON array, one record with a checksum per line, read and written in pieces through
// lowdb.
import path from 'node:path';
import type { Adapter } from 'lowdb';
import { replaceFile } from '../../../src/local/atomic-file.ts';
import { readLines } from '../durable-files.ts';
import { createTable, type Rule, type Table } from '../record-table.ts';
import { errnoOf, StoreDamaged } from '../store-errors.ts';
import { seal, unseal } from './sealed-line.ts';

/** Characters serialized to JSON between two turns of the event loop, which takes one to two milliseconds. */
const SLICE = 128 * 1024;

export const snapshotPath = (folder: string, collection: string): string => path.join(folder, `${collection}.json`);

const text = (line: Buffer): string => (line.length > 2 ? '' : line.toString('latin1'));

/**
 * Reads the records of a snapshot; a missing file contains none. Returns the size in bytes.
 * @throws StoreDamaged, also for a missing file when `mustExist`
 */
export const readSnapshot = async (
  file: string,
  mustExist: boolean,
  onRecord: (record: unknown) => void,
): Promise<number> => {
  const damaged = (line: number | undefined, what: string) => new StoreDamaged(file, line, what);
  let state = 'begin' as 'begin' | 'first' | 'more' | 'last' | 'closed';
  const onLine = (line: Buffer, number: number): void => {
    if (state === 'closed') throw damaged(number, 'data follows after the end');
    if (state === 'begin') {
      if (text(line) !== '[') throw damaged(number, 'it does not begin like a snapshot');
      state = 'first';
    } else if (text(line) === ']') {
      if (state === 'more') throw damaged(number, 'a record is missing');
      state = 'closed';
    } else {
      if (state === 'last') throw damaged(number, 'the preceding line has no comma');
      const comma = line[line.length - 1] === 44;
      const elements = unseal(comma ? line.subarray(0, -1) : line);
      if (elements?.length !== 1) throw damaged(number, 'the checksum does not fit');
      onRecord(elements[0]);
      state = comma ? 'more' : 'last';
    }
  };
  try {
    const { end, size } = await readLines(file, onLine);
    if (state !== 'closed' || end !== size) throw damaged(undefined, 'its end is missing');
    return size;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    if (mustExist) throw damaged(undefined, 'the file is missing');
    return 0;
  }
};

/** Writes records as a snapshot in slices, without blocking the event loop for long. Returns the size in bytes. */
export const writeSnapshot = (file: string, records: Iterable<unknown>): Promise<number> =>
  replaceFile(file, async (append) => {
    let slice = '[';
    let first = true;
    for (const record of records) {
      slice += `${first ? '' : ','}\n${seal(`[${JSON.stringify(record)}`)}`;
      first = false;
      if (slice.length >= SLICE) {
        const full = slice;
        slice = '';
        await append(full);
      }
    }
    await append(`${slice}\n]\n`);
  });

const until = function* <R>(table: Table<R>, limit: number): Generator<R> {
  const orders = table.orders();
  for (let order = orders.nth(0, false); order !== undefined && order < limit; order = orders.next(order, false)) {
    const record = table.record(order);
    if (record !== undefined) yield record;
  }
};

export interface SnapshotOptions<R> {
  readonly file: string;
  readonly mustExist: boolean;
  readonly rule: Rule<R>;
  /** Numbers the entries in reading order. */
  readonly nextOrder: () => number;
  /**
   * Entries with this order or a higher one are left out: they were created after the rotation and are in the journal
   * that is kept.
   */
  readonly limit: () => number;
  /** Called with the size in bytes after each read and write. */
  readonly onSize: (bytes: number) => void;
}

/**
 * The lowdb adapter of a collection.
 * A table may change while it is written, so that the file mixes older and newer records. Replaying the journal
 * corrects this: its operations are by key, and it begins before the first of these changes.
 */
export const snapshotAdapter = <R>(options: SnapshotOptions<R>): Adapter<Table<R>> => ({
  async read() {
    const table = createTable(options.rule);
    const size = await readSnapshot(options.file, options.mustExist, (raw) => {
      // The checksum proves that this program wrote the record; the schema version proves its shape.
      const record = raw as R;
      table.set(options.rule.key(record), { order: options.nextOrder(), record });
    });
    options.onSize(size);
    return table;
  },
  async write(table) {
    options.onSize(await writeSnapshot(options.file, until(table, options.limit())));
  },
});
