// Numbers keep their digits and their spelling from the JSON that was received to every output format.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber, exactText, isNumberText, KeptJson, parseExact } from '../../../src/contract/exact-json.ts';
import { compareJson, type Json, toJson } from '../../../src/ui/format/json.ts';
import { OwnNames } from '../../../src/ui/format/names.ts';
import { writeYaml } from '../../../src/ui/format/yaml.ts';

/** Texts of numbers, most of which no double prints. */
const numberTexts = fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,24})?(?:[eE][+-]?\d{1,4})?$/);

describe('JSON with numbers of any size', () => {
  it('is written as it was read', () => {
    const text =
      '{"a":[98765432109876543210,1.0,-0,1E5,1e400,0.10],"__proto__":{"n":9007199254740993},"t":"9007199254740993"}';
    expect(exactText(parseExact(text))).toBe(text);
    fc.assert(
      fc.property(fc.array(numberTexts), (numbers) => exactText(parseExact(`[${numbers}]`)) === `[${numbers}]`),
    );
  });

  it('is read like JSON.parse if a double prints all numbers', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseExact(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseExact('[1.0')).toThrow(SyntaxError);
  });

  it('is written like JSON.stringify if it has no exact number', () => {
    const value = { a: undefined, b: [undefined, Number.NaN], c: new Date(0), d: { toJSON: () => 'x' } };
    expect(exactText(value)).toBe(JSON.stringify(value));
    expect(exactText(undefined)).toBeUndefined();
  });

  it('keeps its numbers inside values with names of their own', () => {
    expect(exactText(new OwnNames({ n: new ExactNumber('1.0'), kept: new KeptJson('[1e400, 2]') }))).toBe(
      '{"n":1.0,"kept":[1e400,2]}',
    );
    expect(exactText(toJson(new KeptJson('{"n": 1.50}')))).toBe('{"n":1.50}');
  });

  it.each(['0', '-0', '10', '1.0', '1e5', '1.5E-7'])('%s is a number', (text) => expect(isNumberText(text)).toBe(true));
  it.each(['', '00', '0042', '.5', '1.', '+1', '1e', '0x1', 'NaN', '1 ', '1\n'])('%j is no number', (text) =>
    expect(isNumberText(text)).toBe(false),
  );
});

describe('the order of numbers', () => {
  const order = (a: string, b: string) => Math.sign(compareJson(parseExact(a) as Json, parseExact(b) as Json));
  it.each([
    ['12345678901234567890', '12345678901234567891', -1],
    ['-12345678901234567890', '-12345678901234567891', 1],
    ['9007199254740993', '9007199254740992', 1],
    ['1.0', '1', 0],
    ['1e3', '1000.0', 0],
    ['0.0', '-0', 0],
    ['0.0012', '12e-4', 0],
    ['1e400', '2', 1],
    ['-1e400', '-2', -1],
    ['1e-400', '0', 1],
    ['99.0', '100.0', -1],
    ['9.0', '10', -1],
    ['1.0', '"1"', -1],
    ['[1.0]', '[1,0]', -1],
  ])('of %s and %s is %i', (a, b, sign) => {
    expect(order(a, b)).toBe(sign);
    expect(order(b, a) + sign).toBe(0);
  });
});

describe('YAML of exact numbers', () => {
  it.each([
    ['12345678901234567890', '12345678901234567890'],
    ['1.0', '1.0'],
    ['1e400', '1.0e+400'],
    ['-1.5E3', '-1.5e+3'],
    ['1E-7', '1.0E-7'],
  ])('writes %s as %s', (text, written) => expect(writeYaml(parseExact(text) as Json)).toBe(written));
});
