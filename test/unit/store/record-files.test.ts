// The open files of the records: when they are closed, what keeps them open, and which records are read together.
import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { recordChecksum } from '../../../daemon/store/journal/sealed-line.ts';
import { openRecordFiles, type Place, placeIn, type RecordFiles } from '../../../daemon/store/table/record-files.ts';
import { isOpen } from '../../support/store/file-handles.ts';
import { filed, placeOf } from '../../support/store/filed-texts.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

/** Two open files with a text each, and what is left of them. */
const make = () => {
  const folder = temporaryFolder();
  const files = openRecordFiles();
  const opened = ['a', 'b'].map((name) => {
    const file = path.join(folder, name);
    writeFileSync(file, `\n${name}`);
    const place = placeIn(files.open(file), { offset: 0, length: 1, checksum: recordChecksum(name) }, 1);
    return { file, place };
  });
  /** The texts that can be read. */
  const readable = () =>
    opened.flatMap(({ place }) => {
      try {
        return files.read(place).toString();
      } catch {
        return [];
      }
    });
  const numbers = opened.map(({ place }) => place.file);
  return { files, opened, readable, numbers };
};

describe('the files of records', () => {
  it('are closed one by one or together', async () => {
    const { files, opened, readable, numbers } = make();
    const [a = 0] = numbers;
    expect(opened.map(({ place }) => place)).toEqual(
      ['a', 'b'].map((name, index) => ({ file: index + 1, offset: 1, length: 1, checksum: recordChecksum(name) })),
    );
    expect(readable()).toEqual(['a', 'b']);
    const onLinux = process.platform === 'linux';
    expect(opened.map(({ file }) => isOpen(file))).toEqual([onLinux, onLinux]);
    await files.close(a);
    await files.close(a);
    expect([readable(), opened.map(({ file }) => isOpen(file))]).toEqual([['b'], [false, onLinux]]);
    files.closeAll();
    expect([readable(), opened.map(({ file }) => isOpen(file))]).toEqual([[], [false, false]]);
  });

  it('that are held are closed with the last release, and all at the end', async () => {
    const { files, readable, numbers } = make();
    const [a = 0, b = 0] = numbers;
    const [first, second] = [files.hold(), files.hold()];
    await files.close(a);
    expect(readable()).toEqual(['a', 'b']);
    first();
    first();
    expect(readable()).toEqual(['a', 'b']);
    second();
    expect(readable()).toEqual(['b']);
    files.hold()();
    expect(readable()).toEqual(['b']);
    await files.close(b);
    expect(readable()).toEqual([]);
    const ended = make();
    ended.files.hold();
    ended.files.closeAll();
    expect(ended.readable()).toEqual([]);
  });

  it('name the line of a damaged text after an empty first line', () => {
    const { files, opened } = make();
    const [{ file, place } = { file: '', place: placeIn(0, { offset: 0, length: 0, checksum: 0 }) }] = opened;
    expect(() => files.read({ ...place, checksum: 1 })).toThrow(`${file}, line 2: the checksum does not match`);
    expect(() => files.read({ ...place, length: 2 })).toThrow(`${file}, line 2: the checksum does not match`);
    files.closeAll();
  });
});

describe('reading', () => {
  it('returns the texts that were written, whatever their order and their length', () => {
    const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(5_000), fc.constantFrom(65_536, 65_537, 70_000)), {
      minLength: 1,
      maxLength: 60,
    });
    const jumps = fc.array(fc.nat(), { maxLength: 20 });
    fc.assert(
      fc.property(lengths, jumps, (each, others) => {
        const texts = each.map((length, number) => `${number} `.repeat(length).slice(0, length));
        const { files, places } = filed(texts);
        const again = filed(texts);
        const other = files.open(again.file);
        const read = files.reader();
        const inTurn = places.flatMap((place, at) => [
          place,
          ...((others[at] ?? 1) % 4 === 0 ? [{ ...place, file: other }] : []),
        ]);
        const wanted = [...inTurn, ...others.map((jump) => places[jump % places.length] ?? placeOf('', 0, 1))];
        for (const place of wanted) {
          const text =
            texts[places.findIndex(({ offset, length }) => offset === place.offset && length === place.length)];
          expect([read(place).toString() === text, files.read(place).toString() === text]).toEqual([true, true]);
        }
        files.closeAll();
        again.files.closeAll();
      }),
      { numRuns: 50 },
    );
  });

  it('finds a text that was not written yet, or other bytes, when its page was read', () => {
    const { file, files, places } = filed(['first', 'wrong']);
    const [first = placeOf('', 0, 1), second = placeOf('', 0, 1)] = places;
    const read = files.reader();
    // The second time, its page is in memory.
    for (const _ of [1, 2]) expect(read(first).toString()).toBe('first');
    writeFileSync(file, 'first\nright\nthird\n');
    const right = placeOf('right', second.offset, first.file);
    expect(read(right).toString()).toBe('right');
    expect(read(placeOf('third', right.offset + 6, first.file)).toString()).toBe('third');
    expect(() => read(second)).toThrow(`${file}, line 2: the checksum does not match`);
    expect(() => read({ ...first, file: 99 })).toThrow('The store is closed.');
  });

  /** Reads places of records of 200 bytes one after the other. Returns the lengths of the system calls. */
  const callsFor = (
    pick: (places: readonly Place[]) => readonly Place[],
    reading: (files: RecordFiles) => RecordFiles['read'] = ({ read }) => read,
  ) => {
    const { files, places } = filed(Array.from({ length: 2_000 }, (_, number) => `${number} ${'x'.repeat(200)}`));
    const calls = vi.spyOn(fs, 'readSync');
    syncBuiltinESMExports();
    const read = reading(files);
    for (const place of pick(places)) read(place);
    const made = calls.mock.results.map(({ value }) => value as number);
    calls.mockRestore();
    syncBuiltinESMExports();
    files.closeAll();
    return { made, reads: files.reads() };
  };

  it('needs few system calls for records that follow each other', () => {
    const { made, reads } = callsFor(
      (places) => places,
      (files) => files.reader(),
    );
    expect([reads, made.length > 0 && made.length < 20]).toEqual([2_000, true]);
  });

  it('needs few system calls for records that are near each other, in any order', () => {
    const { made } = callsFor((places) => {
      const near = places.slice(0, 150);
      return [...near.filter((_, at) => at % 2 === 1).reverse(), ...near.filter((_, at) => at % 2 === 0)];
    });
    expect(made.length).toBe(2);
  });

  it('reads only the bytes of a record if no other record of its page is needed', () => {
    const { made } = callsFor((places) => places.filter((_, at) => at % 400 === 0));
    expect(made.map((bytes) => bytes < 250)).toEqual([true, true, true, true, true]);
  });

  it('returns every readable record of a page that is partly unreadable', () => {
    const texts = Array.from({ length: 150 }, (_, number) => `${number} ${'x'.repeat(200)}`);
    const { files, places } = filed(texts);
    const real = fs.readSync;
    const [bad, after] = [20_480, 24_576];
    const failing = vi.spyOn(fs, 'readSync').mockImplementation(((
      descriptor: number,
      buffer: Buffer,
      at: number,
      length: number,
      offset: number,
    ) => {
      if (offset < after && offset + length > bad && offset >= bad)
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      const most = offset < bad ? Math.min(length, bad - offset) : length;
      return real(descriptor, buffer, at, most, offset);
    }) as typeof fs.readSync);
    syncBuiltinESMExports();
    try {
      const readable = places.filter(({ offset, length }) => offset + length <= bad || offset >= after);
      expect(readable.length).toBeGreaterThan(100);
      for (const place of readable) expect(files.read(place).length).toBe(place.length);
    } finally {
      failing.mockRestore();
      syncBuiltinESMExports();
      files.closeAll();
    }
  });

  it('reads a page again whose bytes have changed', () => {
    const { file, files, places } = filed(['first', 'wrong']);
    const [first = placeOf('', 0, 1), second = placeOf('', 0, 1)] = places;
    for (const _ of [1, 2]) files.read(first);
    writeFileSync(file, 'first\nright\n');
    const right = placeOf('right', second.offset, first.file);
    const calls = vi.spyOn(fs, 'readSync');
    syncBuiltinESMExports();
    for (let round = 0; round < 50; round += 1) expect(files.read(right).toString()).toBe('right');
    const made = calls.mock.calls.length;
    calls.mockRestore();
    syncBuiltinESMExports();
    expect(made).toBeLessThan(5);
  });

  it('keeps a limited number of pages', () => {
    const files = 40;
    const held = Array.from({ length: files }, () => filed(['a text', 'another']));
    const [{ files: shared } = filed([])] = held;
    const places = held.flatMap(({ file, places: own }) => {
      const number = shared.open(file);
      return own.map((place) => ({ ...place, file: number }));
    });
    const readAll = (): number => {
      const calls = vi.spyOn(fs, 'readSync');
      syncBuiltinESMExports();
      for (const place of places) shared.read(place);
      const made = calls.mock.calls.length;
      calls.mockRestore();
      syncBuiltinESMExports();
      return made;
    };
    readAll();
    // Each page is the oldest when it is wanted again.
    expect(readAll()).toBeGreaterThanOrEqual(files);
    for (const each of held) each.files.closeAll();
  });
});
