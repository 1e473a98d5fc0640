// A warning of Node ends the programs that tests start, and fails the test even if it expects an error.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { refuseWarnings } from '../../support/daemon/run-program.ts';
import { failOnWarning } from '../../support/preloads/preloads.ts';

it.each([
  ['leaked listeners', 'for (let n = 0; n < 11; n += 1) process.on("exit", () => {})', 'MaxListenersExceededWarning'],
  ['a deprecated function', 'new (require("node:buffer").Buffer)(1)', 'DeprecationWarning'],
])('a program with %s ends with an error', (_, script, warning) => {
  const waiting = `${script}; setInterval(() => {}, 1000)`;
  const { status, stderr } = spawnSync(process.execPath, [...failOnWarning, '-e', waiting], { encoding: 'utf8' });
  expect(stderr).toContain(warning);
  expect(status).not.toBe(0);
  expect(status).not.toBeNull();
});

it('a command whose stderr has a warning of Node fails its test, whatever exit code is expected', () => {
  const { stderr } = spawnSync(process.execPath, ['-e', 'process.emitWarning("too many")'], { encoding: 'utf8' });
  expect(() => refuseWarnings(['send', 'x'], stderr)).toThrow('actorctl send x ended with a warning');
  expect(() => refuseWarnings(['send', 'x'], 'warning: x is blank\nerror: no actor\n')).not.toThrow();
});
