// YAML, env, JSON and tables: readable by other programs, and harmless for a terminal.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/ui/color.ts';
import { type Json, writeJson } from '../../../src/ui/format/json.ts';
import { writeEnv } from '../../../src/ui/format/render.ts';
import { cellText, formatBytes, writeDetails, writeTable } from '../../../src/ui/format/table.ts';
import type { Column, Surface } from '../../../src/ui/format/view.ts';
import { cutText, oneLine, padText, widthOf } from '../../../src/ui/format/width.ts';
import { writeYaml } from '../../../src/ui/format/yaml.ts';
import { anyText } from '../../support/values/any-text.ts';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const terminal: Surface = { tty: true, width: 60, now: NOW, headers: true, paint: plain };
const pipe: Surface = { ...terminal, tty: false };

describe('YAML', () => {
  it.each<[Json, string]>([
    [null, 'null'],
    [true, 'true'],
    [-1.5, '-1.5'],
    [-7e-323, '-7.0e-323'],
    ['plain words', 'plain words'],
    ['', '""'],
    ['yes', '"yes"'],
    ['Null', '"Null"'],
    ['1.0', '"1.0"'],
    ['0x1f', '"0x1f"'],
    ['2026-11-21', '"2026-11-21"'],
    ['a: b', '"a: b"'],
    ['a #b', '"a #b"'],
    ['- a', '"- a"'],
    ['trailing ', '"trailing "'],
    ['two\nlines', '"two\\nlines"'],
    ['é', '"é"'],
    ['\u001b[31m\u0085', '"\\u001b[31m\\u0085"'],
    [[], '[]'],
    [{}, '{}'],
    [[1, 'a'], '- 1\n- a'],
    [{ a: 1, 'b c': { d: [] } }, 'a: 1\nb c:\n  d: []'],
    [{ a: [{ b: 1, c: [2] }, []] }, 'a:\n  - b: 1\n    c:\n      - 2\n  - []'],
    [[[1], [{ a: {} }]], '- - 1\n- - a: {}'],
    [{ on: 'off', '1': 2, 'k:': '' }, '"1": 2\n"on": "off"\n"k:": ""'],
  ])('%j', (value, text) => expect(writeYaml(value)).toBe(text));
});

describe('env', () => {
  it('has names in capitals, quotes characters special to a shell, and omits null', () => {
    expect(
      writeEnv({
        baseUrl: 'http://127.0.0.1:8722',
        a: { innerValue: "it's $HOME `x`" },
        n: 3,
        none: null,
        list: [1, 'b'],
        '1x': 'y',
        __: 1,
      }),
    ).toBe("BASE_URL=http://127.0.0.1:8722\nA_INNER_VALUE='it'\\''s $HOME `x`'\nN=3\nLIST='[1,\"b\"]'\n_1X=y");
  });
  it('refuses a list', () => expect(() => writeEnv([])).toThrow('one object'));
});

describe('JSON', () => {
  it('parses to the same value and holds no control characters', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        expect(JSON.parse(writeJson(json))).toEqual(json);
      }),
    );
    expect(writeJson('\u009b31m\u2028\u202e\u007f\u001b', false)).toBe('"\\u009b31m\\u2028\\u202e\\u007f\\u001b"');
  });
});

describe('width', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['한', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 2],
    ['✅', 2],
    ['', 0],
  ])('%j has %d columns', (text, width) => expect(widthOf(text)).toBe(width));
  it.each([
    ['abcdef', 4, 'abc…'],
    ['abcd', 4, 'abcd'],
    ['日本語', 4, '日…'],
    ['日本語', 5, '日本…'],
    ['abc', 0, ''],
  ])('%j cut to %d is %j', (text, width, cut) => expect(cutText(text, width)).toBe(cut));
  it('pads on either side', () => {
    expect([padText('日', 4), padText('日', 4, 'right')]).toEqual(['日  ', '  日']);
  });
  it('never exceeds the requested width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, width) => {
        expect(widthOf(cutText(oneLine(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
const steering = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

interface Row {
  readonly id: string;
  readonly name?: string;
  readonly at?: string;
  readonly ms?: number;
}
const columns: readonly Column<Row>[] = [
  { header: 'ID', value: ({ id }) => id, whole: true },
  { header: 'NAME', value: ({ name }) => name },
  { header: 'AT', value: ({ at }) => at, kind: 'time' },
  { header: 'TOOK', value: ({ ms }) => ms, kind: 'duration' },
];
const rows: readonly Row[] = [
  { id: 'A7f3kQ9', name: '日本', at: '2026-11-21T11:57:00.000Z', ms: 804 },
  { id: 'B', name: 'a\tb\nc\u001b[31mred\u001b]0;title\u0007' },
];

describe('a table', () => {
  it('on a terminal is aligned, with relative times and a dash for missing values', () => {
    expect(writeTable(rows, columns, terminal).split('\n')).toEqual([
      'ID       NAME      AT      TOOK',
      'A7f3kQ9  日本      3m ago  0.8s',
      'B        a b cred  -          -',
    ]);
  });
  it('in a pipe is tab-separated, complete and exact', () => {
    expect(writeTable(rows, columns, { ...pipe, width: 5 }).split('\n')).toEqual([
      'ID\tNAME\tAT\tTOOK MS',
      'A7f3kQ9\t日本\t2026-11-21T11:57:00.000Z\t804',
      'B\ta b cred\t\t',
    ]);
  });
  it.each([
    [60, 'wordcount-of-a-book  ABCDEFGHIJKLM  xxxxxxxxxxxxxxxxxxxxxxx…'],
    [49, 'wordcount-of-a-book  ABCDEFGHI…  xxxxxxxxxxxxxxx…'],
    [40, 'wordcount-of-a-book  ABCDEFGH…  xxxxxxx…'],
    [30, 'wordcount-…  ABCDEFGH…  xxxxx…'],
    [20, 'wordc…  ABCDEFGH…  xxxxx…'],
  ])('of %i columns cuts long text first, then ids, and names last', (width, line) => {
    const narrow: readonly Column<Row>[] = [
      { header: 'NAME', value: ({ name }) => name, role: 'name' },
      { header: 'ID', value: ({ id }) => id, role: 'id' },
      { header: 'TEXT', value: () => 'x'.repeat(100) },
    ];
    const row = { id: 'ABCDEFGHIJKLM', name: 'wordcount-of-a-book' };
    expect(writeTable([row], narrow, { ...terminal, width }).split('\n')[1]).toBe(line);
  });
  it('cuts a header that is wider than its values before any value', () => {
    const counted: readonly Column<Row>[] = [
      { header: 'NAME', value: ({ name }) => name },
      { header: 'EXECUTIONS', value: ({ ms }) => ms, kind: 'number' },
    ];
    const row = { id: '', name: 'a'.repeat(20), ms: 12 };
    expect(writeTable([row], counted, { ...terminal, width: 26 }).split('\n')).toEqual([
      'NAME                  EXE…',
      'aaaaaaaaaaaaaaaaaaaa    12',
    ]);
  });
  it('keeps a whole column, whatever its width', () => {
    const whole: readonly Column<Row>[] = [
      { header: 'ID', value: ({ id }) => id, whole: true },
      { header: 'NAME', value: ({ name }) => name, role: 'name' },
    ];
    expect(writeTable([{ id: 'x'.repeat(30), name: 'abcdefghij' }], whole, { ...terminal, width: 10 })).toContain(
      `${'x'.repeat(30)}  abcde…`,
    );
  });
  it('on a terminal marks a number that is still growing', () => {
    const growing: readonly Column<Row>[] = [
      { header: 'TOOK', value: ({ ms }) => ms, kind: 'duration', soFar: ({ id }) => id !== 'A' },
    ];
    const three = [
      { id: 'A', name: '', ms: 12_000 },
      { id: 'B', name: '', ms: 12_000 },
      { id: 'C', name: '' },
    ];
    expect(
      writeTable(three, growing, terminal)
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['TOOK', '12s', '12s so far', '-']);
    expect(writeTable(three, growing, pipe)).toBe('TOOK MS\n12000\n12000\n');
    expect(writeDetails({ id: 'B', name: '', ms: 12_000 }, growing, terminal)).toBe('took  12s so far');
  });
  it('without rows is only its header, and empty with --no-headers', () => {
    expect(writeTable([], columns, pipe)).toBe('ID\tNAME\tAT\tTOOK MS');
    expect(writeTable([], columns, { ...pipe, headers: false })).toBe('');
  });
  it('colours a status by its value, and pads before it colours', () => {
    const painted: Surface = { ...terminal, paint: { ...plain, green: (text) => `<${text}>` } };
    const status: Column<string> = { header: 'STATUS', value: (word) => word, kind: 'status' };
    expect(
      writeTable(['READY', 'toString'], [status, { header: 'X', value: () => 'x' }], painted)
        .split('\n')
        .slice(1),
    ).toEqual(['<READY   >  x', 'toString  x']);
  });
  it('R163 has no control character in any cell, whatever the service sends', () => {
    fc.assert(
      fc.property(anyText(), fc.boolean(), (text, tty) => {
        expect(steering.test(cellText(text, 'text', { tty, now: NOW }))).toBe(false);
      }),
    );
  });
});

describe('a single object', () => {
  it('is a list of names and values, without missing values', () => {
    expect(writeDetails({ id: 'B', ms: 2_000 }, columns, terminal)).toBe('id    B\ntook  2.0s');
    expect(writeDetails({ id: 'B', ms: 2_000 }, columns, pipe)).toBe('id\tB\ntook ms\t2000');
  });
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_234, '1.2 KB'],
  [123_456_789, '123 MB'],
  [9e15, '9000 TB'],
])('%d bytes are shown as %j', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
