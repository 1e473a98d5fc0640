// The table and the plot of the growth benchmark, and the slope of each line in words.
import type { Sample } from '../figures.ts';
import { number } from '../page/table.ts';

/** A figure by the number of stored executions. */
export interface GrowthLine {
  readonly name: string;
  readonly unit: string;
  readonly samples: Readonly<Record<string, Sample>>;
}

interface Point {
  readonly size: number;
  readonly value: number;
}

const pointsOf = ({ samples }: GrowthLine): readonly Point[] =>
  Object.entries(samples)
    .map(([size, { median: value }]) => ({ size: Number(size), value }))
    .sort((left, right) => left.size - right.size);

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** The exponent of growth: 0 is flat, 1 is proportional. Least squares of the logarithms. */
export const slopeOf = (points: readonly Point[]): number => {
  const at = points.map(({ size, value }) => [Math.log10(size), Math.log10(value)] as const);
  const [middleX, middleY] = [mean(at.map(([x]) => x)), mean(at.map(([, y]) => y))];
  const above = at.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  return above / at.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
};

export const slopeWords = (slope: number): string => {
  if (slope < 0.05) return 'flat';
  const factor = `× ${(10 ** slope).toPrecision(2)} for ten times as many`;
  if (slope < 0.15) return `nearly flat, ${factor}`;
  return slope < 0.9 ? `slower than the number of records, ${factor}` : `like the number of records, ${factor}`;
};

const exponents = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const powerOf = (size: number): string => `10${exponents[Math.round(Math.log10(size))] ?? ''}`;

/** A table in Markdown: one row for each line, one column for each size. */
export const growthTable = (lines: readonly GrowthLine[]): string => {
  const sizes = pointsOf(lines[0] ?? { name: '', unit: '', samples: {} }).map(({ size }) => size);
  const rows = lines.map((line) => {
    const points = pointsOf(line);
    const cells = points.map(({ value }) => number(value));
    return `| ${line.name}, ${line.unit} | ${cells.join(' | ')} | ${slopeWords(slopeOf(points))} |`;
  });
  return [
    `| stored executions | ${sizes.map(powerOf).join(' | ')} | slope |`,
    `|---|${sizes.map(() => '---|').join('')}---|`,
    ...rows,
  ].join('\n');
};

const WIDTH = 860;
const HEIGHT = 440;
const AREA = { left: 60, right: 560, top: 30, bottom: 390 };
const COLOURS = ['#1b6ca8', '#d1495b', '#2e8b57', '#e08e0b', '#6a4c93', '#00798c', '#8d5b4c', '#444444', '#b5179e'];

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${words}</text>`;

/** A plot (SVG) with two logarithmic axes: each line relative to its first value. */
export const growthPlot = (lines: readonly GrowthLine[]): string => {
  const all = lines.map((line) => {
    const points = pointsOf(line);
    const first = points[0]?.value ?? 1;
    return {
      name: line.name,
      slope: slopeOf(points),
      points: points.map((each) => ({ ...each, value: each.value / first })),
    };
  });
  const sizes = all[0]?.points.map(({ size }) => size) ?? [];
  const values = all.flatMap(({ points }) => points.map(({ value }) => value));
  const [low, high] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values, 10)))];
  const [from, to] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
  const x = (size: number): number => AREA.left + ((Math.log10(size) - from) / (to - from)) * (AREA.right - AREA.left);
  const y = (value: number): number =>
    AREA.bottom - ((Math.log10(value) - low) / (high - low)) * (AREA.bottom - AREA.top);
  const parts: string[] = [];
  for (let power = low; power <= high; power += 1) {
    const at = y(10 ** power);
    parts.push(
      `<line x1="${AREA.left}" x2="${AREA.right}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}" stroke="#ddd"/>`,
    );
    parts.push(text(AREA.left - 8, at + 4, `× ${10 ** power}`, 'text-anchor="end"'));
  }
  for (const size of sizes) parts.push(text(x(size), AREA.bottom + 20, powerOf(size), 'text-anchor="middle"'));
  for (const [index, { name, slope, points }] of all.entries()) {
    const colour = COLOURS[index % COLOURS.length];
    const path = points.map(({ size, value }) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const { size, value } of points) {
      parts.push(`<circle cx="${x(size).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3" fill="${colour}"/>`);
    }
    const at = AREA.top + 14 + index * 24;
    parts.push(`<rect x="${AREA.right + 24}" y="${at - 9}" width="12" height="12" fill="${colour}"/>`);
    parts.push(text(AREA.right + 42, at + 2, `${name} (slope ${slope.toFixed(2)})`));
  }
  parts.push(text((AREA.left + AREA.right) / 2, AREA.bottom + 42, 'stored executions', 'text-anchor="middle"'));
  const heading = text(AREA.left, 18, `Growth, each line relative to ${powerOf(sizes[0] ?? 1)} stored executions`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">`,
    '<title>Growth of figures with the number of stored executions</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    heading,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
};

/** Says which of the stored executions really ran. */
export const originOfRecords = (homes: readonly { readonly size: number; readonly real: number }[]): string => {
  const copied = homes.filter(({ size, real }) => size > real).map(({ size }) => size);
  const real = Math.max(...homes.map((home) => home.real));
  const runs = `Up to ${real} executions are real runs of a \`file:\` actor through the API.`;
  return copied.length === 0
    ? runs
    : `${runs} The others (${copied.join(', ')} stored) are copies of these records with their events, under new ids and numbers, written by the store of the daemon; their logs are not copied.`;
};
