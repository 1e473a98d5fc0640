// The daemon reads the time from one port, so that a virtual clock moves all of it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The files that read the clock of the machine, and why. */
const READERS: Readonly<Record<string, string>> = {
  'daemon/vault/clock.ts': 'it is the port',
  'daemon/process/logging.ts': 'the log of the daemon has the time of the machine',
  'daemon/executor/runner/child.ts': 'the runner is a process of its own, and runs have the time of the machine',
  'daemon/store/lock.ts': 'only the clock of the machine shows how long the machine slept',
};

it('only the clock module, the log and the runner read the clock of the machine', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'daemon'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    // The page of the dashboard runs in a browser.
    .filter((file) => file.endsWith('.ts') && !file.startsWith('daemon/web/dashboard/'));
  const readers = files.filter((file) => {
    const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    return /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bTemporal\.Now\b/.test(code);
  });
  expect(readers).toEqual(Object.keys(READERS).toSorted());
});
