// The output options `--fields`, `--sort`, `--filter`, `--limit` and `--template`.
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/contract/exact-json.ts';
import { parseFields, pickFields } from '../../../src/ui/format/fields.ts';
import type { Json } from '../../../src/ui/format/json.ts';
import { selectRows } from '../../../src/ui/format/select.ts';
import { parseTemplate } from '../../../src/ui/format/template.ts';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const fields = ['id', 'name', 'status', 'runs', 'create_time', 'hints', 'env'];
const rows: { readonly [name: string]: Json }[] = [
  {
    id: 'a',
    name: 'wc',
    status: 'READY',
    runs: 9,
    create_time: '2026-11-21T11:00:00.000Z',
    hints: ['x', 'y'],
    env: { LOG: 'info' },
  },
  { id: 'b', name: 'report', status: 'ERROR', runs: 10, create_time: '2026-11-21T11:59:00.000Z', hints: [], env: {} },
  {
    id: 'c',
    name: 'clean',
    status: 'SUBMITTED',
    create_time: '2026-11-20T00:00:00.000Z',
    hints: ['x'],
    env: { LOG: 'debug' },
  },
];
const select = (given: { filters?: string[]; sort?: string; limit?: number; offset?: number; all?: boolean }) =>
  selectRows(rows, { filters: [], limit: 50, offset: 0, all: false, ...given }, fields, NOW)
    .map(({ id }) => id)
    .join('');

describe('--fields', () => {
  it('keeps the named fields, inner fields in place, and omits missing ones', () => {
    const choice = parseFields(['env.LOG,id', 'runs'], fields);
    expect(choice).toEqual({ kind: 'paths', paths: [['env', 'LOG'], ['id'], ['runs']] });
    if (choice.kind !== 'paths') return;
    expect(pickFields(rows, choice.paths)).toEqual([
      { env: { LOG: 'info' }, id: 'a', runs: 9 },
      { id: 'b', runs: 10 },
      { env: { LOG: 'debug' }, id: 'c' },
    ]);
  });
  it('accepts spaces instead of commas, because PowerShell replaces commas by spaces', () => {
    expect(parseFields(['id name'], fields)).toEqual({ kind: 'paths', paths: [['id'], ['name']] });
  });
  it('accepts the value help', () => expect(parseFields(['help'], fields)).toEqual({ kind: 'help' }));
  it('lists the valid fields when it refuses a field', () => {
    expect(() => parseFields(['nope'], fields)).toThrow('no field named "nope"');
    expect(() => parseFields([''], fields)).toThrow('at least one field');
    expect(() => parseFields(['a..b'], fields)).toThrow('not a field');
  });
  it('cannot read inherited properties', () => {
    expect(pickFields({ id: 'a' }, [['constructor'], ['__proto__'], ['id']])).toEqual({ id: 'a' });
  });
});

describe('--sort', () => {
  it.each([
    ['name', 'cba'],
    ['-name', 'abc'],
    ['runs', 'abc'],
    ['-runs', 'bac'],
    ['create_time', 'cab'],
    ['env.LOG,-id', 'cab'],
  ])('%s gives %s, with items without the field last', (sort, ids) => expect(select({ sort })).toBe(ids));
  it('refuses an unknown field', () => expect(() => select({ sort: '-nope' })).toThrow('"nope"'));
});

describe('--filter', () => {
  it.each<[string[], string]>([
    [['status=READY'], 'a'],
    [['status=READY', 'status=ERROR'], 'ab'],
    [['status=READY', 'name=report'], ''],
    [['status!=READY'], 'bc'],
    [['status!=READY', 'status!=ERROR'], 'c'],
    [['name~=^(wc|clean)$'], 'ac'],
    [['runs>=10'], 'b'],
    [['runs<=9.5'], 'ac'],
    [['create_time>=10m'], 'b'],
    [['create_time<=2026-11-21T11:30:00Z'], 'ac'],
    [['hints=x'], 'ac'],
    [['hints!=x'], 'b'],
    [['env.LOG=debug'], 'c'],
    [['name='], ''],
  ])('%j keeps %j', (filters, ids) => expect(select({ filters })).toBe(ids));

  it.each([
    ['n>=12345678901234567890', ['12345678901234567890', '98765432109876543210']],
    ['n<=12345678901234567889', ['9007199254740993', '-1.0']],
    ['n=-1.0', ['-1.0']],
  ])('%s compares all digits', (filter, kept) => {
    const rows = ['12345678901234567890', '9007199254740993', '98765432109876543210', '-1.0'].map((text) => ({
      n: new ExactNumber(text),
    }));
    const selection = { filters: [filter], limit: 9, offset: 0, all: false };
    expect(selectRows(rows, selection, [], NOW).map(({ n }) => n.text)).toEqual(kept);
  });

  it.each([
    'status',
    '=READY',
    'nope=1',
    'name~=(',
    'name~=(a+)+$',
    'name~=(a|b)*c',
    'name~=.*.*.*.*x',
    `name~=${'a'.repeat(201)}`,
    'name~=(a)\\1',
  ])('%s is refused', (filter) => expect(() => select({ filters: [filter] })).toThrow('--filter'));
});

describe('--limit, --offset, --all', () => {
  it.each([
    [{ limit: 2 }, 'ab'],
    [{ limit: 2, offset: 2 }, 'c'],
    [{ limit: 1, all: true }, 'abc'],
  ])('%j shows %s', (given, ids) => expect(select(given)).toBe(ids));
});

describe('--template', () => {
  it('supports fields, tabs and relative times', () => {
    const template = parseTemplate('{{ id }}{{tab}}{{env.LOG}}|{{timeago create_time}}|{{hints}}|{{runs}}', fields);
    expect(template(rows[0] ?? null, NOW)).toBe('a\tinfo|1h ago|["x","y"]|9');
    expect(template({ id: 'z' }, NOW)).toBe('z\t|||');
  });
  it.each([
    ['{{id}}', 'x1'],
    ['{{id}} {{status}}', 'x1 COMPLETE'],
  ])('accepts id for execution_id: %s', (text, line) => {
    const template = parseTemplate(text, ['execution_id', 'status']);
    expect(template({ execution_id: 'x1', status: 'COMPLETE' }, NOW)).toBe(line);
  });
  it.each(['{{nope}}', '{{id', '{{}}', '{{upper id}}', '{{timeago nope}}'])('refuses %s', (text) => {
    expect(() => parseTemplate(text, fields)).toThrow(/--template/);
  });
});
