// Actors of a project that have another key in the file than in its record.
import { describe, expect, it } from 'vitest';
import { emptyRecord, type ProjectRecord } from '../../../src/commands/project/plan/record.ts';
import { withKeysOf } from '../../../src/commands/project/plan/renamed-actors.ts';

const entry = (id: string) => ({ id, users: [], fields: [], shares: [] });
const record: ProjectRecord = { ...emptyRecord('s'), actors: { intake: entry('A1'), other: entry('A2') } };
const names = new Map([
  ['A1', 'weather-intake'],
  ['A2', 'other'],
]);
const keys = (wanted: readonly { readonly key: string; readonly name: string }[], by = names) =>
  Object.fromEntries(Object.entries(withKeysOf(record, wanted, by).actors).map(([key, { id }]) => [key, id]));
const other = { key: 'other', name: 'other' };

describe('the keys of the record', () => {
  it('change to those of the file if the name at the service is the same', () => {
    expect(keys([{ key: 'weather-intake', name: 'weather-intake' }, other])).toEqual({
      'weather-intake': 'A1',
      other: 'A2',
    });
    expect(keys([{ key: 'in', name: 'weather-intake' }, other])).toEqual({ in: 'A1', other: 'A2' });
  });
  it('stay if the file still has them, or has another name', () => {
    const same = { intake: 'A1', other: 'A2' };
    expect(keys([{ key: 'intake', name: 'weather-intake' }, { key: 'new', name: 'weather-intake' }, other])).toEqual(
      same,
    );
    expect(keys([{ key: 'new', name: 'new' }, other])).toEqual(same);
    expect(keys([{ key: 'weather-intake', name: 'weather-intake' }, other], new Map([['A2', 'other']]))).toEqual(same);
  });
  it('stay if two actors have the name', () => {
    const twice = new Map([
      ['A1', 'x'],
      ['A2', 'x'],
    ]);
    expect(keys([{ key: 'x', name: 'x' }], twice)).toEqual({ intake: 'A1', other: 'A2' });
  });
});
