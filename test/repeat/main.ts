// `npm run test:repeat -- FILE… [--times N | --minutes M] [--load] [--project NAME]` runs test files repeatedly to find
// flaky tests. `npm run test:repeat -- --all --hours 2` runs all that `npm test` runs. The programs are built once.
// Failures are listed by test at the end; the output of each failed run is stored in a file.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inventory, leaksSince } from './leaks.ts';
import type { RunRecord } from './record-reporter.ts';
import { type Run, summary } from './summary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string' },
    minutes: { type: 'string' },
    hours: { type: 'string' },
    load: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    project: { type: 'string', multiple: true },
  },
});
const usage = (problem: string): never => {
  console.error(
    `${problem}\nusage: npm run test:repeat -- (FILE… | --all) [--times N | --minutes M | --hours H] [--load] [--project NAME]`,
  );
  process.exit(2);
};
const positive = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  const number = Number(text);
  return number > 0 ? number : usage(`--${name} must be a positive number`);
};
if (values.all === files.length > 0) usage('give test files, or --all');
const times = positive(values.times, 'times');
const minutes = positive(values.minutes, 'minutes') ?? (positive(values.hours, 'hours') ?? 0) * 60;
if ((times === undefined) === (minutes === 0)) usage('give one of --times, --minutes and --hours');
const until = minutes === 0 ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;

if (spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
  usage('the programs could not be built');

const run = randomBytes(6).toString('hex');
const kept = mkdtempSync(path.join(tmpdir(), 'actorctl-repeat-'));
const records = path.join(kept, 'records');
const reporters = ['--reporter=default', `--reporter=${fileURLToPath(new URL('record-reporter.ts', import.meta.url))}`];
/** The project that repeats files of others on Podman brings an engine up at each start. */
const projects = (values.project ?? ['!engines-*']).flatMap((name) => ['--project', name]);
const command = values.all
  ? ['test/all.mjs', ...reporters]
  : ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...projects, ...reporters, ...files];

const before = values.all ? inventory() : undefined;
const runs: Run[] = [];
let ended: NodeJS.Signals | undefined;
let child: ChildProcess | undefined;
// A process group of its own gets the signal once, as a whole; the signal of a terminal would reach it twice.
const end = (signal: NodeJS.Signals): void => {
  ended = signal;
  if (child?.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGINT');
  } catch {
    // It has just ended.
  }
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));

/** A busy loop that ends with this process, however that ends. */
const BUSY =
  'const p = process.ppid; for (;;) { for (let i = 0; i < 1e7; i += 1); if (process.ppid !== p) process.exit(); }';
const load = values.load
  ? Array.from({ length: availableParallelism() }, () =>
      spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore', detached: true }),
    )
  : [];

const runOnce = async (number: number): Promise<Run> => {
  rmSync(records, { recursive: true, force: true });
  mkdirSync(records);
  const started = performance.now();
  child = spawn(process.execPath, command, {
    cwd: root,
    // `npm test` names its runs itself.
    env: { ...process.env, ACTORCTL_TEST_RECORDS: records, ACTORCTL_TEST_RUN: run },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = await once(child, 'close');
  const shown = readdirSync(records).map(
    (name): RunRecord => JSON.parse(readFileSync(path.join(records, name), 'utf8')),
  );
  const result = {
    number,
    passed: code === 0,
    seconds: (performance.now() - started) / 1_000,
    tests: shown.reduce((sum, { tests }) => sum + tests, 0),
    failures: shown.flatMap(({ failures }) => failures),
    files: shown.flatMap(({ files: of }) => of),
  };
  if (result.passed || ended !== undefined) return result;
  const log = path.join(kept, `run-${number}.log`);
  writeFileSync(log, Buffer.concat(output));
  // A vitest that crashed has written no record, or not all.
  const failures =
    result.failures.length > 0
      ? result.failures
      : [{ test: 'the run itself', message: `exit code ${code}`, seeds: [] }];
  return { ...result, failures, log };
};

try {
  for (let number = 1; number <= (times ?? Number.POSITIVE_INFINITY) && performance.now() < until; number += 1) {
    const result = await runOnce(number);
    if (ended !== undefined) break;
    runs.push(result);
    const outcome = result.passed ? 'passed' : `FAILED ${result.failures.map(({ test }) => test).join('; ')}`;
    console.log(`run ${number}: ${result.seconds.toFixed(1)} s, ${result.tests} tests, ${outcome}`);
  }
} finally {
  for (const busy of load) busy.kill('SIGKILL');
  // There may be no engine, or no test may have built the image.
  spawnSync('docker', ['image', 'rm', '--force', `actorctl-test/base:${run}`], { stdio: 'ignore' });
  rmSync(records, { recursive: true, force: true });
}
const failed = runs.some(({ passed }) => !passed);
if (!failed) rmSync(kept, { recursive: true });
console.log(summary(runs, before === undefined ? undefined : await leaksSince(before)));
if (ended !== undefined) console.log(`Interrupted by ${ended}`);
process.exitCode = failed ? 1 : ended === undefined ? 0 : 130;
