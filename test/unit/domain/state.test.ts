// The rules for versions of a state: numbering, history limits, and If-Match.
import { describe, expect, it } from 'vitest';
import { forgottenStates, newestState, nextState, stateText } from '../../../daemon/domain/actors/state.ts';
import { matchesOf, tagOf } from '../../../daemon/domain/actors/state-match.ts';
import { JsonText, jsonPieces } from '../../../daemon/http/response/json-text.ts';
import { stateRecord } from '../../support/service/records.ts';

const row = (...sizes: readonly number[]) => sizes.map((bytes, n) => stateRecord('a', n + 1, { bytes }));
const forgotten = (sizes: readonly number[], versions: number, bytes: number) =>
  forgottenStates(row(...sizes), { versions, bytes }).map(({ version }) => version);

describe('the versions of a state', () => {
  it('start with {} and are numbered consecutively', () => {
    expect(stateText([])).toBe('{}');
    const set = { text: '1', bytes: 1, by: 'ana', at: 5 };
    expect(nextState({ id: 'a', tenant: 'DEV' }, [], set)).toEqual({ actorId: 'a', tenant: 'DEV', version: 1, ...set });
    expect(nextState({ id: 'a', tenant: 'DEV' }, row(1, 1), set).version).toBe(3);
    expect(newestState(row(1, 2, 3))?.bytes).toBe(3);
    expect(stateText([stateRecord('a', 1, { text: '7' })])).toBe('7');
  });

  const cases: [string, readonly number[], number, number, readonly number[]][] = [
    ['nothing within the limits', [1, 1, 1], 3, 3, []],
    ['the oldest above the maximum count', [1, 1, 1, 1], 3, 99, [1]],
    ['the oldest above the maximum size', [5, 5, 5], 9, 10, [1]],
    ['all before a version that is too large, and keep that version', [1, 1, 50], 9, 10, [1, 2]],
    ['no small version from before a gap', [1, 9, 9], 9, 10, [1, 2]],
    ['nothing from an empty history', [], 9, 10, []],
  ];
  it.each(cases)('drop %s', (_name, sizes, versions, bytes, expected) => {
    expect(forgotten(sizes, versions, bytes)).toEqual(expected);
  });
});

describe('If-Match', () => {
  it('matches the tag of a version', () => {
    expect(tagOf(12)).toBe('"12"');
    expect(matchesOf(tagOf(12))(12)).toBe(true);
    expect(matchesOf('12')(12)).toBe(true);
    expect(matchesOf('"6", "7"')(7)).toBe(true);
  });
  it('allows every version if it is missing or *', () => {
    for (const header of [undefined, '*', ' * ']) expect(matchesOf(header)(7)).toBe(true);
  });
  it('accepts several spellings of a version', () => {
    for (const header of ['"7"', '7', 'v7', '"v7"', 'W/"7"', '"6","7"']) {
      expect(matchesOf(header)(7)).toBe(true);
      expect(matchesOf(header)(8)).toBe(false);
    }
  });
  it('that names no version is refused', () => {
    for (const header of ['', 'x', '-1', '7.0', '"7', '1e3', '"7",', '9'.repeat(20), 'x"7"', '"7"x', 'x7'])
      expect(() => matchesOf(header)).toThrow(
        expect.objectContaining({
          code: 'VALIDATION',
          message: 'If-Match must be the version of the state, like "12", or * for any.',
          detail: { field: 'If-Match' },
        }),
      );
  });
});

describe('JSON text in a response', () => {
  const written = (value: unknown) => jsonPieces(value, false).join();
  it('is inserted unchanged at any depth', () => {
    const value = [new JsonText('1e400'), { a: new JsonText('{"b": "$&"}'), c: 'json-text:0' }];
    expect(written(value)).toBe('[1e400,{"a":{"b": "$&"},"c":"json-text:0"}]');
    expect(written(new JsonText('9007199254740993'))).toBe('9007199254740993');
  });
  it('leaves responses without JSON text unchanged', () => {
    expect(written({ a: 1 })).toBe('{"a":1}');
    expect(written(undefined)).toBe('null');
  });
});
