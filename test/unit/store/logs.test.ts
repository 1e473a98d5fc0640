// The log file of an execution and its writer: lines, cursors, limits and a disk that refuses. Over 250 lines, because the
// cases share their helpers.
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  endLine,
  head,
  LIMIT_NOTICE,
  logLine,
  MAX_TEXT,
  readBeginning,
  readEnd,
  readPiece,
} from '../../../daemon/store/logs/log-file.ts';
import { createLogWriter } from '../../../daemon/store/logs/log-writer.ts';
import { openLogs } from '../../../daemon/store/logs/logs.ts';
import type { LogLine } from '../../../src/contract/actors/executions.ts';
import { isOpen, onFileHandles, systemError } from '../../support/store/file-handles.ts';
import { handClock, rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const ALL = Number.MAX_SAFE_INTEGER;

describe('a log file', () => {
  const last = (lines: readonly LogLine[], position: number | undefined) => ({ lines, position, more: false });
  const fileWith = (text: string): string => {
    const file = path.join(temporaryFolder(), 'e1.ndjson');
    writeFileSync(file, text);
    return file;
  };

  it('has lines with time, stream and text, and a cursor after each', async () => {
    const lines = [logLine(0, 'stdout', 'a\n'), logLine(1, 'stderr', 'ž'), logLine(2, 'notice', '')];
    expect(lines[1]).toBe('[1,"e","ž"]\n');
    const file = fileWith(lines.join(''));
    const sizes = lines.map((line) => Buffer.byteLength(line));
    const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0));
    const all = await readPiece(file, 0, ALL);
    expect(all.lines).toEqual([
      { cursor: String(ends[0]), time: '1970-01-01T00:00:00.000Z', stream: 'stdout', text: 'a\n' },
      { cursor: String(ends[1]), time: '1970-01-01T00:00:00.001Z', stream: 'stderr', text: 'ž' },
      { cursor: String(ends[2]), time: '1970-01-01T00:00:00.002Z', stream: 'notice', text: '' },
    ]);
    expect(all).toEqual(last(all.lines, ends[2]));
    expect(await readPiece(file, ends[0] ?? 0, ALL)).toEqual(last(all.lines.slice(1), ends[2]));
    // A position inside a line, which is skipped.
    expect(await readPiece(file, 1, ALL)).toEqual(last(all.lines.slice(1), ends[2]));
    expect(await readPiece(file, 0, ends[1] ?? 0)).toEqual(last(all.lines.slice(0, 2), ends[1]));
    // A limit inside a line, and none left.
    expect(await readPiece(file, 0, (ends[1] ?? 0) - 1)).toEqual(last(all.lines.slice(0, 1), ends[0]));
    for (const limit of [0, ends[2] ?? 0]) {
      expect(await readPiece(file, ends[2] ?? 0, limit)).toEqual(last([], ends[2]));
    }
    expect(await readPiece(file, ends[2] ?? 0, ALL)).toEqual(last([], ends[2]));
    expect(isOpen(file)).toBe(false);
  });

  it('is read without its damaged lines, and without an incomplete last one', async () => {
    const good = '[0,"o","good"]\n';
    const damaged = ['[0,"o"\n', '{}\n', '["0","o","x"]\n', '[0,"x","x"]\n', '[0,"o",1]\n', '[1e99,"o","x"]\n', '\n'];
    const { lines, position } = await readPiece(fileWith(`${damaged.join('')}${good}[0,"o`), 0, ALL);
    expect(lines.map(({ text }) => text)).toEqual(['good']);
    expect(position).toBe(damaged.join('').length + good.length);
  });

  it('is read in pieces of 128 KiB, and a missing one is empty', async () => {
    const line = logLine(0, 'stdout', 'x'.repeat(30_000));
    const file = fileWith(line.repeat(9));
    const first = await readPiece(file, 0, ALL);
    expect([first.lines.length, first.position, first.more]).toEqual([4, 4 * line.length, true]);
    const second = await readPiece(file, first.position, ALL);
    expect([second.lines.length, second.position, second.more]).toEqual([4, 8 * line.length, true]);
    expect(await readPiece(file, second.position, ALL)).toMatchObject({ position: 9 * line.length, more: false });
    // Damage: no line ends within a whole piece.
    expect(await readPiece(fileWith('x'.repeat(300_000)), 0, ALL)).toEqual(last([], 0));
    expect(await readPiece(`${file}.missing`, 0, ALL)).toEqual(last([], 0));
    expect(await readPiece(`${file}.missing`, 5, ALL)).toEqual(last([], 5));
    const link = `${file}.link`;
    symlinkSync(file, link);
    await expect(readPiece(link, 0, ALL)).rejects.toThrow('ELOOP');
  });

  it('has texts that are never cut inside a character', () => {
    expect([head('abc', 3), head('abc', 2), head('a😀', 2), head('a😀b', 3), head('', 0)]).toEqual([
      'abc',
      'ab',
      'a',
      'a😀',
      '',
    ]);
    expect(head('\ud7ff\ud800', 1)).toBe('\ud7ff');
    expect([head('\udbffx', 1), head('\udc00x', 1)]).toEqual(['', '\udc00']);
  });
});

describe('the end of a log', () => {
  const full = logLine(1, 'stdout', 'ab') + logLine(1, 'stderr', 'ž') + logLine(1, 'notice', LIMIT_NOTICE);
  const end = logLine(2, 'notice', '[9 bytes left out]') + logLine(1, 'stdout', 'c') + endLine(2, 9);
  const written = (text: string): string => {
    const file = path.join(temporaryFolder(), 'e1.ndjson');
    writeFileSync(file, text);
    return file;
  };

  it('is found if it is complete, and is no line of the log', async () => {
    const file = written(full + end);
    expect(await readEnd(file)).toEqual({ leftOut: 9 });
    expect(await readBeginning(file)).toEqual({ kind: 'complete' });
    expect((await readPiece(file, 0, ALL)).lines.map(({ text }) => text)).toEqual([
      ...['ab', 'ž', LIMIT_NOTICE],
      ...['[9 bytes left out]', 'c'],
    ]);
    expect(await readEnd(written(endLine(2, null)))).toEqual({ leftOut: null });
  });

  it('that a crash left incomplete is written again behind the notice of the limit', async () => {
    for (const kept of [0, 1, end.length - 1]) {
      const file = written(full + end.slice(0, kept));
      expect(await readEnd(file)).toBeUndefined();
      const beginning = await readBeginning(file);
      expect(beginning).toEqual({
        kind: 'continued',
        size: Buffer.byteLength(full),
        stored: { stdout: 2, stderr: 1 },
      });
      const [clock, logger] = [handClock(5), rememberingLogger()];
      const told = { onWritten: () => undefined, onClosed: () => undefined };
      const writer = createLogWriter({ file, beginning, cap: 3, clock, logger, ...told });
      expect(writer.written()).toBe(Buffer.byteLength(full));
      writer.write('stdout', Buffer.from('abc'));
      writer.write('stderr', Buffer.from('ž'));
      await writer.close();
      expect(readFileSync(file, 'utf8')).toBe(
        full + logLine(5, 'notice', '[nothing is left out]') + logLine(5, 'stdout', 'c') + endLine(5, 0),
      );
    }
  });

  it('of a log below its limit, or of none, is not expected: new output replaces it', async () => {
    for (const text of ['', logLine(1, 'stdout', LIMIT_NOTICE), logLine(1, 'stdout', 'x'.repeat(300_000))]) {
      expect(await readBeginning(written(text))).toEqual({ kind: 'replaced' });
    }
    expect(await readBeginning(path.join(temporaryFolder(), 'missing'))).toEqual({ kind: 'replaced' });
  });
});

describe('a log writer', () => {
  const make = (cap = 100) => {
    const file = path.join(temporaryFolder(), 'e1.ndjson');
    const logger = rememberingLogger();
    const calls: string[] = [];
    const clock = handClock(5);
    const writer = createLogWriter({
      beginning: { kind: 'replaced' },
      file,
      cap,
      clock,
      logger,
      onWritten: () => void calls.push('written'),
      onClosed: () => void calls.push('closed'),
    });
    const texts = () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    return { file, logger, calls, writer, texts, clock };
  };

  it('writes in the background, and is durable when it is closed', async () => {
    const { file, writer, calls, texts } = make();
    expect(writer.written()).toBeUndefined();
    const synced: boolean[] = [];
    await onFileHandles('sync', async (real, handle) => {
      synced.push((await handle.stat()).isDirectory());
      return real();
    });
    writer.write('stdout', Buffer.from('a'));
    writer.notice('n');
    writer.write('stderr', Buffer.from(''));
    await writer.close();
    expect(texts()).toEqual([
      [5, 'o', 'a'],
      [5, 'n', 'n'],
    ]);
    expect([writer.written(), synced.toSorted()]).toEqual([statSync(file).size, [false, true]]);
    await expect.poll(() => isOpen(file)).toBe(false);
    expect(calls.at(-1)).toBe('closed');
    await writer.close();
    writer.write('stdout', Buffer.from('late'));
    writer.notice('late');
    expect([calls.filter((call) => call === 'closed').length, texts().length]).toEqual([1, 2]);
  });

  it('without output removes an older log', async () => {
    const { file, writer, calls } = make();
    writeFileSync(file, 'older');
    await writer.close();
    expect([existsSync(file), calls, writer.written()]).toEqual([false, ['closed'], undefined]);
  });

  it('splits long texts, and completes an unfinished last line', async () => {
    const { writer, texts } = make(10 * MAX_TEXT);
    writer.write('stdout', Buffer.from(`${'x'.repeat(MAX_TEXT)}y`));
    writer.write('stderr', Buffer.from([0xc5]));
    await writer.close();
    expect(texts().map(([, stream, text]) => [stream, text.length, text.at(-1)])).toEqual([
      ['o', MAX_TEXT, 'x'],
      ['o', 1, 'y'],
      ['e', 1, '\ufffd'],
    ]);
  });

  it('stores output up to its limit, then a notice, and at the end the rest with its times and streams', async () => {
    const exact = make(4);
    exact.writer.write('stdout', Buffer.from('ab'));
    exact.writer.notice('not counted');
    exact.writer.write('stderr', Buffer.from('cd'));
    await exact.writer.close();
    expect(exact.texts().map(([, , text]) => text)).toEqual(['ab', 'not counted', 'cd']);
    const { writer, texts, clock } = make(4);
    for (const text of ['abc', 'def']) writer.write('stdout', Buffer.from(text));
    clock.set(6);
    writer.write('stderr', Buffer.from('ghi'));
    clock.set(7);
    await writer.close();
    expect(texts()).toEqual([
      [5, 'o', 'abc'],
      [5, 'o', 'd'],
      [5, 'n', LIMIT_NOTICE],
      [7, 'n', '[nothing is left out]'],
      [5, 'o', 'ef'],
      [6, 'e', 'ghi'],
      [7, 'z', 0],
    ]);
  });

  it('buffers output that the disk refuses, logs that once, and can be closed when there is space', async () => {
    const { file, writer, logger, texts, calls } = make();
    const end = await onFileHandles('write', () => Promise.reject(systemError('ENOSPC')));
    writer.write('stdout', Buffer.from('a'));
    await expect(writer.close()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', detail: { errno: 'ENOSPC' } });
    await expect(writer.close()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'cannot write the log of an execution',
      'cannot make the log of an execution durable',
      'cannot make the log of an execution durable',
    ]);
    expect(logger.lines[0]?.fields).toEqual({ err: systemError('ENOSPC'), file });
    expect(logger.lines[1]?.fields).toEqual({ errno: 'ENOSPC', file });
    expect(calls).toEqual([]);
    end();
    await writer.close();
    expect([texts(), calls]).toEqual([[[5, 'o', 'a']], ['written', 'closed']]);
  });
});

describe('the logs', () => {
  const open = async () => {
    const folder = temporaryFolder();
    return { folder, logs: await openLogs({ folder, clock: handClock(), logger: rememberingLogger() }) };
  };
  const follow = async (
    logs: Awaited<ReturnType<typeof open>>['logs'],
    after?: string,
    signal = new AbortController().signal,
  ): Promise<string[]> => {
    const texts: string[] = [];
    const options = { waitForStart: () => false, signal, ...(after !== undefined && { after }) };
    for await (const { text } of logs.follow('e1', options)) texts.push(text);
    return texts;
  };

  it('are read after a cursor, and an invalid one means the beginning', async () => {
    const { logs } = await open();
    const log = logs.open('e1');
    for (const text of ['a', 'b']) log.write('stdout', Buffer.from(text));
    await log.close();
    const cursor = String('[1000,"o","a"]\n'.length);
    expect(await follow(logs, cursor)).toEqual(['b']);
    for (const bad of [undefined, '', 'x', `x${cursor}`, `${cursor}x`, '-1', '1'.repeat(16)]) {
      expect([bad, await follow(logs, bad)]).toEqual([bad, ['a', 'b']]);
    }
    expect(await follow(logs, '1'.repeat(15))).toEqual([]);
    expect(await follow(logs, undefined, AbortSignal.abort())).toEqual([]);
  });

  it('of one execution with two writers are those of the later one', async () => {
    const { logs } = await open();
    const empty = logs.open('e1');
    const older = await logs.resume('e1');
    const newer = await logs.resume('e1');
    newer.write('stdout', Buffer.from('newer'));
    await expect.poll(() => logs.read('e1')).toBe('newer');
    older.write('stdout', Buffer.from('older'));
    await older.close();
    await empty.close();
    const reading = follow(logs);
    newer.write('stdout', Buffer.from('more'));
    await newer.close();
    expect((await reading).join('')).toBe('newermore');
    expect(await logs.read('e1')).toBe('newermore');
  });

  it('have files named by their execution, which must be an id', async () => {
    const { logs, folder } = await open();
    const log = logs.open('a'.repeat(64));
    log.write('stdout', Buffer.from('x'));
    await log.close();
    expect(existsSync(path.join(folder, 'logs', `${'a'.repeat(64)}.ndjson`))).toBe(true);
    for (const id of ['', 'a'.repeat(65), '../a', 'a b', 'ž']) {
      expect(() => logs.open(id)).toThrow('This is not the id of an execution.');
    }
  });
});
