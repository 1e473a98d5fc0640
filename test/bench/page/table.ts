// The table of a benchmark: one line for each row, with ratio, goal and whether the goal was reached.
import type { Row, Sample } from '../figures.ts';

export const HEADINGS = ['what', 'ours', 'floor', 'ratio', 'goal'] as const;

/** A number with three significant digits, or in groups of thousands. */
export const number = (value: number): string =>
  value >= 1_000
    ? Math.round(value)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, ' ')
    : value.toPrecision(3);

const side = (sample: Sample | undefined, unit: string): string =>
  sample === undefined
    ? '–'
    : `${number(sample.median)} ${unit}${sample.n > 1 ? ` (p95 ${number(sample.p95)}, n ${sample.n})` : ''}`;

export const ratioOf = ({ ours, floor }: Row): number | undefined => (floor ? ours.median / floor.median : undefined);

/** Whether the goal was reached; undefined without a goal. */
export const isMet = (row: Row): boolean | undefined => {
  const { goal } = row;
  if (goal === undefined) return undefined;
  const value = (goal.of === 'ratio' ? ratioOf(row) : row.ours.median) ?? Number.NaN;
  return value <= (goal.atMost ?? Number.POSITIVE_INFINITY) && value >= (goal.atLeast ?? Number.NEGATIVE_INFINITY);
};

const goalOf = (row: Row): string => {
  const { goal } = row;
  if (goal === undefined) return '';
  const words = goal.atMost === undefined ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
  return `${words}${goal.of === 'ratio' ? ' ×' : ` ${row.unit}`} ${isMet(row) ? '✓' : '✗'}`;
};

export const cellsOf = (row: Row): readonly string[] => [
  row.what,
  side(row.ours, row.unit),
  row.against === undefined ? '' : `${row.against}: ${side(row.floor, row.unit)}`,
  ratioOf(row)?.toFixed(2) ?? '',
  goalOf(row),
];

/** The rows as text with aligned columns. */
export const tableText = (rows: readonly Row[]): string => {
  const table = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? '').length)));
  const lineOf = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((cells) => `${lineOf(cells).trimEnd()}\n`).join('');
};
