// `npm test`: builds the programs, then runs the projects that wait (for an engine, a browser, a daemon, the end of a program) beside those
// that compute, each in a vitest of its own: one vitest would run such groups one after the other, and leave the processors idle in between.
// The output of the first appears at once, that of the second when the first has ended. Arguments are passed on to both.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');

const GROUPS = [
  ['engine-docker', 'e2e', 'cli', 'faults'],
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
  const before = [];
  let write = (chunk) => before.push(chunk);
  let empty = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      empty ||= String(chunk).includes('No test files found');
      write(chunk);
    });
  }
  return {
    end: (signal) => child.kill(signal),
    isEmpty: () => empty,
    passed: new Promise((resolve) => child.once('close', (code) => resolve(code === 0))),
    show: () => {
      write = (chunk) => process.stdout.write(chunk);
      before.splice(0).forEach(write);
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
for (const [at, { passed, show }] of started.entries()) {
  show();
  if (!(await passed)) failed.push(GROUPS[at].join(', '));
}
// There may be no engine, or no test may have made the image.
spawnSync('docker', ['image', 'rm', '--force', `actorctl-test/base:${run}`], { stdio: 'ignore' });
if (ended !== undefined) {
  console.log(`\nInterrupted by ${ended}`);
  process.exitCode = 130;
} else if (failed.length > 0) {
  console.log(`\nTests failed in one of: ${failed.join('; ')}`);
  process.exitCode = 1;
} else if (started.every(({ isEmpty }) => isEmpty())) {
  console.log(`\nNo test file matches ${process.argv.slice(2).join(' ')}`);
  process.exitCode = 1;
}
