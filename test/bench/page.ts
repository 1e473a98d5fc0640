// The results of a run, as a table for a terminal and as a page in Markdown.
import type { Row, Sample } from './figures.ts';

const HEADINGS = ['what', 'ours', 'baseline', 'ratio', 'hold'] as const;

/** A number with three significant digits, or in groups of thousands. */
const number = (value: number): string =>
  value >= 1_000
    ? Math.round(value)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, ' ')
    : value.toPrecision(3);

const side = (sample: Sample | undefined, unit: string): string =>
  sample === undefined
    ? '–'
    : `${number(sample.median)} ${unit}${sample.n > 1 ? ` (p95 ${number(sample.p95)}, n ${sample.n})` : ''}`;

const ratioOf = ({ ours, baseline }: Row): number | undefined => (baseline ? ours.median / baseline.median : undefined);

/** Whether the goal was reached; undefined without a goal. */
const isMet = (row: Row): boolean | undefined => {
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

const cellsOf = (row: Row): readonly string[] => [
  row.what,
  side(row.ours, row.unit),
  row.against === undefined ? '' : `${row.against}: ${side(row.baseline, row.unit)}`,
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

/** One run of the benchmark. */
export interface Run {
  readonly command: string;
  readonly date: Date;
  readonly commit: string;
  readonly machine: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  /** What could not be measured, with the reason. */
  readonly skipped: Readonly<Record<string, string>>;
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export const pageOf = ({ command, date, commit, machine, seconds, rows, skipped }: Run): string =>
  [
    '# Figures of one run of `npm run bench`',
    '',
    `\`${command}\` wrote this page on ${date.toISOString().slice(0, 16).replace('T', ' ')} UTC, at commit ${commit}, in ${seconds} s. Machine: ${machine}.`,
    '',
    'Compare the ratios only: absolute times depend on the machine. Both sides of a row are measured alternately; figures are medians. The baseline is the least that the task can cost, or another program that does it. ✓ and ✗ show whether the row holds.',
    '',
    line(HEADINGS),
    '|---|---|---|---|---|',
    ...rows.map((row) => line(cellsOf(row))),
    ...Object.entries(skipped).flatMap(([name, reason]) => ['', `Not measured: ${name}, ${reason}.`]),
    '',
  ].join('\n');
