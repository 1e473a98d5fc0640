// How the dashboard shows the versions of a state.
import { expect, it } from 'vitest';
import { ApiFailure } from '../../../daemon/web/dashboard/api/failure.ts';
import {
  changesOf,
  formatCompared,
  layOutJson,
  SHOWN,
} from '../../../daemon/web/dashboard/views/actors/state-changes.ts';

it.each([
  [{ a: [1, { b: 'x, {y}: "z" \\' }], c: {}, d: [], e: null }],
  [[[], [[]], -1.5e10, true]],
  ['one\n"text"'],
  [0],
])('the layout of %j is that of JSON.stringify', (value) => {
  expect(layOutJson(JSON.stringify(value), 1_000)).toEqual({ text: JSON.stringify(value, null, 2), isCut: false });
  expect(layOutJson(` ${JSON.stringify(value, null, 7)} `, 1_000).text).toBe(JSON.stringify(value, null, 2));
});

it('the layout keeps the digits of a number and says when it was cut', () => {
  expect(layOutJson('{"at":1732300000123456789,"rate":1.0}', 100).text).toBe(
    '{\n  "at": 1732300000123456789,\n  "rate": 1.0\n}',
  );
  expect(layOutJson('[1,2,3]', 8)).toEqual({ text: '[\n  1,\n ', isCut: true });
  expect(layOutJson('{"a":"long text"}', 10)).toEqual({ text: '{\n  "a": "', isCut: true });
});

it('a number that a double rounds is a difference', async () => {
  const { lines, before } = await changesOf(async (version) => `{"at":173230000012345678${version}}`, 9, 8);
  expect([lines.map(({ kind }) => kind), before]).toEqual([['same', 'removed', 'added', 'same'], 8]);
});

it('a previous version that is not retained is named, and other failures are not hidden', async () => {
  const failing = (status: number) => (version: number) =>
    version === 4 ? Promise.resolve('{}') : Promise.reject(new ApiFailure(status, 'refused'));
  const other = await changesOf(async (version) => String(version), 9, 2);
  expect([formatCompared(9, other), other.lines.map(({ text }) => text)]).toEqual([
    'compared with version 2',
    ['2', '9'],
  ]);
  const changes = await changesOf(failing(404), 4, 3);
  expect([formatCompared(4, changes), changes.lines]).toEqual([
    'version 3 is not stored',
    [{ kind: 'same', text: '{}' }],
  ]);
  await expect(changesOf(failing(0), 4, 3)).rejects.toThrow('refused');
  expect(formatCompared(0, await changesOf(async () => '{}', 0, -1))).toBe('the first');
  expect(formatCompared(4, { before: 3 })).toBe('compared with version 3');
});

it('a version is not compared unless a version is chosen for it', async () => {
  const read: number[] = [];
  const shown = await changesOf(async (version) => {
    read.push(version);
    return '{"a":1}';
  }, 9);
  expect([read, shown.before, shown.lines.map(({ kind }) => kind)]).toEqual([[9], undefined, ['same', 'same', 'same']]);
});

it('a state that is longer than what is shown is marked', async () => {
  expect((await changesOf(async () => `"${'x'.repeat(SHOWN)}"`, 1)).isCut).toBe(true);
});
