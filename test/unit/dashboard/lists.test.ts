// Lists of the dashboard: blocks of rows, filters, timings and differences.
import { describe, expect, it } from 'vitest';
import { knownOf, wordIn } from '../../../daemon/web/dashboard/parts/known-names.ts';
import { diffLines } from '../../../daemon/web/dashboard/parts/line-diff.ts';
import { blocksOf, movedBy, positionOf, uniqueKeys, windowOf } from '../../../daemon/web/dashboard/parts/row-blocks.ts';
import { formatRate, matches } from '../../../daemon/web/dashboard/views/actors/rows.ts';
import { timingsOf } from '../../../daemon/web/dashboard/views/executions/timings.ts';

describe('the blocks of a listing', () => {
  it('start with the last record', () => {
    expect([positionOf(0, 250), positionOf(249, 250)]).toEqual([249, 0]);
    expect(blocksOf(0, 60, 250)).toEqual([1, 2]);
    expect(blocksOf(200, 260, 250)).toEqual([0]);
  });

  it('keep their records when new ones arrive', () => {
    const at = 5;
    expect(positionOf(at, 250)).toBe(positionOf(at + 10, 260));
  });

  it('render the visible rows and some around them', () => {
    expect(windowOf(0, 320, 32, 10_000)).toEqual({ first: 0, last: 18 });
    expect(windowOf(320_000 - 320, 320, 32, 10_000)).toEqual({ first: 9_982, last: 9_999 });
    expect(windowOf(0, 320, 32, 0)).toEqual({ first: 0, last: -1 });
  });
});

describe('a record among others', () => {
  const keyOf = (at: number): string => 'abcdef'[at] ?? '';
  it.each([
    [{ key: 'c', at: 2 }, 0],
    [{ key: 'f', at: 2 }, 3],
    [{ key: 'a', at: 4 }, -4],
    [{ key: 'x', at: 2 }, 0],
    [{ key: 'f', at: 9 }, -4],
  ])('%j moved by %d rows', (record, by) => {
    expect(movedBy(record, keyOf, 6)).toBe(by);
  });

  it('has a key that no other row has', () => {
    expect(uniqueKeys(['a', 'b', 'a', 'c'])).toEqual(['a', 'b', 'a 2', 'c']);
  });
});

describe('the search for actors', () => {
  const actor = {
    id: 'KY8YaVDyrY9BA',
    name: 'resize',
    image: 'file:///a',
    owner: 'dev',
    status: 'READY',
    aliases: ['images'],
  } as const;
  it.each([
    ['', true],
    ['RESIZE dev', true],
    ['images ready', true],
    ['ky8', true],
    ['resize bob', false],
  ])('%j matches: %s', (q, found) => {
    expect(matches({ ...actor, aliases: [...actor.aliases] }, q)).toBe(found);
  });
});

it('an actor is named by its name if that means no other one, and is not taken as a flag or an id', () => {
  const names = ['only', 'twice', 'twice', 'alias', '', '-flag', 'KY8YaVDyrY9BA', 'aliases', 'a/b'];
  const all = names.map((name, index) => ({ id: String(index), name }));
  const known = knownOf(all, ['alias', 'weekly']);
  expect(all.map(({ id }) => wordIn(known, id))).toEqual(['only', '1', '2', '3', '4', '5', '6', 'aliases', 'a/b']);
});

it.each([
  [0, 0, ''],
  [3, 0, '0 %'],
  [1_000, 1, '1 %'],
  [1_000, 999, '99 %'],
  [2, 2, '100 %'],
])('of %i executions %i have failed: %j', (ended, failed, text) => {
  expect(formatRate({ running: 0, waiting: 0, recent: [], ended, failed })).toBe(text);
});

describe('the timings of an execution', () => {
  const received = '2026-01-01T00:00:00.000Z';
  it('divide its total time', () => {
    const times = { startTime: '2026-01-01T00:00:01.000Z', finishTime: '2026-01-01T00:00:04.000Z' };
    expect(timingsOf({ messageReceivedTime: received, ...times }, 0)).toEqual([
      { name: 'waited', ms: 1_000, percent: 25 },
      { name: 'ran', ms: 3_000, percent: 75 },
    ]);
  });

  it('of a waiting execution grow until now, even with a clock that is behind', () => {
    const now = Date.parse(received);
    expect(timingsOf({ messageReceivedTime: received }, now + 500)).toEqual([
      { name: 'waited', ms: 500, percent: 100 },
    ]);
    expect(timingsOf({ messageReceivedTime: received }, now - 500)[0]?.ms).toBe(0);
  });
});

it('a diff keeps common lines', () => {
  expect(diffLines('a\nb\nc', 'a\nx\nc').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'same a',
    'removed b',
    'added x',
    'same c',
  ]);
  expect(diffLines('a', 'a')).toEqual([{ kind: 'same', text: 'a' }]);
});
