// The text that Python has for a JSON value, compared with the python3 of this machine.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pythonRepr, pythonText } from '../../../daemon/domain/legacy/python-text.ts';

/** Characters that all versions of Unicode in use agree about. Two surrogates in a row are private-use characters. */
const codes = [
  [0x00, 0x24f],
  [0x22, 0x27],
  [0x5c, 0x5c],
  [0x370, 0x52f],
  [0x2000, 0x206f],
  [0x3000, 0x30ff],
  [0x4e00, 0x9fff],
  [0xdb80, 0xdfff],
  [0xe000, 0xf8ff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xffff],
  [0x1f300, 0x1f64f],
  [0x10fff0, 0x10ffff],
] as const;

const character = fc
  .oneof(...codes.map(([min, max]) => fc.integer({ min, max })))
  .map((code) => String.fromCodePoint(code));

const escapeAll = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

const stringText = fc
  .tuple(fc.string({ unit: character, maxLength: 12 }), fc.boolean())
  .map(([text, escaped]) => (escaped ? escapeAll(text) : JSON.stringify(text)));

const numberText = fc.oneof(
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.double({ noNaN: true, min: -1e20, max: 1e20 }).map((value) => value.toExponential()),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toPrecision(9)),
  fc.constantFrom('-0', '0', '-0.0', '1E400', '-1e400', '1e-400', '10e15', '1e15', '0.00010', '1.50E-5', '2.0'),
);

const space = fc.constantFrom('', '', ' ', '\n\t');
const members = ['"a"', '"b"', '"\\u0061"', '"__proto__"'];

/** JSON texts with any spacing, with escapes and with repeated members. */
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.constantFrom('true', 'false', 'null'),
    numberText,
    stringText,
    fc.tuple(space, fc.array(tie('value'), { maxLength: 4 })).map(([gap, items]) => `[${gap}${items.join(`,${gap}`)}]`),
    fc
      .tuple(
        space,
        fc.array(fc.tuple(fc.oneof(stringText, fc.constantFrom(...members)), tie('value')), { maxLength: 4 }),
      )
      .map(([gap, pairs]) => `{${gap}${pairs.map(([name, value]) => `${name}${gap}:${value}`).join(`${gap},`)}}`),
  ),
}));

/** Reads a list of JSON texts; writes the Python representation of each, and the characters that it escapes. */
const PROGRAM = `
import json, sys, unicodedata
texts = json.load(sys.stdin)
def known(code):
    return unicodedata.category(chr(code)) != 'Cn'
json.dump({
    'reprs': [repr(json.loads(text)) for text in texts],
    'escaped': [code for code in range(0x110000) if known(code) and not chr(code).isprintable()],
    'plain': [code for code in range(0x110000) if chr(code).isprintable()],
}, sys.stdout)
`;

interface Answer {
  readonly reprs: readonly string[];
  readonly escaped: readonly number[];
  readonly plain: readonly number[];
}

const python = spawnSync('python3', ['-I', '-c', 'pass']);

/** One process for all values. */
const ask = (texts: readonly string[]): Answer => {
  const { stdout, stderr } = spawnSync('python3', ['-I', '-c', PROGRAM], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Answer;
};

describe.skipIf(python.status !== 0)('the text of a JSON value in Python', () => {
  // It computes all the time; on a busy machine it took more than the 30 s of a test.
  it('is that of python3 for 10 000 generated values and for every character', () => {
    const texts = fc.sample(jsonText, 10_000);
    const { reprs, escaped, plain } = ask(texts);
    const wrong = texts.flatMap((text, at) => {
      const ours = pythonRepr(text);
      return ours === reprs[at] ? [] : [{ text, ours, python: reprs[at] }];
    });
    expect(wrong.slice(0, 3)).toEqual([]);
    // Neither side knows the characters that the other's version of Unicode added.
    const isKnown = (code: number) => !/\p{Cn}/u.test(String.fromCodePoint(code));
    const isEscaped = (code: number) => pythonRepr(JSON.stringify(String.fromCodePoint(code))).startsWith('\\', 1);
    expect(escaped.filter((code) => !isEscaped(code))).toEqual([]);
    expect(plain.filter((code) => isKnown(code) && isEscaped(code) && code !== 0x5c)).toEqual([]);
  });
});

describe('the text of a JSON value in Python', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"a": true, "b": [null, false], "c": {}}', "{'a': True, 'b': [None, False], 'c': {}}"],
    ['[]', '[]'],
    ['"it\'s"', '"it\'s"'],
    ['"say \\"it\'s\\""', "'say \"it\\'s\"'"],
    ['"tab\\t line\\n back\\\\ nul\\u0000 del\\u007f"', "'tab\\t line\\n back\\\\ nul\\x00 del\\x7f'"],
    ['"é 日 😀"', "'é 日 😀'"],
    ['"\\u00a0\\u200b\\u2028\\ufeff"', "'\\xa0\\u200b\\u2028\\ufeff'"],
    ['"\\ud83d\\ude00 \\ud83d \\udbff\\udfff"', "'😀 \\ud83d \\U0010ffff'"],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1E5', '100000.0'],
    ['1e16', '1e+16'],
    ['9007199254740993.0', '9007199254740992.0'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['5e-324', '5e-324'],
    ['1e999', 'inf'],
    ['-1e999', '-inf'],
    ['{"a": 1, "b": {"c": [2]}, "a": {"d": [3, 4]}, "a": "x"}', "{'a': 'x', 'b': {'c': [2]}}"],
    ['{"__proto__": 1, "2": 2, "1": 1}', "{'__proto__': 1, '2': 2, '1': 1}"],
  ];
  it.each(cases)('of %s is %s', (json, text) => {
    expect(pythonRepr(json)).toBe(text);
  });

  it('has no limit of depth', () => {
    const depth = 10_000;
    const nested = `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`;
    expect(pythonRepr(nested)).toBe(`${"[{'a': ".repeat(depth)}1${'}]'.repeat(depth)}`);
    const repeated = `${'{"a":0,"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(pythonRepr(repeated)).toBe(`${"{'a': ".repeat(depth)}1${'}'.repeat(depth)}`);
  });

  const variables: readonly (readonly [string, string | undefined])[] = [
    ['"it\'s \\u00e9"', "it's é"],
    [' {"a": "b"} ', "{'a': 'b'}"],
    ['null', undefined],
    ['true', 'True'],
    ['""', ''],
  ];
  it.each(variables)('in a variable turns %j into the value %j', (json, value) => {
    expect(pythonText(json)).toBe(value);
  });
});
