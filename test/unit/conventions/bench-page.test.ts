// The figures in the README are those of the page that the benchmark wrote, and the page is of one run.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../bench/figures.ts';
import { growthPlot, growthTable, slopeOf, slopeWords } from '../../bench/growth/report.ts';
import { pageOf, quotedIn } from '../../bench/page/page.ts';

const read = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8');
const sample = (median: number) => ({ median, p95: median, n: 1 });

const row = (what: string, against: string, ours: number, floor: number): Row => ({
  what,
  unit: 'ms',
  ours: sample(ours),
  against,
  floor: sample(floor),
  goal: { of: 'ratio', atMost: 1.5 },
});

const run = {
  command: 'npm run bench',
  date: new Date(0),
  commit: 'abc',
  machine: 'a machine',
  seconds: 1,
  sections: [{ title: 'Growth', text: 'a table', plot: '<svg/>' }],
  skipped: { tails: 'no reason' },
};

it('the README quotes lines of docs/bench.md, and the page shows plots that are there', () => {
  const [, quotes = ''] = /<!-- quotes of the benchmark -->([\s\S]*?)<!-- end/.exec(read('README.md')) ?? [];
  const page = read('docs/bench.md').split('\n');
  const lines = quotes.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| what'));
  for (const line of lines) expect(page).toContain(line);
  for (const [, plot = ''] of page.join('\n').matchAll(/!\[\w+\]\((.+)\)/g)) {
    expect(existsSync(fileURLToPath(new URL(`../../../docs/${plot}`, import.meta.url)))).toBe(true);
  }
});

describe('the page of figures', () => {
  const rows = [row('message → COMPLETE', 'docker run --rm', 1, 3), row('webhook deliveries, 1 actors', 'bare', 5, 1)];
  const page = pageOf({ ...run, rows });

  it('shows date, commit, machine and how many goals were reached', () => {
    expect(page).toContain('`npm run bench` wrote this page on 1970-01-01 00:00 UTC, at commit abc, in 1 s.');
    expect(page).toContain('a machine');
    expect(page).toContain('1 of 2.');
    expect(page).toContain('| message → COMPLETE | 1.00 ms | docker run --rm: 3.00 ms | 0.33 | ≤ 1.5 × ✓ |');
  });

  it('explains missed goals only, and names what was not measured', () => {
    expect(page).toContain('- **webhook deliveries, 1 actors (bare).** Each delivery is marked durably');
    expect(page).not.toContain('**message');
    expect(page).toContain('Not measured: tails, no reason.');
    expect(pageOf({ ...run, rows: rows.slice(0, 1) })).toContain('All goals were reached.');
  });

  it('gives the README its lines', () => {
    const readme = 'a\n<!-- quotes of the benchmark -->\nold\n<!-- end of the quotes -->\nb\n';
    const lines = quotedIn(readme, rows).split('\n');
    expect(lines.filter((line) => page.split('\n').includes(line) && line.startsWith('| message'))).toHaveLength(1);
    expect(lines).not.toContain('old');
    expect([lines[0], lines.at(-2)]).toEqual(['a', 'b']);
  });
});

describe('growth', () => {
  const line = (name: string, values: readonly number[]) => ({
    name,
    unit: 'ms',
    samples: Object.fromEntries(values.map((value, at) => [10 ** (at + 2), sample(value)])),
  });
  const points = (values: readonly number[]) => values.map((value, at) => ({ size: 10 ** at, value }));

  it('is a slope of logarithms, in words', () => {
    expect(slopeOf(points([3, 3, 3]))).toBeCloseTo(0);
    expect(slopeOf(points([1, 10, 100]))).toBeCloseTo(1);
    expect([0, 0.1, 0.5, 1].map(slopeWords)).toEqual([
      'flat',
      'nearly flat, × 1.3 for ten times as many',
      'slower than the number of records, × 3.2 for ten times as many',
      'like the number of records, × 10 for ten times as many',
    ]);
  });

  it('has one row and one line of the plot for each figure', () => {
    const lines = [line('GET by id', [1, 1, 1]), line('search by text', [1, 10, 100])];
    expect(growthTable(lines).split('\n')).toEqual([
      '| stored executions | 10² | 10³ | 10⁴ | slope |',
      '|---|---|---|---|---|',
      '| GET by id, ms | 1.00 | 1.00 | 1.00 | flat |',
      '| search by text, ms | 1.00 | 10.0 | 100 | like the number of records, × 10 for ten times as many |',
    ]);
    const plot = growthPlot(lines);
    expect(plot.match(/<polyline /g)).toHaveLength(2);
    expect(plot).not.toContain('NaN');
  });
});
