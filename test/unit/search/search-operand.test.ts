// The operands of search conditions: how their texts are read, and which are refused.
import { describe, expect, it } from 'vitest';
import { parseSearchTime, readOperand, readOperands, readRange } from '../../../daemon/domain/search/search-operand.ts';

const plain = { key: 'f', isTime: false };
const timed = { key: 'f', isTime: true };
const refusal = (message: string) => expect.objectContaining({ code: 'VALIDATION', message, detail: { field: 'f' } });

describe('an operand', () => {
  it.each<[string, unknown]>([
    ['true', true],
    ['FALSE', false],
    ['none', null],
    ['Null', null],
    ['0', 0],
    ['-12.50', -12.5],
    ['1e3', 1_000],
    ['1E-2', 0.01],
    ['1e+2', 100],
    ['1e100', 1e100],
    ['9'.repeat(301), '9'.repeat(301)],
    ['x1', 'x1'],
    ['1x', '1x'],
    ['1.', '1.'],
    ['.5', '.5'],
    ['', ''],
    ['[1,"a"]', [1, 'a']],
    [" {'a': 1}", { a: 1 }],
    ['[1', '[1'],
    ['a[1]', 'a[1]'],
  ])('%j is the value %j, and stays findable as text', (text, value) => {
    expect(readOperand(text, plain)).toEqual({ kind: 'value', value, text });
  });

  it.each(['"3"', "'3'"])('%s in quotes is a text without the quotes', (text) => {
    expect(readOperand(text, plain)).toEqual({ kind: 'value', value: '3', text: '3' });
  });

  it('of a field that is a time is a time, or one of the names of values', () => {
    expect(readOperand('2026', timed)).toEqual({ kind: 'time', at: Date.UTC(2026, 0) });
    expect(readOperand('none', timed)).toEqual({ kind: 'value', value: null, text: 'none' });
    expect(() => readOperand('3', timed)).toThrow(
      refusal('f must be a time: 2026, 2026-01-31, 2026-01-31T12:00Z, 2026-01-31T12:00:00%2B01:00.'),
    );
  });

  it('may nest brackets 64 levels deep', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(readOperand(nested(64), plain)).toMatchObject({ value: JSON.parse(nested(64)) });
    expect(readOperand(`[${'[{}],'.repeat(99)}1]`, plain)).toMatchObject({ value: expect.any(Array) });
    for (const text of [nested(65), `${'{"a":'.repeat(65)}1`]) {
      expect(() => readOperand(text, plain)).toThrow(refusal('f must not nest brackets more than 64 levels deep.'));
    }
  });
});

describe('a list of operands', () => {
  it('is JSON, in which only texts are findable as text', () => {
    expect(readOperands(`["a", 1, null, "2"]`, plain)).toStrictEqual([
      { kind: 'value', value: 'a', text: 'a' },
      { kind: 'value', value: 1 },
      { kind: 'value', value: null },
      { kind: 'value', value: '2', text: '2' },
    ]);
    expect(readOperands(`['2026']`, timed)).toEqual([{ kind: 'time', at: Date.UTC(2026, 0) }]);
  });

  it.each(['a', '"a"', '{"a":1}', '1'])('cannot be %s', (text) => {
    expect(() => readOperands(text, plain)).toThrow(refusal('f must be a JSON list: ["COMPLETE","ERROR"].'));
  });
});

describe('a range', () => {
  it('is two numbers, or two times', () => {
    expect(readRange(' 1, 10 ', plain)).toMatchObject({ from: { value: 1 }, to: { value: 10 } });
    expect(readRange('2026,2027', timed)).toMatchObject({ from: { kind: 'time' }, to: { at: Date.UTC(2027, 0) } });
  });

  it.each(['1', '1,2,3', ''])('cannot be %j', (text) => {
    expect(() => readRange(text, plain)).toThrow(refusal('f must be two values: 1,10.'));
  });

  it.each(['1,b', 'a,2', 'a,b', '1,'])('of a field that is no time cannot be %j', (text) => {
    expect(() => readRange(text, plain)).toThrow(
      refusal('f must be two numbers, or two times for a field that is a time.'),
    );
  });
});

describe('a time in a search', () => {
  it.each([
    ['2000', '2000-01-01T00:00:00.000Z'],
    ['2000-05', '2000-05-01T00:00:00.000Z'],
    ['2000-05:00', '2000-01-01T05:00:00.000Z'],
    ['2000-05-05:00', '2000-05-01T05:00:00.000Z'],
    ['2000-05-01T14', '2000-05-01T14:00:00.000Z'],
    ['2000-05-01T14:45', '2000-05-01T14:45:00.000Z'],
    ['2000-05-01T14:45:10', '2000-05-01T14:45:10.000Z'],
    ['2000-05-01T14:45:10.591', '2000-05-01T14:45:10.591Z'],
    ['2000-05-01T14:45:10.591Z', '2000-05-01T14:45:10.591Z'],
    ['2000-05-01T14:45:10.5+01:30', '2000-05-01T13:15:10.500Z'],
    ['2000-05-01T14:45:10.591999999-01:30', '2000-05-01T16:15:10.591Z'],
    ['2000Z', '2000-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, time) => {
    expect(new Date(parseSearchTime(text)).toISOString()).toBe(time);
  });

  it.each([
    '',
    'x',
    'x2000',
    '2000x',
    '12000',
    '2000-13',
    '2000-02-30',
    '2000-01-01T24:30',
    '2000-01-01T00:00:00.0123456789',
  ])('%j is not valid', (text) => expect(parseSearchTime(text)).toBeNaN());
});
