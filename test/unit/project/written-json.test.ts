// JSON that a person wrote: byte order marks, line ends, repeated names, and the place of the first error.
import { describe, expect, it } from 'vitest';
import { jsonProblem, parseWrittenJson } from '../../../src/local/written-json.ts';

describe('written JSON', () => {
  it.each([
    ['\ufeff{"a":1}', { a: 1 }],
    ['{\r\n  "a": [1, {}]\r\n}\r\n', { a: [1, {}] }],
    [' [] ', []],
    ['"text"', 'text'],
    ['{"a":{"a":1},"b":[{"a":2},{"a":3}]}', { a: { a: 1 }, b: [{ a: 2 }, { a: 3 }] }],
    [`${'['.repeat(5_000)}${']'.repeat(5_000)}`, expect.anything()],
  ])('%j is read', (text, value) => {
    expect(parseWrittenJson(text, 'x.json')).toEqual(value);
  });

  it.each([
    ['', '1:1: the text ends too early'],
    ['\0\0\0', '1:1: this is not a JSON value'],
    ['{"a":1,}', '1:8: a name in double quotes is missing here'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3: a comma is missing before this'],
    ['{\r\n  "a": 1,\r\n  "a": 2\r\n}', '3:3: the object has this name already'],
    ['{"\\u0061":1,"a":2}', '1:13: the object has this name already'],
    ["{'a':1}", '1:2: a name in double quotes is missing here'],
    ['{"a" 1}', '1:6: a colon is missing before this'],
    ['{"a":}', '1:6: a value is missing here'],
    ['[1,]', '1:4: a value is missing here'],
    ['[1 2]', '1:4: a comma is missing before this'],
    ['[1}', '1:3: a comma is missing before this'],
    ['{"a":[1]', '1:9: the text ends too early'],
    ['{"a":1} x', '1:9: the JSON value ends before this'],
    ['[01]', '1:2: this is not a JSON value'],
    ['[NaN]', '1:2: this is not a JSON value'],
    ['["a\nb"]', '1:2: this string is not valid'],
    ['["a', '1:2: this string is not valid'],
    ['{"a":1}\ufeff', '1:8: the JSON value ends before this'],
  ])('%j is refused with the place of its first error', (text, problem) => {
    expect(jsonProblem(text)).toBe(problem);
    expect(() => parseWrittenJson(text, 'x.json')).toThrow(`x.json:${problem}`);
  });

  it('is refused exactly if JSON.parse refuses it, except for repeated names', () => {
    const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"b"', '1', '-', 'true', ' ', '\n', '"'];
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let round = 0; round < 20_000; round += 1) {
      const text = Array.from({ length: 1 + next(9) }, () => pieces[next(pieces.length)]).join('');
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      const problem = jsonProblem(text);
      if (problem?.endsWith('has this name already')) continue;
      expect({ text, valid }).toEqual({ text, valid: problem === undefined });
    }
  });
});
