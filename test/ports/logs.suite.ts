// The contract of every store of execution logs. Over 250 lines, because it is one contract.
import { describe, expect, it } from 'vitest';
import type { Logs } from '../../daemon/ports/logs.ts';
import type { LogLine } from '../../src/contract/actors/executions.ts';

/** `open` creates a log store that keeps at most `cap` characters of the beginning of a log. */
const LIMIT =
  '[log size limit reached: of the output that follows, only the last 256 KiB are kept and shown at the end]';

export const logsSuite = (name: string, open: (cap: number) => Promise<Logs>): void => {
  const bytes = (text: string): Uint8Array => Buffer.from(text);
  const never = (): boolean => false;
  const collect = async (lines: AsyncIterable<LogLine>): Promise<LogLine[]> => {
    const found: LogLine[] = [];
    for await (const line of lines) found.push(line);
    return found;
  };
  const whole = (logs: Logs, id: string, after?: string): Promise<LogLine[]> =>
    collect(
      logs.follow(id, {
        ...(after === undefined ? {} : { after }),
        waitForStart: never,
        signal: new AbortController().signal,
      }),
    );

  describe(name, () => {
    it('keeps output in the order of its arrival, with notices on their own lines', async () => {
      const logs = await open(1000);
      const log = logs.open('e1');
      log.write('stdout', bytes('one\ntw'));
      log.write('stderr', bytes('oops'));
      log.notice('the engine went away');
      log.write('stdout', bytes('o\n'));
      await log.close();
      expect(await logs.read('e1')).toBe('one\ntwoops\nthe engine went away\no\n');
      expect((await whole(logs, 'e1')).map(({ stream, text }) => [stream, text])).toEqual([
        ['stdout', 'one\ntw'],
        ['stderr', 'oops'],
        ['notice', 'the engine went away'],
        ['stdout', 'o\n'],
      ]);
    });

    it('returns nothing for an unknown execution and for one without output', async () => {
      const logs = await open(1000);
      await logs.open('e1').close();
      expect(await logs.read('e1')).toBe('');
      expect(await logs.read('e2')).toBe('');
      expect(await whole(logs, 'e2')).toEqual([]);
    });

    it('joins characters that were split over chunks, separately for each stream', async () => {
      const logs = await open(1000);
      const log = logs.open('e1');
      const euro = bytes('€');
      log.write('stdout', euro.subarray(0, 1));
      log.write('stderr', euro.subarray(0, 2));
      log.write('stdout', euro.subarray(1));
      log.write('stderr', euro.subarray(2));
      log.write('stdout', euro.subarray(0, 2));
      await log.close();
      expect(await logs.read('e1')).toBe('€€\ufffd');
    });

    it('R149 limits a log to its first and its last part, never inside a character, and says how much is left out', async () => {
      const logs = await open(10);
      const log = logs.open('e1');
      log.write('stdout', bytes('123456789😀'));
      log.write('stderr', bytes('x'.repeat(300_000)));
      log.write('stdout', bytes(`more ${'é'.repeat(131_070)}`));
      log.write('stderr', bytes('more\n'));
      expect(await logs.leftOut('e1')).toBeNull();
      await log.close();
      // The last 256 KiB begin inside a character, whose second byte is left out too.
      expect(await logs.read('e1')).toBe(`123456789\n${LIMIT}\n[300011 bytes left out]\n${'é'.repeat(131_069)}more\n`);
      expect(await logs.leftOut('e1')).toBe(300_011);
    });

    it('joins characters that were split over chunks around its limit', async () => {
      const logs = await open(2);
      const log = logs.open('e1');
      const [euro, smile] = [bytes('€'), bytes('😀')];
      log.write('stdout', Buffer.concat([bytes('abc'), euro.subarray(0, 1)]));
      log.write('stderr', smile.subarray(0, 1));
      for (const at of [1, 2]) log.write('stdout', euro.subarray(at, at + 1));
      for (const at of [1, 2, 3]) log.write('stderr', smile.subarray(at, at + 1));
      log.write('stdout', Buffer.concat([bytes('d'), euro.subarray(0, 2)]));
      log.write('stdout', Buffer.concat([euro.subarray(2), smile.subarray(0, 2)]));
      await log.close();
      expect(await logs.read('e1')).toBe(`ab\n${LIMIT}\n[nothing is left out]\nc€😀d€\ufffd`);
    });

    it('has the whole output if its rest is not larger than the last part', async () => {
      const logs = await open(10);
      const log = logs.open('e1');
      log.write('stdout', bytes('1234567890'));
      log.write('stderr', bytes('rest'));
      await log.close();
      expect(await logs.read('e1')).toBe(`1234567890\n${LIMIT}\n[nothing is left out]\nrest`);
      expect(await logs.leftOut('e1')).toBe(0);
      const exact = logs.open('e2');
      exact.write('stdout', bytes('1234567890'));
      await exact.close();
      expect(await logs.read('e2')).toBe('1234567890');
      expect(await logs.leftOut('e2')).toBeUndefined();
    });

    it('gives a reader a notice at the limit, and the last part once, after every earlier cursor', async () => {
      const logs = await open(4);
      const log = logs.open('e1');
      log.write('stdout', bytes('1234'));
      log.write('stderr', bytes('56'));
      const reader = logs
        .follow('e1', { waitForStart: never, signal: new AbortController().signal })
        [Symbol.asyncIterator]();
      const seen: LogLine[] = [];
      for (let n = 0; n < 2; n += 1) seen.push((await reader.next()).value);
      expect(seen.map(({ text }) => text)).toEqual(['1234', LIMIT]);
      log.write('stdout', bytes('78'));
      await log.close();
      for (let next = await reader.next(); !next.done; next = await reader.next()) seen.push(next.value);
      expect(seen.slice(2).map(({ stream, text }) => [stream, text])).toEqual([
        ['notice', '[nothing is left out]'],
        ['stderr', '56'],
        ['stdout', '78'],
      ]);
      const cursors = seen.map(({ cursor }) => Number(cursor));
      expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
      expect(await whole(logs, 'e1', seen[1]?.cursor)).toEqual(seen.slice(2));
    });

    it('stores a large output completely, in lines of limited length', async () => {
      const logs = await open(1_000_000);
      const log = logs.open('e1');
      const text = '\u0001'.repeat(99_999) + '😀'.repeat(50_000);
      log.write('stdout', bytes(text));
      await log.close();
      expect(await logs.read('e1')).toBe(text);
      const lines = await whole(logs, 'e1');
      expect(Math.max(...lines.map((line) => line.text.length))).toBeLessThanOrEqual(16 * 1024);
      expect(lines.every((line) => Buffer.from(line.text).toString() === line.text)).toBe(true);
    });

    it('resumes after a cursor', async () => {
      const logs = await open(1000);
      const log = logs.open('e1');
      for (const text of ['a', 'b', 'c', 'd']) log.write('stdout', bytes(text));
      await log.close();
      const lines = await whole(logs, 'e1');
      for (const [index, { cursor }] of lines.entries()) {
        expect((await whole(logs, 'e1', cursor)).map(({ text }) => text)).toEqual(
          ['a', 'b', 'c', 'd'].slice(index + 1),
        );
      }
      expect(await whole(logs, 'e1', '999999')).toEqual([]);
      expect(await whole(logs, 'e1', 'nonsense')).toEqual(lines);
    });

    it('gives readers the stored output and then the new output, each at its own speed, until the writer closes', async () => {
      const logs = await open(100_000);
      const log = logs.open('e1');
      log.write('stdout', bytes('first\n'));
      const fast = whole(logs, 'e1');
      const slow = logs
        .follow('e1', { waitForStart: never, signal: new AbortController().signal })
        [Symbol.asyncIterator]();
      expect((await slow.next()).value.text).toBe('first\n');
      for (let n = 0; n < 500; n += 1) {
        log.write('stdout', bytes(`line ${n}\n`));
        if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await log.close();
      const expected = `first\n${Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join('')}`;
      expect((await fast).map(({ text }) => text).join('')).toBe(expected);
      let text = 'first\n';
      for (let next = await slow.next(); !next.done; next = await slow.next()) text += next.value.text;
      expect(text).toBe(expected);
    });

    it('lets a reader wait for an execution that may still start, and ends the wait when it cannot start any more', async () => {
      const logs = await open(1000);
      let mayBegin = true;
      const signal = new AbortController().signal;
      const waiting = collect(logs.follow('e1', { waitForStart: () => mayBegin, signal }));
      const cancelled = collect(logs.follow('e2', { waitForStart: () => mayBegin, signal }));
      await new Promise((resolve) => setImmediate(resolve));
      const log = logs.open('e1');
      log.write('stdout', bytes('here'));
      await log.close();
      expect((await waiting).map(({ text }) => text)).toEqual(['here']);
      mayBegin = false;
      expect(await cancelled).toEqual([]);
    });

    it('ends a reader when its signal fires, during a wait or a read', async () => {
      const logs = await open(1000);
      const log = logs.open('e1');
      log.write('stdout', bytes('here'));
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const { text } of logs.follow('e1', { waitForStart: never, signal: stop.signal })) {
        seen.push(text);
        setImmediate(() => stop.abort());
      }
      expect(seen).toEqual(['here']);
      expect(await collect(logs.follow('e1', { waitForStart: never, signal: stop.signal }))).toEqual([]);
      await log.close();
    });

    it('replaces the old log when a log is started again, as the new output arrives', async () => {
      const logs = await open(1000);
      const first = logs.open('e1');
      first.write('stdout', bytes('one\n'));
      first.write('stdout', bytes('two\n'));
      await first.close();
      const again = await logs.resume('e1');
      expect(await logs.read('e1')).toBe('one\ntwo\n');
      again.write('stdout', bytes('one\ntwo\nthree\n'));
      await again.close();
      expect(await logs.read('e1')).toBe('one\ntwo\nthree\n');
      await (await logs.resume('e1')).close();
      expect(await logs.read('e1')).toBe('');
    });

    it('replaces any log of an earlier attempt when the run starts for the first time, and shows none of it', async () => {
      const logs = await open(3);
      const old = logs.open('e1');
      old.write('stdout', bytes('long'));
      await old.close();
      const log = logs.open('e1');
      expect(await logs.read('e1')).toBe('');
      const lines = whole(logs, 'e1');
      log.write('stdout', bytes('new'));
      await log.close();
      expect((await lines).map(({ text }) => text)).toEqual(['new']);
      await logs.open('e1').close();
      expect(await logs.read('e1')).toBe('');
    });

    it('continues a log at its limit when its output is written again, and repeats no part of it', async () => {
      const logs = await open(4);
      const first = logs.open('e1');
      first.write('stdout', bytes('12'));
      first.write('stderr', bytes('34€'));
      first.write('stdout', bytes('lost with its writer'));
      await first.close('continues');
      const before = await whole(logs, 'e1');
      expect(before.map(({ text }) => text)).toEqual(['12', '34', LIMIT]);
      const again = await logs.resume('e1');
      const reading = whole(logs, 'e1');
      expect(await logs.leftOut('e1')).toBeNull();
      // The streams arrive in another order.
      again.write('stderr', bytes('34€'));
      again.write('stdout', bytes('12'));
      again.write('stdout', bytes('!'));
      await again.close();
      const lines = await reading;
      expect(lines.slice(0, 3)).toEqual(before);
      expect(lines.slice(3).map(({ stream, text }) => [stream, text])).toEqual([
        ['notice', '[nothing is left out]'],
        ['stderr', '€'],
        ['stdout', '!'],
      ]);
    });

    it('of a run whose output may not be complete any more gives a lower bound of what is left out', async () => {
      const logs = await open(4);
      const first = logs.open('e1');
      first.write('stdout', bytes('12345'));
      await first.close('continues');
      const again = await logs.resume('e1');
      again.write('stdout', bytes(`1234${'x'.repeat(300_000)}`));
      await again.close();
      expect((await whole(logs, 'e1'))[2]?.text).toBe(`[at least ${300_000 - 256 * 1024} bytes left out]`);
      expect(await logs.leftOut('e1')).toBe(300_000 - 256 * 1024);
    });

    it('says that the rest is not known if the run is lost, with and without output', async () => {
      const logs = await open(4);
      for (const id of ['e1', 'e2']) {
        const first = logs.open(id);
        first.write('stdout', bytes('12345'));
        await first.close('continues');
        const again = await logs.resume(id);
        if (id === 'e1') again.write('stdout', bytes('12345'));
        await again.close('unknown');
        expect(await logs.leftOut(id)).toBeNull();
      }
      const end = '[the rest of the output is not known]\n';
      expect(await logs.read('e1')).toBe(`1234\n${LIMIT}\n5\n${end}`);
      expect(await logs.read('e2')).toBe(`1234\n${LIMIT}\n${end}`);
      const short = logs.open('e3');
      short.write('stdout', bytes('123'));
      await short.close('continues');
      await (await logs.resume('e3')).close('unknown');
      expect(await logs.read('e3')).toBe('123');
    });

    it('leaves a log that has its end unchanged when it is resumed, with and without output', async () => {
      const logs = await open(4);
      const first = logs.open('e1');
      first.write('stdout', bytes('12345'));
      await first.close();
      const cut = await whole(logs, 'e1');
      const again = await logs.resume('e1');
      const reading = whole(logs, 'e1');
      again.write('stdout', bytes('56789'));
      await again.close();
      expect(await reading).toEqual(cut);
      await (await logs.resume('e1')).close('unknown');
      expect(await whole(logs, 'e1')).toEqual(cut);
      expect(await logs.leftOut('e1')).toBe(0);
    });

    it('counts output that the executor has left out, and keeps only what follows it', async () => {
      const logs = await open(4);
      const log = logs.open('e1');
      log.write('stdout', bytes('12345'));
      log.write('stderr', bytes('end'), 1_000);
      await log.close();
      expect(await logs.read('e1')).toBe(`1234\n${LIMIT}\n[1001 bytes left out]\nend`);
    });

    it('drops output after the end', async () => {
      const logs = await open(1000);
      const log = logs.open('e1');
      log.write('stdout', bytes('in time'));
      await log.close();
      log.write('stdout', bytes('late'));
      log.notice('late');
      await log.close();
      expect(await logs.read('e1')).toBe('in time');
    });

    it('deletes logs, and deleting a missing log does nothing', async () => {
      const logs = await open(1000);
      const log = logs.open('e1');
      log.write('stdout', bytes('x'));
      await log.close();
      await logs.delete(['e1', 'e2']);
      expect(await logs.read('e1')).toBe('');
    });

    it('R111 never uses an id as a path', async () => {
      const logs = await open(1000);
      for (const id of ['../e1', 'a/b', '', '.', 'a.b', 'a\0b', 'x'.repeat(65)]) {
        expect(() => logs.open(id)).toThrow('not the id');
        await expect(logs.read(id)).rejects.toThrow('not the id');
        await expect(whole(logs, id)).rejects.toThrow('not the id');
        await expect(logs.delete([id])).rejects.toThrow('not the id');
      }
    });
  });
};
