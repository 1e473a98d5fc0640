// The folder of the compile cache: which one is used, and which one is not.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import Module from 'node:module';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { privateFolder } from '../../../src/local/compile-cache.ts';
import { program } from '../../support/daemon/run-program.ts';

const self = process.getuid?.();
const hasCompileCache = 'enableCompileCache' in Module;

let base: string;
let folder: string;
beforeEach(() => {
  // Not in the temporary folder, below which no folder is used.
  base = mkdtempSync(path.join(homedir(), '.actorctl-test-'));
  folder = path.join(base, 'cache', 'compiled');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe('the folder of the compile cache', () => {
  it('R167 is created for its owner alone, whatever the umask', () => {
    const before = process.umask(0);
    try {
      expect(privateFolder(folder, self)).toBe(folder);
    } finally {
      process.umask(before);
    }
    expect([modeOf(folder), modeOf(path.dirname(folder))]).toEqual([0o700, 0o700]);
    expect(privateFolder(folder, self)).toBe(folder);
  });

  it.each([0o777, 0o770, 0o755])('R167 is not used with mode %o', (mode) => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, mode);
    expect(privateFolder(folder, self)).toBeUndefined();
  });

  it.each([0o777, 0o1777, 0o775])('R167 is not used below a folder of mode %o', (mode) => {
    mkdirSync(path.dirname(folder));
    chmodSync(path.dirname(folder), mode);
    expect(privateFolder(folder, self)).toBeUndefined();
  });

  it('R167 is not used in the shared temporary folder', () => {
    const shared = mkdtempSync(path.join(tmpdir(), 'actorctl-compiled-'));
    try {
      expect(privateFolder(path.join(shared, 'compiled'), self)).toBeUndefined();
    } finally {
      rmSync(shared, { recursive: true });
    }
  });

  it('R167 is not used if it is a link', () => {
    mkdirSync(path.join(base, 'elsewhere'), { mode: 0o700 });
    mkdirSync(path.dirname(folder));
    symlinkSync(path.join(base, 'elsewhere'), folder);
    expect(privateFolder(folder, self)).toBeUndefined();
  });

  it.runIf(self === 0)('R167 is not used if it, or a folder above it, belongs to another user', () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chownSync(folder, 65_534, 65_534);
    expect(privateFolder(folder, self)).toBeUndefined();
    chownSync(folder, 0, 0);
    chownSync(path.dirname(folder), 65_534, 65_534);
    expect(privateFolder(folder, self)).toBeUndefined();
  });

  it('is optional: without a folder nothing is cached', () => {
    expect(privateFolder(path.join('/dev/null', 'compiled'), self)).toBeUndefined();
  });
});

describe('a command', () => {
  const help = (env: Record<string, string>): void => {
    const { PATH = '' } = process.env;
    const { status } = spawnSync(process.execPath, [program, '--help'], {
      env: { PATH, ACTORCTL_HOME: base, ...env },
      stdio: 'ignore',
    });
    expect(status).toBe(0);
  };

  it('keeps its compiled code there from Node 22.8, and writes nothing on Node 20', () => {
    help({});
    expect(existsSync(folder)).toBe(hasCompileCache);
  });

  it('writes no compiled code with NODE_DISABLE_COMPILE_CACHE', () => {
    help({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(existsSync(folder)).toBe(false);
  });
});
