// `npm run bench [name…] [--markdown FILE] [--readme FILE] [--json FILE] [--million]` measures every figure next to its
// floor, alternately in one run. It asserts nothing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { dockerRequirement } from '../support/engine/docker.ts';
import { commandLine } from './command-line.ts';
import { crowd } from './crowd.ts';
import { daemonStart } from './daemon-start.ts';
import { dashboard } from './dashboard/dashboard.ts';
import { archives } from './data/archives.ts';
import { million } from './data/million.ts';
import { first, latency, throughput } from './engines/containers.ts';
import { swarm } from './engines/swarm.ts';
import type { Measurement, Row, Section } from './figures.ts';
import { folderActors } from './folder-actors.ts';
import { growth } from './growth/growth.ts';
import { pageOf, plotPath, quotedIn } from './page/page.ts';
import { ratioOf, tableText } from './page/table.ts';
import { startOfPeers } from './peers.ts';
import { profiles } from './profiles/profiles.ts';
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
  crowd,
  swarm,
  acknowledged,
  stalls,
  archives,
  store,
  million,
  cli: commandLine,
  reads,
  tokens,
  file: folderActors,
  daemon: daemonStart,
  tails,
  webhooks,
  profiles,
  growth,
  dashboard,
  peers: startOfPeers,
};

/** Measurements of a million records take minutes. Without an option or their name they are left out. */
const onDemand: ReadonlySet<string> = new Set(['million']);

const defaults = (million: boolean): readonly string[] =>
  Object.keys(measurements).filter((name) => million || !onDemand.has(name));

const machine = async (): Promise<string> => {
  const processors = cpus();
  const found = await dockerRequirement();
  const engine = found.available ? `Docker ${(await new Docker().version()).Version}` : 'no container engine';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${processors.length} × ${processors[0]?.model.trim()}, ${memory}, ${process.platform} ${release()}, node ${process.version}, ${engine}`;
};

const git = (...args: string[]): string => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? '';

/** The page is written by the run itself, so changes of it do not count. */
const commit = (): string => {
  const changed = git('status', '--porcelain', '--', 'bin', 'src', 'daemon', 'test') !== '';
  return `${git('rev-parse', '--short', 'HEAD') || 'unknown'}${changed ? ' with changes' : ''}`;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    markdown: { type: 'string' },
    readme: { type: 'string' },
    million: { type: 'boolean', default: false },
  },
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
const sections: Section[] = [];
const skipped: Record<string, string> = {};
for (const name of positionals.length > 0 ? positionals : defaults(values.million)) {
  process.stderr.write(`${name} …\n`);
  try {
    const outcome = (await measurements[name]?.({ million: values.million })) ?? [];
    if ('skipped' in outcome) skipped[name] = outcome.skipped;
    else if ('rows' in outcome) {
      rows.push(...outcome.rows);
      if (outcome.section !== undefined) sections.push(outcome.section);
      if (outcome.without !== undefined && outcome.without.length > 0) skipped[name] = outcome.without.join(', ');
    } else rows.push(...outcome);
  } catch (error) {
    // The other measurements still run. The exit code shows that one is missing.
    process.exitCode = 1;
    skipped[name] = `it failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
const seconds = Math.round((performance.now() - begun) / 1_000);
process.stdout.write(tableText(rows));
for (const { title, text } of sections) process.stdout.write(`\n${title}\n${text}\n`);
for (const [name, reason] of Object.entries(skipped)) process.stdout.write(`${name}: not measured, ${reason}\n`);
process.stdout.write(`${seconds} s; medians; only ratios mean something\n`);
if (values.json !== undefined) {
  const figures = rows.map((row) => ({ ...row, ratio: ratioOf(row) }));
  writeFileSync(values.json, `${JSON.stringify({ machine: where, date, rows: figures, skipped }, null, 2)}\n`);
}
if (values.markdown !== undefined) {
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  const run = { command, date, commit: commit(), machine: where, seconds, rows, sections, skipped };
  writeFileSync(values.markdown, pageOf(run));
  for (const section of sections) {
    if (section.plot === undefined) continue;
    const file = path.join(path.dirname(values.markdown), plotPath(section));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, section.plot);
  }
}
if (values.readme !== undefined) writeFileSync(values.readme, quotedIn(readFileSync(values.readme, 'utf8'), rows));
