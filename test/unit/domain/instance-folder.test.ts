// A copied data folder needs an instance id of its own. A moved or restored one keeps its id.
import { expect, it } from 'vitest';
import { isCopy } from '../../../daemon/domain/instance-folder.ts';

const recorded = { path: '/data/a', node: '1:10' };

it.each<[string, { path: string; node: string }, boolean, boolean]>([
  ['the same folder keeps it', recorded, true, false],
  ['a backup restored to its place keeps it', { path: '/data/a', node: '1:11' }, true, false],
  ['a moved folder keeps it', { path: '/data/b', node: '1:10' }, false, false],
  ['a copy beside the original gets a new one', { path: '/data/b', node: '1:11' }, true, true],
  ['a copy gets a new one although the original is gone', { path: '/data/b', node: '1:11' }, false, true],
  ['the original gets a new one if another folder took its place', { path: '/data/b', node: '1:10' }, true, true],
])('instance id: %s', (_title, now, recordedIsThere, copy) => {
  expect(isCopy(recorded, now, recordedIsThere)).toBe(copy);
});
