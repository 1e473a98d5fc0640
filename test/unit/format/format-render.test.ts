// The output formats: one value and one list in every format.
import { describe, expect, it } from 'vitest';
import { KeptJson } from '../../../src/contract/exact-json.ts';
import { plain } from '../../../src/ui/color.ts';
import { compileJq } from '../../../src/ui/format/jq.ts';
import { checkExpressions, renderItem, renderRows, renderValue } from '../../../src/ui/format/render.ts';
import type { RenderOptions, View } from '../../../src/ui/format/view.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly size: number;
}
const view: View<Row> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  fields: ['id', 'name', 'size'],
  columns: [
    { header: 'NAME', value: ({ name }) => name },
    { header: 'SIZE', value: ({ size }) => size, kind: 'number', wide: true },
  ],
};
const rows: readonly Row[] = [
  { id: 'a', name: 'wc', size: 1 },
  { id: 'b', name: '', size: 2 },
];
const options: RenderOptions = {
  format: 'table',
  raw: false,
  headers: true,
  tty: false,
  width: 80,
  paint: plain,
  now: 0,
};

type Given = Omit<Partial<RenderOptions>, 'jq'> & { readonly jq?: string };

const compiled = async ({ jq, ...given }: Given): Promise<RenderOptions> => ({
  ...options,
  ...given,
  ...(jq !== undefined && { jq: await compileJq(jq) }),
});

describe('a list', () => {
  it.each<[Given, string]>([
    [{}, 'NAME\nwc\n'],
    [{ format: 'wide' }, 'NAME\tSIZE\nwc\t1\n\t2'],
    [{ format: 'id' }, 'a\nb'],
    [{ format: 'name' }, 'wc\nb'],
    [{ format: 'ndjson' }, '{"id":"a","name":"wc","size":1}\n{"id":"b","name":"","size":2}'],
    [{ format: 'yaml', fields: ['id'] }, '- id: a\n- id: b'],
    [{ format: 'json', fields: ['id'] }, '[\n  {\n    "id": "a"\n  },\n  {\n    "id": "b"\n  }\n]'],
    [{ fields: ['size', 'id'] }, 'SIZE\tID\n1\ta\n2\tb'],
    [{ fields: ['help'] }, 'id\nname\nsize'],
    [{ jq: '.[].size' }, '1\n2'],
    [{ jq: '.[].name' }, '"wc"\n""'],
    [{ jq: '.[0].name', raw: true }, 'wc'],
    [{ jq: '.[0]', format: 'ndjson' }, '{"id":"a","name":"wc","size":1}'],
    [{ jq: '.[] | select(.size > 5)' }, ''],
    [{ template: '{{id}}:{{size}}' }, 'a:1\nb:2'],
    [{ format: 'id', selection: { filters: ['size>=2'], limit: 50, offset: 0, all: false } }, 'b'],
  ])('with %j', async (given, text) => expect(renderRows(rows, view, await compiled(given))).toBe(text));

  it('refuses an unknown field even if it is empty', () => {
    expect(() => renderRows([], view, { ...options, fields: ['nope'] })).toThrow('"nope"');
  });
  it('refuses --jq together with --template', () => {
    expect(() => checkExpressions({ jq: (value) => [value], template: '{{id}}' })).toThrow('cannot be used together');
  });
  it('is refused in the format env', () =>
    expect(() => renderRows(rows, view, { ...options, format: 'env' })).toThrow('one object'));
  it('R163 the output of templates has no control characters in a pipe either, and raw output of --jq has them', async () => {
    const evil = [{ id: '\u001b]0;x\u0007a\u009b2J\u202e', name: '\u001b[31mred', size: 0 }];
    const piped = { tty: false };
    expect(renderRows(evil, view, await compiled({ ...piped, template: '{{id}}{{tab}}{{name}}' }))).toBe('a\tred');
    expect(renderRows(evil, view, await compiled({ ...piped, jq: '.[0].name', raw: true }))).toBe('\u001b[31mred');
  });
  it('R163 raw output of --jq and templates has no control characters on a terminal', async () => {
    const evil = [{ id: '\u001b]0;x\u0007a\u009b2J', name: '', size: 0 }];
    expect(renderRows(evil, view, await compiled({ tty: true, jq: '.[0].id', raw: true }))).toBe('a');
    expect(renderRows(evil, view, { ...options, tty: true, template: '{{id}}' })).toBe('a');
    expect(renderRows(evil, view, { ...options, format: 'id' })).toBe('a');
  });
});

describe('a single object', () => {
  const item = rows[0] as Row;
  it.each<[Given, string]>([
    [{}, 'name\twc\nsize\t1'],
    [{ format: 'id' }, 'a'],
    [{ format: 'name' }, 'wc'],
    [{ format: 'json', fields: ['size'] }, '{\n  "size": 1\n}'],
    [{ format: 'env' }, 'ID=a\nNAME=wc\nSIZE=1'],
    [{ fields: ['size'] }, 'size\t1'],
    [{ jq: '.size' }, '1'],
    [{ template: '{{name}}' }, 'wc'],
  ])('with %j', async (given, text) => expect(renderItem(item, view, await compiled(given))).toBe(text));
});

describe('a value without a view', () => {
  it.each<[Given, string]>([
    [{}, '{\n  "size": 1\n}'],
    [{ format: 'yaml' }, 'size: 1'],
    [{ format: 'env' }, 'SIZE=1'],
    [{ jq: '.size' }, '1'],
    [{ fields: ['size'], format: 'ndjson' }, '{"size":1}'],
  ])('with %j', async (given, text) => expect(renderValue({ size: 1 }, await compiled(given))).toBe(text));
});

describe('a value that was received as JSON text', () => {
  const big = '{"n":12345678901234567890,"n":1e400,"t":"\u202e"}';
  const item = { id: 'a', value: new KeptJson(big) };
  it('keeps its exact text in json and ndjson, with dangerous characters escaped', () => {
    expect(renderValue(item.value, { ...options, format: 'ndjson' })).toBe(
      '{"n":12345678901234567890,"n":1e400,"t":"\\u202e"}',
    );
    expect(renderValue([item], { ...options, format: 'json' })).toContain('"n": 12345678901234567890,\n');
    expect(renderRows([item], { id: ({ id }) => id, columns: [] }, { ...options, format: 'ndjson' })).toContain(
      '"value":{"n":12345678901234567890,',
    );
  });
  it('is an ordinary value for --jq', async () => {
    expect(renderValue(item, await compiled({ jq: '.value.t', raw: true, tty: true }))).toBe('');
    expect(renderValue({ value: new KeptJson('{"a":[1,{}]}') }, await compiled({ jq: '.value.a[0]' }))).toBe('1');
  });
  it('is formatted like JSON.stringify does', () => {
    const value = { a: [], b: {}, c: [1, { d: null }], e: undefined, f: 'x' };
    expect(renderValue(value, { ...options, format: 'json' })).toBe(JSON.stringify(value, null, 2));
  });
});
