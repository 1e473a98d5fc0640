// The outcome of a change is printed whatever the flags of the output ask for.
import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/ui/color.ts';
import { compileJq } from '../../../src/ui/format/jq.ts';
import type { View } from '../../../src/ui/format/view.ts';
import { createOutput, type OutputInput } from '../../../src/ui/output.ts';

const made = (flags: Partial<OutputInput>) => {
  const text = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    isTTY: false,
    write: (chunk: string | Uint8Array, done?: () => void) => {
      text[name] += Buffer.from(chunk as Uint8Array).toString();
      done?.();
      return true;
    },
  });
  const output = createOutput({
    ...{ stdout: sink('out'), stderr: sink('err'), format: 'table', paint: plain, errorPaint: plain },
    ...{ raw: false, headers: true, envelope: false, quiet: false, verbose: false, now: () => 0, sameTarget: String },
    progress: async () => ({ update: () => undefined, advance: () => undefined, stop: () => undefined }),
    ...flags,
  });
  return { output, text };
};

describe('createOutput refuses before a command runs', () => {
  it.each<[Partial<OutputInput>, RegExp]>([
    [{ template: '{{secret' }, /^--template/],
    [{ template: '{{upper secret}}' }, /^--template/],
    [{ jq: (value) => [value], template: '{{secret}}' }, /cannot be used together/],
  ])('%j', (flags, message) => expect(() => made(flags)).toThrow(message));
});

describe('the value of a change', () => {
  const value = { id: 'a', secret: 's', size: 3 };
  const whole = `${JSON.stringify(value, null, 2)}\n`;

  it('is printed as the flags request', async () => {
    const { output, text } = made({ jq: await compileJq('.secret'), raw: true });
    output.result('Changed a', value, 'a');
    expect(text).toEqual({ out: 's\n', err: '' });
  });
  it.each<[Partial<OutputInput>, string]>([
    [{ fields: ['nope'] }, 'no field named "nope"'],
    [{ fields: ['help'] }, '--fields help'],
    [{ template: '{{nope}}' }, 'no field named "nope"'],
    [{}, '--jq'],
  ])('is printed whole, with a warning, for %j', async (flags, why) => {
    const { output, text } = made(why === '--jq' ? { jq: await compileJq('.size[]') } : flags);
    output.result('Changed a', value, 'a');
    expect(text.out).toBe(whole);
    expect(text.err).toMatch(/^warning: .*; the change was made, so its whole value is printed\n$/);
    expect(text.err).toContain(why);
  });
  it('is printed whole if the envelope has no such field', () => {
    const { output, text } = made({ envelope: true, fields: ['nope'] });
    output.received({ status: 'success', message: 'm', version: '1', result: value });
    output.result('Changed a', value, 'a');
    expect(text.out).toContain('"secret": "s"');
  });
  it('is printed as JSON if it is a list and the format is env', () => {
    const { output, text } = made({ format: 'env' });
    output.result('a', [value], 'a');
    expect(JSON.parse(text.out)).toEqual([value]);
  });
});

describe('the fields that a command allows before it does anything', () => {
  const names = ['type', 'line', 'exitCode'];
  it.each<[Partial<OutputInput>]>([[{ fields: ['line,nope'] }], [{ template: '{{nope}}' }]])('refuse %j', (flags) =>
    expect(() => made(flags).output.allowFields(names)).toThrow('no field named "nope"'),
  );
  it('are listed, and then the command ends', () => {
    const { output, text } = made({ fields: ['help'] });
    expect(output.allowFields(names)).toBe(false);
    expect(text.out).toBe('type\nline\nexit_code\n');
  });
  it('may be absent in an event and in a result', async () => {
    const { output, text } = made({ format: 'ndjson', fields: ['type,exit_code'] });
    expect(output.allowFields(names)).toBe(true);
    await output.event('', { type: 'log', line: 'a' });
    await output.event('', { type: 'result', exitCode: 3 });
    output.result('', { type: 'other' });
    expect(text).toEqual({ out: '{"type":"log"}\n{"type":"result","exit_code":3}\n{"type":"other"}\n', err: '' });
  });
  it('are not those of the envelope', () => {
    const { output, text } = made({ envelope: true, fields: ['message'] });
    expect(output.allowFields(names)).toBe(true);
    output.received({ status: 'success', message: 'm', version: '1', result: {} });
    output.result('Changed a', {}, 'a');
    expect(text).toEqual({ out: '{\n  "message": "m"\n}\n', err: '' });
  });
});

describe('a value that was read', () => {
  it('is refused if it has no such field', () => {
    expect(() => made({ fields: ['nope'] }).output.report('a', { id: 'a' })).toThrow('no field named "nope"');
  });
  it('has its fields listed', () => {
    const { output, text } = made({ fields: ['help'] });
    output.report('a', { id: 'a', size: 3 });
    expect(text.out).toBe('id\nsize\n');
  });
});

describe('a list', () => {
  const view: View<{ readonly id: string }> = { columns: [], id: ({ id }) => id };
  const rows = Array.from({ length: 51 }, (_, at) => ({ id: `a${at}` }));
  const selection = { filters: [], limit: 50, offset: 0, all: false, byDefault: true };
  const said = (given: Partial<typeof selection>, some = rows) => {
    const { output, text } = made({ format: 'json', quiet: true, selection: { ...selection, ...given } });
    output.rows(some, view);
    return text.err;
  };

  it('says when the default limit leaves rows out, for programs too', () =>
    expect(said({})).toBe(
      'warning: only 50 rows are shown. To see all rows: --all. To see other rows: --limit, --offset\n',
    ));
  it.each([
    ['with a limit that was given', { byDefault: false }],
    ['with --all', { all: true }],
  ])('says nothing %s', (_, given) => expect(said(given)).toBe(''));
  it('says nothing if no row is left out', () => {
    expect(said({}, rows.slice(1))).toBe('');
    expect(said({ offset: 1 })).toBe('');
  });
});
