// What is said of a file that this user cannot use, and of a home that is not the one of root.
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileFailure } from '../../../src/failure.ts';
import { accessFix, nearestExisting } from '../../../src/local/folders/access.ts';
import { type HomeUse, refuseForeignHome } from '../../../src/local/folders/foreign-home.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const home = '/home/me';
const mine = { code: 'EACCES', self: 1000, home };

describe('the line that gives access', () => {
  it.each([
    [{ ...mine, at: '/home/me/.config', owner: 0 }, "sudo chown -R 1000 '/home/me/.config'"],
    [{ ...mine, at: '/home/me', owner: 0 }, "sudo chown 1000 '/home/me'"],
    [{ ...mine, at: "/home/me/it's", owner: 0 }, "sudo chown -R 1000 '/home/me/it'\\''s'"],
    [{ ...mine, at: '/home/me/.local', owner: 1000 }, "chmod u+rwX '/home/me/.local'"],
    [{ ...mine, at: '/home/meow/x', owner: 0 }, undefined],
    [{ ...mine, at: '/', owner: 0 }, undefined],
    [{ ...mine, at: '/home/me', owner: 0, code: 'EROFS' }, undefined],
    [{ ...mine, at: '/home/me', owner: 0, self: undefined }, undefined],
  ])('%j', (blocked, line) => expect(accessFix(blocked)).toBe(line));
});

it('the failure to use a file names the reason, not the call of the system', () => {
  const folder = temporaryFolder();
  const error = Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' });
  expect(fileFailure('cannot read', folder, error).message).toBe(`cannot read ${folder}: it is a folder`);
  expect(nearestExisting(join(folder, 'a', 'b')).at).toBe(folder);
});

describe('root by sudo', () => {
  const foreign = (): string => {
    const folder = temporaryFolder();
    if (process.getuid?.() === 0) chownSync(folder, 12_345, 12_345);
    return folder;
  };
  const use = (root: string, more: Partial<HomeUse> = {}): HomeUse => ({
    uid: 0,
    env: { SUDO_UID: '1000' },
    home: root,
    paths: { configDir: join(root, 'c'), dataDir: join(root, 'd', 'default'), stateDir: join(root, 's') },
    ...more,
  });

  it('is refused a home of another user, before anything is created', () => {
    const folder = foreign();
    expect(() => refuseForeignHome(use(folder))).toThrow(`root, but ${folder} belongs to user `);
    const env = { SUDO_UID: '1000', ACTORCTL_HOME: folder };
    expect(() => refuseForeignHome(use(folder, { env, home: '/' }))).toThrow(folder);
    // XDG variables lead there although the home is that of root.
    expect(() => refuseForeignHome(use(folder, { home: '/' }))).toThrow(folder);
  });

  it('uses a home of its own, and root without sudo any', () => {
    const folder = foreign();
    expect(() => refuseForeignHome(use('/actorctl-nowhere'))).not.toThrow();
    for (const more of [{ uid: 1000 }, { env: {} }, { env: { SUDO_UID: '0' } }])
      expect(() => refuseForeignHome(use(folder, more))).not.toThrow();
  });
});
