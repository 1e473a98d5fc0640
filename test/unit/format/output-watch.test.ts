// A watched list: drawn again on a terminal, one line per change elsewhere.
import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/ui/color.ts';
import type { OutputFormat, View } from '../../../src/ui/format/view.ts';
import { createOutput } from '../../../src/ui/output.ts';

interface Row {
  readonly id: string;
  readonly status: string;
}

const view: View<Row> = {
  id: ({ id }) => id,
  fields: ['id', 'status'],
  columns: [
    { header: 'ID', value: ({ id }) => id },
    { header: 'STATUS', value: ({ status }) => status },
  ],
};

const watched = (format: OutputFormat, tty: boolean, height = 24, filters: readonly string[] = []) => {
  let text = '';
  const sink = {
    isTTY: tty,
    columns: 80,
    rows: height,
    write: (chunk: string | Uint8Array) => {
      text += Buffer.from(chunk as Uint8Array).toString();
      return true;
    },
  };
  const output = createOutput({
    ...{ stdout: sink, stderr: sink, format, paint: plain, errorPaint: plain },
    ...{ raw: false, headers: true, envelope: false, quiet: false, verbose: false, now: () => 0, sameTarget: String },
    selection: { filters, limit: 50, byDefault: true, offset: 0, all: false },
    progress: async () => ({ update: () => undefined, advance: () => undefined, stop: () => undefined }),
  });
  const show = output.watch(view);
  return (rows: readonly Row[], changed: readonly Row[]) => {
    text = '';
    show(rows, changed);
    return text;
  };
};

const a = { id: 'a', status: 'RUNNING' };
const b = { id: 'b', status: 'RUNNING' };

describe('a watched list', () => {
  it('in a pipe has its header once, and a line for each change', () => {
    const show = watched('table', false);
    expect(show([], [])).toBe('');
    expect(show([b, a], [a, b])).toBe('ID\tSTATUS\na\tRUNNING\nb\tRUNNING\n');
    expect(show([b, a], [])).toBe('');
    expect(show([b, a], [{ ...a, status: 'COMPLETE' }])).toBe('a\tCOMPLETE\n');
  });

  it('for programs is one JSON object per change', () => {
    expect(watched('json', true)([b, a], [a, b])).toBe(`${JSON.stringify(a)}\n${JSON.stringify(b)}\n`);
  });

  it.each([
    ['in a pipe', 'table', 'ID\tSTATUS\nb\tCOMPLETE\n'],
    ['for programs', 'json', '{"id":"b","status":"COMPLETE"}\n'],
  ] as const)('%s prints the changed rows that pass the filter, and refuses an unknown field', (_, format, text) => {
    const show = watched(format, false, 24, ['status=COMPLETE']);
    const ended = { ...b, status: 'COMPLETE' };
    expect(show([b, a], [a, b])).toBe('');
    expect(show([ended, a], [a, ended])).toBe(text);
    expect(() => watched(format, false, 24, ['nope=1'])([], [])).toThrow('nope');
  });

  it('on a terminal is drawn in place of the one before, cut to the height of the terminal', () => {
    const show = watched('table', true, 3);
    const first = show([b, a], [a, b]);
    expect(first.startsWith('\u001b[2J\u001b[H')).toBe(true);
    expect(first).toContain('b ');
    expect(first).not.toMatch(/^a /m);
    expect(first.split('\n')).toHaveLength(3);
    expect(show([a], []).startsWith('\u001b[HID')).toBe(true);
  });
});
