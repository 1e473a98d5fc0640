// The outcome of executions in a list: the same words on a terminal and in a pipe, which has the exit code too.
import { expect, it } from 'vitest';
import { type ExecutionRow, executionRowView } from '../../../src/commands/framework/views.ts';
import { plain } from '../../../src/ui/color.ts';
import { renderRows } from '../../../src/ui/format/render.ts';
import type { RenderOptions } from '../../../src/ui/format/view.ts';

const pipe: RenderOptions = {
  format: 'table',
  raw: false,
  headers: true,
  tty: false,
  width: 200,
  paint: plain,
  now: 0,
};
const paint = { ...plain, red: (text: string) => `<${text.trimEnd()}>`, green: (text: string) => `+${text.trimEnd()}` };
const outcomes: readonly Partial<ExecutionRow>[] = [
  { status: 'SUBMITTED' },
  { status: 'COMPLETE', exitCode: 0, reason: 'exited' },
  { status: 'COMPLETE', exitCode: 3, reason: 'exited' },
  { status: 'COMPLETE', exitCode: 143, reason: 'halted' },
  { status: 'COMPLETE', exitCode: 137, reason: 'out_of_memory' },
  { status: 'ERROR' },
];
const rows = outcomes.map(
  (each, index) => ({ id: `E${index}`, actorId: 'A', trigger: 'message', ...each }) as ExecutionRow,
);

it('a terminal shows the outcome in words', () => {
  const lines = renderRows(rows, executionRowView, { ...pipe, tty: true, paint }).split('\n');
  expect(lines[0]).not.toContain('EXIT');
  expect(lines.slice(1).map((line) => line.split(/ {2,}/)[2])).toEqual([
    'waiting',
    '+complete',
    '<failed, exit 3>',
    'halted',
    '<out of memory>',
    '<error>',
  ]);
});

it('a pipe gets the same words, and the exit code', () => {
  const lines = renderRows(rows, executionRowView, pipe).split('\n');
  expect(lines.map((line) => line.split('\t').slice(2, 4))).toEqual([
    ['STATUS', 'EXIT'],
    ['waiting', ''],
    ['complete', '0'],
    ['failed, exit 3', '3'],
    ['halted', '143'],
    ['out of memory', '137'],
    ['error', ''],
  ]);
});
