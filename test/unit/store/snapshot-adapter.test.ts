// The snapshot of one collection: what is read from it, what is written to it, and where its records are afterwards.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordChecksum } from '../../../daemon/store/journal/sealed-line.ts';
import { type Cut, snapshotAdapter } from '../../../daemon/store/journal/snapshot-adapter.ts';
import { createStoredTable, type Rule } from '../../../daemon/store/record-table.ts';
import { openRecordFiles } from '../../../daemon/store/table/record-files.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

interface Item {
  readonly id: string;
  readonly text: string;
}

const rule: Rule<Item> = { key: ({ id }) => id, indexes: {} };
const everything: Cut = { limit: Number.POSITIVE_INFINITY, keptFile: Number.POSITIVE_INFINITY };

/** An adapter in an empty folder. `put` sets a record whose text is at the end of a journal. */
const make = ({ mustExist = false } = {}) => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'items.json');
  const real = openRecordFiles();
  const opened: string[] = [];
  const closed: number[] = [];
  let onOpen = (): void => undefined;
  const files = {
    ...real,
    open: (name: string) => {
      opened.push(path.basename(name));
      onOpen();
      return real.open(name);
    },
    close: (number: number) => {
      closed.push(number);
      return real.close(number);
    },
  };
  const sizes: number[] = [];
  let cut = everything;
  const createTable = () => createStoredTable(rule, files, 0);
  const adapter = snapshotAdapter<Item>({
    file,
    mustExist,
    files,
    createTable,
    cut: () => cut,
    onSize: (bytes) => sizes.push(bytes),
  });
  const table = createTable();
  const journals = new Map<string, { readonly number: number; size: number }>();
  const place = (id: string, text: string, name = 'journal') => {
    const bytes = Buffer.from(JSON.stringify({ id, text }));
    appendFileSync(path.join(folder, name), bytes);
    const journal = journals.get(name) ?? { number: real.open(path.join(folder, name)), size: 0 };
    journals.set(name, journal);
    journal.size += bytes.length;
    const offset = journal.size - bytes.length;
    return { file: journal.number, offset, length: bytes.length, checksum: recordChecksum(bytes) };
  };
  const put = (id: string, text = '', at = place(id, text)): void => {
    const before = table.get(id);
    table.set(id, { order: before?.order ?? table.takeOrder(), record: { id, text } }, at, before);
  };
  return {
    file,
    files,
    opened,
    closed,
    sizes,
    adapter,
    table,
    place,
    put,
    /** The files of the records with these orders. */
    filesOf: (...orders: number[]) => orders.map((order) => table.places.get(order)?.file),
    cutAt: (limit: number, keptFile: number) => {
      cut = { limit, keptFile };
    },
    /** Called when the snapshot is written, before its records are taken over. */
    whenWritten: (then: () => void) => {
      onOpen = then;
    },
    ids: () => (JSON.parse(readFileSync(file, 'utf8')) as [Item][]).map(([{ id }]) => id),
  };
};

describe('the snapshot of a collection', () => {
  it('is read into a table whose records are in the snapshot', async () => {
    const { adapter, table, put, sizes, file, files, opened } = make();
    for (const id of ['a', 'b', 'c']) put(id, 'žluť');
    await adapter.write(table);
    const read = await adapter.read();
    expect(sizes).toEqual([readFileSync(file).length, readFileSync(file).length]);
    expect(['a', 'b', 'c', 'd'].map((id) => read?.get(id)?.record.text)).toEqual(['žluť', 'žluť', 'žluť', undefined]);
    // The file that the write opened is not opened again.
    expect([...(read?.places.orders() ?? [])].map((order) => read?.places.get(order)?.file)).toEqual([2, 2, 2]);
    expect(opened).toEqual(['items.json']);
    files.closeAll();
  });

  it('that is missing is empty, or damaged if it must exist', async () => {
    const { adapter, sizes, opened } = make();
    expect((await adapter.read())?.orders().count()).toBe(0);
    expect([sizes, opened]).toEqual([[0], []]);
    const needed = make({ mustExist: true });
    await expect(needed.adapter.read()).rejects.toThrow(`${needed.file}: the file is missing`);
  });

  it('has the records in their order, without removed ones and those created after the rotation', async () => {
    const { adapter, table, put, ids, cutAt, filesOf, files } = make();
    for (const id of ['a', 'b', 'c', 'd']) put(id);
    put('a', 'again');
    table.remove('b', table.get('b'));
    cutAt(4, Number.POSITIVE_INFINITY);
    await adapter.write(table);
    expect(ids()).toEqual(['a', 'c']);
    expect(filesOf(1, 2, 3, 4)).toEqual([2, undefined, 2, 1]);
    files.closeAll();
  });

  it('does not take over records that were changed or removed since the rotation', async () => {
    const { adapter, table, put, place, cutAt, filesOf, files, whenWritten } = make();
    for (const id of ['a', 'b', 'c', 'd']) put(id, 'old');
    put('b', 'newer', place('b', 'newer', 'next'));
    const last = place('c', 'newest', 'last');
    cutAt(Number.POSITIVE_INFINITY, 2);
    whenWritten(() => {
      table.remove('a', table.get('a'));
      put('c', 'newest', last);
    });
    await adapter.write(table);
    expect(filesOf(1, 2, 3, 4)).toEqual([undefined, 2, 3, 4]);
    expect(['a', 'b', 'c', 'd'].map((id) => table.get(id)?.record.text)).toEqual([undefined, 'newer', 'newest', 'old']);
    expect((await adapter.read())?.get('c')?.record.text).toBe('old');
    files.closeAll();
  });

  it('is closed when the next one has replaced it', async () => {
    const { adapter, table, put, filesOf, opened, closed, files } = make();
    put('a');
    await adapter.write(table);
    expect([filesOf(1), opened, closed]).toEqual([[2], ['items.json'], []]);
    put('a', 'second');
    await adapter.write(table);
    expect([filesOf(1), opened, closed]).toEqual([[3], ['items.json', 'items.json'], [2]]);
    expect(table.get('a')?.record.text).toBe('second');
    files.closeAll();
  });

  it('returns its records in slices, with a turn of the event loop between slices', async () => {
    const { adapter, table, put, place, files, whenWritten } = make();
    const one = place('e', '');
    for (let n = 0; n < 1_100; n += 1) put(`e${n}`, '', one);
    const moved = () => [...table.places.orders()].filter((order) => table.places.get(order)?.file === 2).length;
    const seen: number[] = [];
    const look = (): void => {
      seen.push(moved());
      if (seen.length < 3) setImmediate(look);
    };
    whenWritten(look);
    await adapter.write(table);
    expect([seen, moved()]).toEqual([[0, 512, 1_024], 1_100]);
    files.closeAll();
  });
});
