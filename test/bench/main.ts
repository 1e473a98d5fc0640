// `npm run bench [name…] [--large] [--markdown FILE]` measures each row and its baseline alternately in one run. It
// asserts nothing.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { dockerRequirement } from '../support/engine/docker.ts';
import { commandLine } from './command-line.ts';
import { latency, throughput } from './containers.ts';
import { daemonStart } from './daemon-start.ts';
import { dashboard } from './dashboard/dashboard.ts';
import type { Measurement, Row } from './figures.ts';
import { folderActors } from './folder-actors.ts';
import { growth } from './growth.ts';
import { pageOf, tableText } from './page.ts';
import { acknowledged, reads } from './requests.ts';
import { tails } from './tails.ts';
import { temporary } from './temporary.ts';
import { tokens } from './tokens.ts';
import { webhooks } from './webhooks.ts';

const measurements: Readonly<Record<string, Measurement>> = {
  latency,
  throughput,
  file: folderActors,
  acknowledged,
  reads,
  tokens,
  tails,
  webhooks,
  cli: commandLine,
  daemon: daemonStart,
  temporary,
  growth,
  dashboard,
};

const machine = async (): Promise<string> => {
  const processors = cpus();
  const found = await dockerRequirement();
  const engine = found.available ? `Docker ${(await new Docker().version()).Version}` : 'no container engine';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${processors.length} × ${processors[0]?.model.trim()}, ${memory}, ${process.platform} ${release()}, node ${process.version}, ${engine}`;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { markdown: { type: 'string' }, large: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => measurements[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}. Measurements: ${Object.keys(measurements).join(', ')}.\n`);
  process.exit(2);
}
// This variable adds 38 ms to the start of every node process.
delete process.env['NODE_EXTRA_CA_CERTS'];

const begun = performance.now();
const date = new Date();
const where = await machine();
process.stdout.write(`${where}\n`);
const rows: Row[] = [];
const skipped: Record<string, string> = {};
for (const name of positionals.length > 0 ? positionals : Object.keys(measurements)) {
  process.stderr.write(`${name} …\n`);
  try {
    const outcome = (await measurements[name]?.({ large: values.large })) ?? [];
    if ('skipped' in outcome) skipped[name] = outcome.skipped;
    else rows.push(...outcome);
  } catch (error) {
    // The other measurements still run. The exit code reports the missing one.
    process.exitCode = 1;
    skipped[name] = `it failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
const seconds = Math.round((performance.now() - begun) / 1_000);
process.stdout.write(tableText(rows));
for (const [name, reason] of Object.entries(skipped)) process.stdout.write(`${name}: not measured, ${reason}\n`);
process.stdout.write(`${seconds} s; medians; only ratios mean something\n`);
if (values.markdown !== undefined) {
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || 'unknown';
  writeFileSync(values.markdown, pageOf({ command, date, commit, machine: where, seconds, rows, skipped }));
}
