// Files of the command line that a power failure left blank count as absent; a change does not guess its target.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

const NUL = '\0'.repeat(300);

let home: Home;
const blank = (folder: 'config' | 'state/default', name: string, content: string): string => {
  const file = path.join(home.folder, folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content, { mode: 0o600 });
  return file;
};

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
  onTestFinished(() => home.remove());
});

describe('a blank file', () => {
  it.each([
    ['empty', ''],
    ['filled with NUL', NUL],
    ['a lone byte order mark', '\ufeff\n'],
  ])('of settings, contexts and logins that is %s is ignored with a warning', async (_kind, content) => {
    const files = ['settings.json', 'contexts.json', 'credentials.json'].map((name) => blank('config', name, content));
    const login = await home.cli(['up', '--login', '-c', 'local', '--port', 'auto']);
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining('Logged in as')]);
    for (const file of files)
      expect(login.stderr).toContain(`${file} is blank, as after a power failure: it is ignored`);
    for (const command of [['status'], ['down']]) expect((await home.cli(command)).code).toBe(0);
  });

  it('that may have named another service lets a command read, and refuses a change without a target', async () => {
    await home.up();
    const file = blank('config', 'contexts.json', '');
    expect((await home.cli(['actors', 'list'])).code).toBe(0);
    for (const change of [
      ['configs', 'create', 'c', '--value', '1'],
      ['reset', '--yes'],
      ['prune', '--yes'],
    ]) {
      const { code, stderr } = await home.cli(change);
      expect([change[0], code]).toEqual([change[0], 2]);
      expect(stderr).toContain(`${file} is blank, and it may have named another service: nothing was changed`);
    }
    const sure = await home.cli(['configs', 'create', 'c', '--value', '1', '-c', 'local']);
    expect([sure.code, sure.stderr]).toEqual([0, expect.not.stringContaining('nothing was changed')]);
    expect((await home.cli(['prune', '--yes', '--instance', 'default'])).code).toBe(0);
  });

  it('is named by doctor, with a line that repairs it', async () => {
    const files = [
      blank('config', 'settings.json', NUL),
      blank('config', 'credentials.json', ''),
      blank('state/default', 'launch.json', NUL),
    ];
    const blankOnes = async () => {
      const { checks } = JSON.parse((await home.cli(['doctor', '--json'])).stdout) as {
        checks: { name: string; text: string; fix: string }[];
      };
      return checks.filter(({ name }) => name === 'files');
    };
    const found = await blankOnes();
    expect(found.map(({ text }) => text).sort()).toEqual(
      files.map((file) => `${file} is blank and counts as absent`).sort(),
    );
    for (const { fix } of found) execFileSync('sh', ['-c', fix]);
    expect(await blankOnes()).toEqual([]);
  });
});
