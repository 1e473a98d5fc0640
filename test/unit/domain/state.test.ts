// The versions of a state as rules: what comes next, what is forgotten, which change is let through.
import { describe, expect, it } from 'vitest';
import { forgottenStates, newestState, nextState, stateText } from '../../../daemon/domain/actors/state.ts';
import { matchesOf } from '../../../daemon/domain/actors/state-match.ts';
import { JsonText, stringifyWithTexts } from '../../../daemon/http/response/json-text.ts';
import { stateRecord } from '../../support/service/records.ts';

const row = (...sizes: readonly number[]) => sizes.map((bytes, n) => stateRecord('a', n + 1, { bytes }));
const forgotten = (sizes: readonly number[], versions: number, bytes: number) =>
  forgottenStates(row(...sizes), { versions, bytes }).map(({ version }) => version);

describe('a row of versions', () => {
  it('begins with {} and goes on by one', () => {
    expect(stateText([])).toBe('{}');
    const set = { text: '1', bytes: 1, by: 'ana', at: 5 };
    expect(nextState({ id: 'a', tenant: 'DEV' }, [], set)).toEqual({ actorId: 'a', tenant: 'DEV', version: 1, ...set });
    expect(nextState({ id: 'a', tenant: 'DEV' }, row(1, 1), set).version).toBe(3);
    expect(newestState(row(1, 2))?.bytes).toBe(2);
  });

  const cases: [string, readonly number[], number, number, readonly number[]][] = [
    ['nothing within bounds', [1, 1, 1], 3, 3, []],
    ['the oldest above the number', [1, 1, 1, 1], 3, 99, [1]],
    ['the oldest above the size', [5, 5, 5], 9, 10, [1]],
    ['all before one that is too large, which stays', [1, 1, 50], 9, 10, [1, 2]],
    ['no small one from before a gap', [1, 9, 9], 9, 10, [1, 2]],
    ['nothing of nothing', [], 9, 10, []],
  ];
  it.each(cases)('forgets %s', (_name, sizes, versions, bytes, expected) => {
    expect(forgotten(sizes, versions, bytes)).toEqual(expected);
  });
});

describe('If-Match', () => {
  it('lets every version through when it is missing or *', () => {
    for (const header of [undefined, '*', ' * ']) expect(matchesOf(header)(7)).toBe(true);
  });
  it('names versions in several spellings', () => {
    for (const header of ['"7"', '7', 'v7', '"v7"', 'W/"7"', '"6","7"']) {
      expect(matchesOf(header)(7)).toBe(true);
      expect(matchesOf(header)(8)).toBe(false);
    }
  });
  it('that names no version is refused', () => {
    for (const header of ['', 'x', '-1', '7.0', '"7', '1e3', '"7",', '9'.repeat(20)])
      expect(() => matchesOf(header)).toThrow('If-Match');
  });
});

describe('JSON text in an answer', () => {
  const written = (value: unknown) => stringifyWithTexts(() => JSON.stringify(value));
  it('stands as it is, wherever it stands', () => {
    const value = [new JsonText('1e400'), { a: new JsonText('{"b": "$&"}'), c: 'json-text:0' }];
    expect(written(value)).toBe('[1e400,{"a":{"b": "$&"},"c":"json-text:0"}]');
    expect(written(new JsonText('9007199254740993'))).toBe('9007199254740993');
  });
  it('leaves answers without any alone', () => {
    expect(written({ a: 1 })).toBe('{"a":1}');
    expect(written(undefined)).toBeUndefined();
  });
});
