// `npm run bench [name…] [--json FILE]` measures every figure next to its floor, alternately in one run. It asserts
// nothing.
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { dockerRequirement } from '../support/engine/docker.ts';
import { commandLine } from './command-line.ts';
import { first, latency, throughput } from './containers.ts';
import { daemonStart } from './daemon-start.ts';
import type { Measurement, Row, Sample } from './figures.ts';
import { folderActors } from './folder-actors.ts';
import { acknowledged, reads } from './requests.ts';
import { stalls } from './stalls.ts';
import { store } from './store.ts';
import { tails } from './tails.ts';
import { tokens } from './tokens.ts';
import { webhooks } from './webhooks.ts';

const measurements: Readonly<Record<string, Measurement>> = {
  latency,
  first,
  throughput,
  acknowledged,
  stalls,
  store,
  cli: commandLine,
  reads,
  tokens,
  file: folderActors,
  daemon: daemonStart,
  tails,
  webhooks,
};

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

const ratioOf = ({ ours, floor }: Row): number | undefined => (floor ? ours.median / floor.median : undefined);

const goalOf = (row: Row): string => {
  const { goal } = row;
  if (goal === undefined) return '';
  const value = (goal.of === 'ratio' ? ratioOf(row) : row.ours.median) ?? Number.NaN;
  const met = value <= (goal.atMost ?? Number.POSITIVE_INFINITY) && value >= (goal.atLeast ?? Number.NEGATIVE_INFINITY);
  const words = goal.atMost === undefined ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
  return `${words}${goal.of === 'ratio' ? ' ×' : ` ${row.unit}`} ${met ? '✓' : '✗'}`;
};

const HEADINGS = ['what', 'ours', 'floor', 'ratio', 'goal'];

const print = (table: readonly (readonly string[])[]): void => {
  const widths = HEADINGS.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? '').length)));
  for (const cells of table) {
    const line = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    process.stdout.write(`${line.trimEnd()}\n`);
  }
};

const cellsOf = (row: Row): string[] => [
  row.what,
  side(row.ours, row.unit),
  row.against === undefined ? '' : `${row.against}: ${side(row.floor, row.unit)}`,
  ratioOf(row)?.toFixed(2) ?? '',
  goalOf(row),
];

const machine = async (): Promise<string> => {
  const processors = cpus();
  const found = await dockerRequirement();
  const engine = found.available ? `Docker ${(await new Docker().version()).Version}` : 'no container engine';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${processors.length} × ${processors[0]?.model.trim()}, ${memory}, ${process.platform} ${release()}, node ${process.version}, ${engine}`;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' } },
});
const unknown = positionals.filter((name) => measurements[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}. Measurements: ${Object.keys(measurements).join(', ')}.\n`);
  process.exit(2);
}
// This variable adds 38 ms to the start of every node process.
delete process.env['NODE_EXTRA_CA_CERTS'];

const begun = performance.now();
const where = await machine();
process.stdout.write(`${where}\n`);
const rows: Row[] = [];
const skipped: Record<string, string> = {};
for (const name of positionals.length > 0 ? positionals : Object.keys(measurements)) {
  process.stderr.write(`${name} …\n`);
  const outcome = await measurements[name]?.();
  if (outcome === undefined) continue;
  if ('skipped' in outcome) skipped[name] = outcome.skipped;
  else rows.push(...outcome);
}
print([HEADINGS, ...rows.map(cellsOf)]);
for (const [name, reason] of Object.entries(skipped)) process.stdout.write(`${name}: skipped, ${reason}\n`);
process.stdout.write(`${Math.round((performance.now() - begun) / 1_000)} s; medians; only ratios mean something\n`);
if (values.json !== undefined) {
  const figures = rows.map((row) => ({ ...row, ratio: ratioOf(row) }));
  writeFileSync(
    values.json,
    `${JSON.stringify({ machine: where, date: new Date(), rows: figures, skipped }, null, 2)}\n`,
  );
}
