// The search of executions: the first line of a log that matches, the place at which a search continues, and outcomes.
import { describe, expect, it } from 'vitest';
import {
  createAllowance,
  isBeforeStart,
  isPastEnd,
  outcomeFilter,
  readSearchCursor,
  writeSearchCursor,
} from '../../../daemon/domain/search/execution-search.ts';
import { createLogMatcher, folded, matchLine, matchText } from '../../../daemon/domain/search/text-match.ts';

type Piece = readonly [stream: 'stdout' | 'stderr' | 'notice', text: string];

const inLog = (wanted: string, pieces: readonly Piece[]) => {
  const matcher = createLogMatcher(wanted);
  for (const [stream, text] of pieces) {
    const found = matcher.add({ stream, text });
    if (found !== undefined) return found;
  }
  return matcher.end();
};

describe('the first line of a log with the text', () => {
  it.each<[string, readonly Piece[], number | undefined, string?]>([
    ['no line', [['stdout', 'all is well\n']], undefined],
    ['a line, in any case', [['stdout', 'one\nDISK FULL on sda\n']], 2, 'DISK FULL on sda'],
    [
      'a line in several pieces',
      [
        ['stdout', 'one\nthe disk'],
        ['stdout', ' full'],
        ['stdout', ' again\n'],
      ],
      2,
      'the disk full again',
    ],
    ['a line without an end', [['stdout', 'disk full']], 1],
    [
      'a line that began before one of the other stream',
      [
        ['stdout', 'the '],
        ['stderr', 'oh\n'],
        ['stdout', 'disk full\n'],
      ],
      1,
    ],
    [
      'a line after one of the other stream',
      [
        ['stdout', 'the '],
        ['stderr', 'disk full\n'],
      ],
      2,
    ],
    [
      'two lines that a notice parts',
      [
        ['stdout', 'disk '],
        ['notice', 'left out'],
        ['stdout', 'full\n'],
      ],
      undefined,
    ],
    [
      'a line that a notice ends',
      [
        ['stdout', 'disk full'],
        ['notice', 'left out'],
      ],
      1,
    ],
    ['a notice', [['notice', '[disk full]']], 1],
    ['a line with colours', [['stdout', '\u001b[31mdisk\u001b[0m full\n']], 1, 'disk full'],
    ['a line that was overwritten', [['stdout', 'disk full\rdisk okay\n']], undefined],
    ['a line with a Windows line end', [['stdout', 'disk full\r\n']], 1, 'disk full'],
    ['a line after empty lines', [['stdout', '\n\n\ndisk full\n']], 4],
  ])('is found: %s', (_, pieces, line, text) => {
    const found = inLog('disk full', pieces);
    expect(found?.line).toBe(line);
    if (text !== undefined) expect(found?.text).toBe(text);
  });

  it('is found in time proportional to the log if one line arrives in many pieces', () => {
    const matcher = createLogMatcher('needle');
    for (let n = 0; n < 200_000; n += 1) matcher.add({ stream: 'stdout', text: 'xxxxx' });
    matcher.add({ stream: 'stdout', text: 'NEEDLE' });
    expect(matcher.end()).toMatchObject({ line: 1, start: expect.any(Number) });
  });
});

describe('the text of a match', () => {
  const marked = (text: string, wanted: string) => {
    const { text: shown = '', start = 0, end = 0 } = matchLine(text, wanted, 1) ?? {};
    return { shown, hit: shown.slice(start, end) };
  };

  it('is cut around the hit', () => {
    const { shown, hit } = marked(`${'a'.repeat(5_000)}Needle${'b'.repeat(5_000)}`, 'needle');
    expect(hit).toBe('Needle');
    expect(shown).toMatch(/^…a+Needleb+…$/);
    expect(shown.length).toBe(302);
  });

  it('contains a hit that is longer than the cut text, and at the end of the line', () => {
    expect(marked(`${'a'.repeat(400)}${'n'.repeat(256)}`, 'n'.repeat(256)).hit).toBe('n'.repeat(256));
    expect(marked(`${'a'.repeat(400)}z`, 'z')).toMatchObject({ hit: 'z' });
  });

  it('marks the hit although lower case has another length, and splits no character', () => {
    expect(marked(`${'İ'.repeat(200)}needle`, 'needle').hit).toBe('needle');
    expect(folded('İX')).toBe('İx');
    const { shown } = marked(`${'😀'.repeat(300)}x${'😀'.repeat(300)}`, 'x');
    expect(shown).not.toMatch(/\p{Surrogate}/u);
  });

  it('is the line of a message with its number', () => {
    expect(matchText('one\ntwo disks\nthree', 'disk')).toEqual({ line: 2, text: 'two disks', start: 4, end: 8 });
    expect(matchText('disk', 'disk')).toMatchObject({ line: 1, text: 'disk' });
    expect(matchText('\ndisk', 'disk')).toMatchObject({ line: 2, text: 'disk' });
    expect(matchText('one', 'disk')).toBeUndefined();
  });
});

describe('a cursor', () => {
  it('is the time and the id of the last examined execution', () => {
    const text = writeSearchCursor({ receivedAt: 1_700_000_000_000, id: 'abc' });
    expect(readSearchCursor(text)).toEqual({ at: 1_700_000_000_000, id: 'abc' });
  });

  it.each(['', 'x', '1', '1.', '.a', '1.a.b', '-1.a', `${'9'.repeat(16)}.a`, '1.a b', `1.${'a'.repeat(65)}`])(
    'is refused: "%s"',
    (text) => {
      expect(() => readSearchCursor(text)).toThrow('after must be the value of next');
    },
  );
});

describe('the place at which a search continues', () => {
  const at = (receivedAt: number, sequence: number) => ({ receivedAt, sequence });
  const records = [at(10, 1), at(20, 2), at(20, 3), at(20, 4), at(30, 5)];
  const rest = (bounds: Parameters<typeof isBeforeStart>[0]) => {
    const isBefore = records.filter(isBeforeStart(bounds));
    const ahead = bounds.isNewestFirst ? isBefore.toReversed() : records.filter((each) => !isBefore.includes(each));
    const end = ahead.findIndex(isPastEnd(bounds));
    return ahead.slice(0, end === -1 ? undefined : end).map(({ sequence }) => sequence);
  };

  it.each<[string, Parameters<typeof isBeforeStart>[0], readonly number[]]>([
    ['newest first: all', { isNewestFirst: true }, [5, 4, 3, 2, 1]],
    ['newest first: a range', { isNewestFirst: true, since: 20, until: 20 }, [4, 3, 2]],
    ['newest first: after a cursor', { isNewestFirst: true, cursor: { at: 20, id: 'c' }, cursorSequence: 3 }, [2, 1]],
    ['newest first: after a deleted one', { isNewestFirst: true, cursor: { at: 20, id: 'c' } }, [4, 3, 2, 1]],
    ['oldest first: all', { isNewestFirst: false }, [1, 2, 3, 4, 5]],
    ['oldest first: a range', { isNewestFirst: false, since: 20, until: 25 }, [2, 3, 4]],
    ['oldest first: after a cursor', { isNewestFirst: false, cursor: { at: 20, id: 'c' }, cursorSequence: 3 }, [4, 5]],
    ['oldest first: after a deleted one', { isNewestFirst: false, cursor: { at: 20, id: 'c' } }, [2, 3, 4, 5]],
    [
      'oldest first: a range before the cursor',
      { isNewestFirst: false, since: 15, cursor: { at: 5, id: 'c' } },
      [2, 3, 4, 5],
    ],
  ])('%s', (_, bounds, expected) => {
    expect(rest(bounds)).toEqual(expected);
  });
});

describe('what a request examines', () => {
  it('is used up by records, by short logs, and by the bytes of logs', () => {
    const count = (spend: (allowance: ReturnType<typeof createAllowance>) => void) => {
      const allowance = createAllowance();
      let times = 0;
      for (; !allowance.isUsedUp(); times += 1) spend(allowance);
      return times;
    };
    expect(count((each) => each.examineRecord())).toBe(4_096);
    expect(count((each) => each.openLog())).toBe(1_024);
    expect(count((each) => each.readLog(1024 * 1024))).toBe(4);
  });
});

describe('the outcomes of a search', () => {
  const filter = (words: readonly string[], execution: object) =>
    outcomeFilter(words)?.has({ status: 'COMPLETE', ...execution } as never);

  it.each<[string, object, boolean]>([
    ['failed', { exitCode: 3 }, true],
    ['failed', { exitCode: 137, reason: 'timed_out' }, false],
    ['timed out', { exitCode: 137, reason: 'timed_out' }, true],
    ['timed_out', { exitCode: 137, reason: 'timed_out' }, true],
    ['out-of-memory', { exitCode: 137, reason: 'out_of_memory' }, true],
    ['complete', { exitCode: 0 }, true],
    ['complete', { exitCode: 3 }, false],
    ['COMPLETE', { exitCode: 3 }, true],
    ['waiting', { status: 'SUBMITTED' }, true],
    ['error', { status: 'ERROR' }, true],
  ])('%s of %j: %s', (word, execution, expected) => {
    expect(filter([word], execution)).toBe(expected);
  });

  it('are found by their statuses', () => {
    expect(outcomeFilter(['failed', 'halted', 'waiting'])?.statuses).toEqual(['COMPLETE', 'SUBMITTED']);
    expect(outcomeFilter([])).toBeUndefined();
  });
});
