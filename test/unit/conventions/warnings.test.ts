// A warning of Node ends the programs that tests start.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
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
