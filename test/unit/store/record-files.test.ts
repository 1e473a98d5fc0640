// The open files of the records: when they are closed, and what keeps them open.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordChecksum } from '../../../daemon/store/journal/sealed-line.ts';
import { openRecordFiles, placeIn } from '../../../daemon/store/table/record-files.ts';
import { isOpen } from '../../support/store/file-handles.ts';
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
