// The contract of every store of execution logs.
import { describe, expect, it } from 'vitest';
import type { Logs } from '../../daemon/ports/logs.ts';
import type { LogLine } from '../../src/contract/actors/executions.ts';

/** `open` creates a log store that keeps at most `cap` characters per log. */
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

    it('R149 cuts a log at the cap with one notice, and never inside a character', async () => {
      const logs = await open(10);
      const log = logs.open('e1');
      log.write('stdout', bytes('123456789😀'));
      log.write('stdout', bytes('more'));
      log.write('stderr', bytes('more'));
      log.notice('over');
      await log.close();
      expect(await logs.read('e1')).toBe('123456789\n[log truncated after 10 characters]\nover\n');
      const exact = logs.open('e2');
      exact.write('stdout', bytes('1234567890'));
      await exact.close();
      expect(await logs.read('e2')).toBe('1234567890');
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
      const again = logs.open('e1');
      expect(await logs.read('e1')).toBe('one\ntwo\n');
      again.write('stdout', bytes('one\ntwo\nthree\n'));
      await again.close();
      expect(await logs.read('e1')).toBe('one\ntwo\nthree\n');
      await logs.open('e1').close();
      expect(await logs.read('e1')).toBe('');
    });

    it('replaces any log of an earlier attempt when the run starts for the first time, and shows none of it', async () => {
      const logs = await open(3);
      const old = logs.open('e1');
      old.write('stdout', bytes('long'));
      await old.close();
      const log = logs.open('e1', { isFirst: true });
      expect(await logs.read('e1')).toBe('');
      const lines = whole(logs, 'e1');
      log.write('stdout', bytes('new'));
      await log.close();
      expect((await lines).map(({ text }) => text)).toEqual(['new']);
      await logs.open('e1', { isFirst: true }).close();
      expect(await logs.read('e1')).toBe('');
    });

    it('leaves a log that was cut unchanged when it is started again, with and without output', async () => {
      const logs = await open(4);
      const first = logs.open('e1');
      first.write('stdout', bytes('12345'));
      await first.close();
      const cut = '1234\n[log truncated after 4 characters]\n';
      const again = logs.open('e1');
      const reading = whole(logs, 'e1');
      again.write('stdout', bytes('56789'));
      await again.close();
      expect((await reading).map(({ text }) => text)).toEqual(['1234', '[log truncated after 4 characters]']);
      await logs.open('e1').close();
      expect(await logs.read('e1')).toBe(cut);
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
