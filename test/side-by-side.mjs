// Runs commands side by side and shows their output one after the other: that of the first that has not ended appears at once, that of the
// others when their turn comes. At the end stands a line per command with its seconds, and what failed, once more.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Step
 * @property {string} name What the lines about it call it.
 * @property {string[]} command
 * @property {string} [alone] How a reader runs it alone.
 * @property {NodeJS.ProcessEnv} [env] More variables.
 */

/** What vitest prints from its list of failures on, or the last 100 lines of another command. */
const failuresIn = (output) => {
  const lines = output.trimEnd().split('\n');
  const from = lines.findIndex((line) => /⎯ (Failed|Unhandled) /.test(stripVTControlCharacters(line)));
  return lines.slice(from === -1 ? -100 : from).join('\n');
};

/** The failed tests with which vitest ends, or the last lines of another command. */
const endOf = (output) => {
  const lines = output.trimEnd().split('\n');
  const from = lines.lastIndexOf('Failed tests:');
  return lines.slice(from === -1 ? -10 : from).join('\n');
};

/** Starts a step. Its output appears from `show` on, with all that it wrote before. */
const start = ({ name, command: [file, ...args], alone, env }) => {
  const began = performance.now();
  const child = spawn(file, args, {
    cwd: root,
    env: { ...process.env, ...env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = [];
  let shown = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      written.push(chunk);
      if (shown) process.stdout.write(chunk);
    });
  }
  const output = () => Buffer.concat(written).toString();
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      written.push(Buffer.from(`${error.message}\n`));
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  }).then((passed) => ({ name, alone, passed, output, seconds: (performance.now() - began) / 1000 }));
  return {
    ended,
    end: (signal) => child.kill(signal),
    show: () => {
      shown = true;
      process.stdout.write(output());
    },
  };
};

const line = ({ name, passed, seconds }) =>
  `${passed ? 'passed' : 'FAILED'}  ${`${seconds.toFixed(0)} s`.padStart(6)}  ${name}`;

/**
 * Runs groups of lanes: groups one after the other, the lanes of a group side by side, the steps of a lane one after the other. A failed step
 * ends nothing, so that one run shows all that fails. Sets the exit code, and resolves with the ended steps.
 *
 * @param {Step[][][]} groups
 */
export const runSideBySide = async (groups) => {
  const running = new Set();
  const ended = [];
  let interrupted;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      interrupted ??= signal;
      for (const step of running) step.end(signal);
    });
  }
  /** Steps that have begun, in their order; the first of them is shown. */
  const queue = [];
  const next = async (shown) => {
    shown.show();
    const result = await shown.ended;
    ended.push(result);
    if (groups.flat(2).length > 1) console.log(`\n== ${line(result)}\n`);
    queue.shift();
    if (queue.length > 0) await next(queue[0]);
  };
  const lane = async (steps) => {
    for (const step of steps) {
      if (interrupted !== undefined) return;
      const begun = start(step);
      running.add(begun);
      queue.push(begun);
      if (queue.length === 1) showing = next(begun);
      await begun.ended;
      running.delete(begun);
    }
  };
  let showing = Promise.resolve();
  for (const lanes of groups) {
    await Promise.all(lanes.map(lane));
    await showing;
  }
  const failed = ended.filter(({ passed }) => !passed);
  for (const step of failed) {
    if (step !== ended.at(-1)) console.log(`\nOnce more, what failed in ${step.name}:\n${failuresIn(step.output())}`);
  }
  if (ended.length > 1) console.log(`\n${ended.map(line).join('\n')}`);
  for (const { name, alone, output } of failed) {
    if (alone !== undefined) console.log(`\n${name} failed. To run it alone: ${alone}\n${endOf(output())}`);
  }
  if (interrupted !== undefined) {
    console.log(`\nInterrupted by ${interrupted}`);
    process.exitCode = 128 + constants.signals[interrupted];
  } else if (failed.length > 0) {
    process.exitCode = 1;
  }
  return ended;
};

/** The command that runs projects of tests; arguments of this program are passed on. */
export const vitest = (projects) => [
  process.execPath,
  path.join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--config',
  'test/vitest.config.ts',
  '--passWithNoTests',
  ...projects.flatMap((name) => ['--project', name]),
  ...process.argv.slice(2),
];

/**
 * Builds the programs once for every vitest that this program starts, unless its own starter has. Returns the function that removes the image
 * which their tests share.
 */
export const buildOnce = () => {
  if (process.env['ACTORCTL_TEST_RUN'] !== undefined) return () => undefined;
  const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (built.status !== 0) process.exit(1);
  const run = randomBytes(6).toString('hex');
  process.env['ACTORCTL_TEST_RUN'] = run;
  // There may be no engine, or no test may have built the image.
  return () => void spawnSync('docker', ['image', 'rm', '--force', `actorctl-test/base:${run}`], { stdio: 'ignore' });
};
