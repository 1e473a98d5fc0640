// Small and read-only file systems, for tests of disk errors.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Requirement, requirement } from '../runner/requirements.ts';

const run = (...command: [string, ...string[]]): void => {
  const [program, ...args] = command;
  execFileSync(program, args, { stdio: 'pipe' });
};

const canMount = (): string => {
  if (process.platform !== 'linux') return 'only Linux can mount a tmpfs for a test';
  const folder = mkdtempSync(path.join(tmpdir(), 'actorctl-mount-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder);
    run('umount', folder);
    return '';
  } catch {
    return 'mounting a tmpfs takes root; run the tests as root to see what a full disk does';
  } finally {
    rmSync(folder, { recursive: true });
  }
};

let reason: string | undefined;

/** Whether this machine allows a test to mount file systems. */
export const mounting = (): Requirement => {
  reason ??= canMount();
  return requirement('mount', reason === '', reason);
};

/** A separate disk of the given size (in the form of `mount`: `1m`), removed at the end of the test. */
export const smallDisk = (size: string): { readonly folder: string; readOnly(is: boolean): void } => {
  const base = mkdtempSync(path.join(tmpdir(), 'actorctl-disk-'));
  const folder = path.join(base, 'disk');
  mkdirSync(folder, { mode: 0o700 });
  run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder);
  onTestFinished(() => {
    run('umount', '-l', folder);
    rmSync(base, { recursive: true });
  });
  return {
    folder,
    readOnly: (is) => run('mount', '-o', `remount,${is ? 'ro' : 'rw'}`, folder),
  };
};
