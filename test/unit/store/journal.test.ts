// The journal as a file: what is read back, what is refused, and what a failing disk leaves.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createJournal,
  journalPath,
  listJournals,
  openJournal,
  replay,
} from '../../../daemon/store/journal/journal.ts';
import { draftLine, type Operation, parseLine } from '../../../daemon/store/journal/journal-line.ts';
import { recordChecksum, seal } from '../../../daemon/store/journal/sealed-line.ts';
import { isOpen, onFileHandles, systemError } from '../../support/store/file-handles.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

/** A line of a journal with these operations. */
const lineOf = (decision: number, time: number, operations: unknown[] = []): string =>
  `${seal(`[${decision},${time},${JSON.stringify(operations)}`)}\n`;

/** A text with its line end, and its length in UTF-8. */
const written = (line: string) => ({ line, bytes: Buffer.byteLength(line) });

describe('a journal', () => {
  it('appends what is durable, and drops the rest when it is repaired', async () => {
    const folder = temporaryFolder();
    const journal = await createJournal(folder, 3);
    const file = journalPath(folder, 3);
    expect([file, journal.number, journal.size()]).toEqual([path.join(folder, 'journal-3.ndjson'), 3, 0]);
    await journal.append([written('žě\n')]);
    expect(journal.size()).toBe(5);
    writeFileSync(file, 'half', { flag: 'a' });
    await journal.repair();
    expect(readFileSync(file, 'utf8')).toBe('žě\n');
    const lengths: number[] = [];
    const end = await onFileHandles('write', (real, _handle, [data]) => {
      const bytes = data as Buffer;
      lengths.push(
        bytes.length,
        bytes.findIndex((byte) => byte !== 0),
      );
      return real();
    });
    await journal.probe(64);
    end();
    expect([lengths, readFileSync(file, 'utf8')]).toEqual([[64, -1], 'žě\n']);
    await journal.append([written('b\n')]);
    await journal.close();
    expect([readFileSync(file, 'utf8'), isOpen(file)]).toEqual(['žě\nb\n', false]);
  });

  it('appends batches below and above the size of its buffer in order', async () => {
    const folder = temporaryFolder();
    const journal = await createJournal(folder, 1);
    const many = Array.from({ length: 7 }, (_, at) => `${String(at).repeat(100_000)}é\n`);
    for (const lines of [['a\n', 'ž\n'], many, ['b\n']]) await journal.append(lines.map(written));
    expect(readFileSync(journalPath(folder, 1), 'utf8')).toBe(['a\n', 'ž\n', ...many, 'b\n'].join(''));
    expect(journal.size()).toBe(statSync(journalPath(folder, 1)).size);
    await journal.close();
  });

  it('refuses lines whose length differs from the announced one', async () => {
    const folder = temporaryFolder();
    const journal = await createJournal(folder, 1);
    await expect(journal.append([{ line: 'é\n', bytes: 2 }])).rejects.toThrow('have 3 bytes instead of 2');
    expect([journal.size(), readFileSync(journalPath(folder, 1), 'utf8')]).toEqual([0, '']);
    await journal.close();
  });

  it('whose name cannot be made durable is not created', async () => {
    const folder = temporaryFolder();
    await onFileHandles('sync', () => Promise.reject(systemError('EIO')));
    await expect(createJournal(folder, 1)).rejects.toThrow('EIO');
    expect([readdirSync(folder), isOpen(journalPath(folder, 1))]).toEqual([[], false]);
  });

  it('is opened with its complete lines only, and is closed if the rest cannot be dropped', async () => {
    const folder = temporaryFolder();
    const file = journalPath(folder, 1);
    writeFileSync(file, 'a\nb');
    const end = await onFileHandles('truncate', () => Promise.reject(systemError('EROFS')));
    await expect(openJournal(folder, 1, 2)).rejects.toThrow('EROFS');
    expect(isOpen(file)).toBe(false);
    const whole = await openJournal(folder, 1, 3);
    await whole.close();
    end();
    const journal = await openJournal(folder, 1, 2);
    await journal.append([written('c\n')]);
    expect(journal.size()).toBe(4);
    await journal.close();
    expect(readFileSync(file, 'utf8')).toBe('a\nc\n');
  });

  it('has a number in its name', async () => {
    const folder = temporaryFolder();
    for (const name of ['10', '9', '010', '1x', ''].map((part) => `journal-${part}.ndjson`)) {
      writeFileSync(path.join(folder, name), '');
    }
    for (const name of ['xjournal-3.ndjson', 'journal-4.ndjsonx', 'journal-5xndjson']) {
      writeFileSync(path.join(folder, name), '');
    }
    expect(await listJournals(folder)).toEqual([9, 10]);
  });
});

describe('a replay', () => {
  const replayed = async (journals: Readonly<Record<number, string>>, first = 1, after = 0) => {
    const folder = temporaryFolder();
    for (const [number, text] of Object.entries(journals)) writeFileSync(journalPath(folder, Number(number)), text);
    const applied: [Operation, number, string, number][] = [];
    const result = await replay(folder, first, after, (operation, { journal, file, line }) =>
      applied.push([operation, journal, path.basename(file), line]),
    ).catch((error: Error) => error.message.replace(folder, '').replace(/ Nothing was changed.*/, ''));
    return { result, applied };
  };

  it('passes on the operations of all journals in order', async () => {
    const { result, applied } = await replayed(
      {
        1: lineOf(1, 90),
        2: lineOf(5, 70, [['s', 1]]) + lineOf(6, 60, [['d', 'actors', 'a']]),
        3: lineOf(7, 50, [['s', 2]]),
        4: '',
      },
      2,
      4,
    );
    expect(applied).toEqual([
      [['s', 1], 2, 'journal-2.ndjson', 1],
      [['d', 'actors', 'a'], 2, 'journal-2.ndjson', 2],
      [['s', 2], 3, 'journal-3.ndjson', 1],
    ]);
    const sizes = [lineOf(5, 70, [['s', 1]]).length + lineOf(6, 60, [['d', 'actors', 'a']]).length];
    expect(result).toEqual({
      decision: 7,
      time: 70,
      sizes: new Map([
        [2, sizes[0]],
        [3, lineOf(7, 50, [['s', 2]]).length],
        [4, 0],
      ]),
      torn: undefined,
    });
  });

  it('reports an incomplete end, even before an empty journal', async () => {
    const line = lineOf(1, 10);
    expect((await replayed({ 1: `${line}[2,1`, 2: '' })).result).toEqual({
      decision: 1,
      time: 10,
      sizes: new Map([
        [1, line.length],
        [2, 0],
      ]),
      torn: { number: 1, bytes: 4 },
    });
    expect((await replayed({ 1: line })).result).toMatchObject({ torn: undefined });
  });

  it('refuses damage', async () => {
    const good = lineOf(1, 1);
    const damaged = 'The data is damaged: /journal-';
    const of = async (journals: Readonly<Record<number, string>>, first = 1) =>
      (await replayed(journals, first)).result;
    expect(await of({ 1: good.replace('1', '2') })).toBe(`${damaged}1.ndjson, line 1: the checksum does not match.`);
    expect(await of({ 1: good + lineOf(3, 1) })).toBe(`${damaged}1.ndjson, line 2: expected transaction 2, found 3.`);
    expect(await of({ 1: lineOf(1, 1, [['x']]) })).toBe(
      `${damaged}1.ndjson, line 1: it contains an unknown operation.`,
    );
    expect(await of({ 1: good, 3: '' })).toBe(`${damaged}2.ndjson: the file is missing.`);
    expect(await of({ 1: '' }, 2)).toBe(`${damaged}2.ndjson: the file is missing.`);
    expect(await of({})).toBe(`${damaged}1.ndjson: the file is missing.`);
    expect(await of({ 1: `${good}[`, 2: lineOf(2, 1) })).toBe(`${damaged}1.ndjson: its end is missing.`);
  });
});

describe('a line of the journal', () => {
  const operations = (values: unknown) => {
    const begun = `[1,2,${JSON.stringify(values)}`;
    return [...(parseLine(Buffer.from(seal(begun)))?.operations(0) ?? [])];
  };

  it('has a number, a time and operations', () => {
    expect(parseLine(Buffer.from(seal('[7,8,[]')))).toMatchObject({ decision: 7, time: 8 });
    for (const begun of ['[7,"8",[]', '[7,8,{}', '[7,8', '['])
      expect(parseLine(Buffer.from(seal(begun)))).toBeUndefined();
    expect(parseLine(Buffer.from('[7,8,[],"00000000"]'))).toBeUndefined();
  });

  it('has operations of three kinds only', () => {
    expect(
      operations([
        ['s', 5],
        ['d', 'a', 'k'],
      ]),
    ).toEqual([
      ['s', 5],
      ['d', 'a', 'k'],
    ]);
    for (const bad of [
      ['s', 1.5],
      ['s', '1'],
      ['d', 1, 'k'],
      ['d', 'a', 1],
      ['p', 'a', 'r'],
      ['p', 'a', null],
      ['p', 1, {}],
      ['x', 'a', {}],
      5,
      null,
    ]) {
      expect(operations([bad, ['s', 1]])).toEqual([undefined]);
    }
  });

  it('locates the text of a record, whatever its content', () => {
    const draft = draftLine(12, 345);
    expect(draft.isEmpty()).toBe(true);
    const records = [{ a: '"]}\\' }, { b: [[{}], '{['] }, { c: 'žě\\"' }];
    const spans = records.map((record) => draft.put('executions', JSON.stringify(record)));
    draft.delete('tokens', 'ž"');
    draft.sequence(9);
    expect(draft.isEmpty()).toBe(false);
    const { line, bytes } = draft.finish();
    expect([Buffer.byteLength(line), line.at(-1)]).toEqual([bytes, '\n']);
    const found = [...(parseLine(Buffer.from(line.slice(0, -1)))?.operations(1_000) ?? [])];
    expect(found).toEqual([
      ...records.map((record, index) => {
        const span = spans[index];
        return ['p', 'executions', record, { ...span, offset: 1_000 + (span?.offset ?? 0) }];
      }),
      ['d', 'tokens', 'ž"'],
      ['s', 9],
    ]);
    for (const [index, span] of spans.entries()) {
      const text = Buffer.from(line).subarray(span.offset, span.offset + span.length);
      expect(text.toString()).toBe(JSON.stringify(records[index]));
      expect(span.checksum).toBe(recordChecksum(text));
    }
  });
});
