// `npm test`: builds the programs, then runs the projects that wait (for an engine, a browser, a daemon, the end of a program) beside those
// that compute, each in a vitest of its own: one vitest would run such groups one after the other, and leave the processors idle in between.
// The output of the first appears at once, that of the second when the first has ended. What failed in the first is repeated at the end,
// where a reader of the last lines finds it. Arguments are passed on to both.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');

const GROUPS = [
  ['engine-docker', 'e2e', 'cli', 'faults', 'browser'],
  ['sweeps', 'integration', 'integration-https', 'unit'],
];

if (
  spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0
) {
  process.exit(1);
}
const run = randomBytes(6).toString('hex');

/** Starts a vitest. What it writes appears from `show` on, with all that it wrote before. */
const start = (projects) => {
  const names = projects.flatMap((name) => ['--project', name]);
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', '--passWithNoTests', ...names];
  const child = spawn(process.execPath, [...args, ...process.argv.slice(2)], {
    cwd: root,
    env: {
      ...process.env,
      ACTORCTL_TEST_RUN: run,
      ACTORCTL_TEST_BESIDE: '1',
      ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = [];
  const output = () => Buffer.concat(written).toString();
  let shown = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      written.push(chunk);
      if (shown) process.stdout.write(chunk);
    });
  }
  return {
    end: (signal) => child.kill(signal),
    isEmpty: () => output().includes('No test files found'),
    passed: new Promise((resolve) => child.once('close', (code) => resolve(code === 0))),
    show: () => {
      shown = true;
      process.stdout.write(output());
    },
    /** What vitest says of its failures, or the last 100 lines if it was ended before. */
    failures: () => {
      const lines = output().split('\n');
      const from = lines.findIndex((line) => /⎯ (Failed|Unhandled) /.test(stripVTControlCharacters(line)));
      return lines.slice(from === -1 ? -100 : from).join('\n');
    },
  };
};

const started = GROUPS.map(start);
let ended;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    ended = signal;
    for (const { end } of started) end(signal);
  });
}
const failed = [];
for (const [at, { passed, show, failures }] of started.entries()) {
  show();
  if (!(await passed)) failed.push({ at, projects: GROUPS[at].join(', '), failures });
}
// There may be no engine, or no test may have made the image.
spawnSync('docker', ['image', 'rm', '--force', `actorctl-test/base:${run}`], { stdio: 'ignore' });
if (ended !== undefined) {
  console.log(`\nInterrupted by ${ended}`);
  process.exitCode = 130;
} else if (failed.length > 0) {
  for (const { at, projects, failures } of failed) {
    if (at < GROUPS.length - 1) console.log(`\nOnce more, what failed in ${projects}:\n${failures()}`);
  }
  console.log(`\nTests failed in one of: ${failed.map(({ projects }) => projects).join('; ')}`);
  process.exitCode = 1;
} else if (started.every(({ isEmpty }) => isEmpty())) {
  console.log(`\nNo test file matches ${process.argv.slice(2).join(' ')}`);
  process.exitCode = 1;
}
