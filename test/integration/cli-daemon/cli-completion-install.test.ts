// `completion install` and `uninstall`: the block in the start-up files of the shells. No daemon is needed.
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scripts } from '../../../src/commands/completion/scripts.ts';
import { inProcessHome } from '../../support/daemon/home.ts';

const home = inProcessHome();
afterAll(() => rmSync(home.folder, { recursive: true, force: true }));

describe('completion install', () => {
  const rc = (name: string) => path.join(home.folder, 'user', name);
  const run = (...args: string[]) =>
    home.cli(['completion', ...args], {
      env: { HOME: path.join(home.folder, 'user'), SHELL: '/bin/bash', XDG_CONFIG_HOME: undefined, ZDOTDIR: undefined },
    });

  it('adds the script to the start-up file once, follows a link, and uninstall restores the file', async () => {
    mkdirSync(rc('dotfiles'), { recursive: true });
    writeFileSync(rc('dotfiles/bashrc'), 'alias l=ls\n', { mode: 0o600 });
    symlinkSync('dotfiles/bashrc', rc('.bashrc'));
    // Another name of the same file: it keeps the old text only if the file is not written in place.
    linkSync(rc('dotfiles/bashrc'), rc('old'));
    expect((await run('install')).stdout).toBe(
      `Added completion for bash to ${rc('.bashrc')}. It works in new shells.\n`,
    );
    const text = readFileSync(rc('.bashrc'), 'utf8');
    expect(text).toContain(scripts.bash);
    expect(readFileSync(rc('old'), 'utf8')).toBe('alias l=ls\n');
    expect((await run('install')).stdout).toContain('already');
    expect(readFileSync(rc('.bashrc'), 'utf8')).toBe(text);
    expect(lstatSync(rc('.bashrc')).isSymbolicLink()).toBe(true);
    expect(lstatSync(rc('dotfiles/bashrc')).mode & 0o777).toBe(0o600);
    expect((await run('uninstall')).stdout).toBe(
      `Removed completion for bash from ${rc('.bashrc')}.\nOpen shells keep it until they close.\n`,
    );
    expect(readFileSync(rc('.bashrc'), 'utf8')).toBe('alias l=ls\n');
    expect((await run('uninstall', 'bash')).stdout).toBe(`nothing to remove: no completion in ${rc('.bashrc')}\n`);
  });

  it.each([
    ['zsh', '.zshrc'],
    ['fish', '.config/fish/completions/actorctl.fish'],
    ['powershell', '.config/powershell/profile.ps1'],
  ])('writes the file of %s', async (shell, file) => {
    expect(JSON.parse((await run('install', shell, '--json')).stdout)).toEqual({
      shell,
      file: rc(file),
      changed: true,
    });
    expect(readFileSync(rc(file), 'utf8')).toContain('__complete');
  });

  it('is undone by uninstall in the files of all shells, or in none if one file is refused', async () => {
    await run('install');
    const begin = readFileSync(rc('.zshrc'), 'utf8');
    writeFileSync(rc('.zshrc'), begin.replace('# <<< actorctl completion <<<', ''));
    const refused = await run('uninstall');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(rc('.zshrc')) });
    expect(readFileSync(rc('.bashrc'), 'utf8')).toContain('__complete');
    writeFileSync(rc('.zshrc'), begin);
    const { removed } = JSON.parse((await run('uninstall', '--json')).stdout);
    expect(removed.map(({ shell }: { shell: string }) => shell)).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(readFileSync(rc('.bashrc'), 'utf8')).toBe('alias l=ls\n');
    for (const { file } of removed.slice(1)) expect([file, existsSync(file)]).toEqual([file, false]);
    expect((await run('uninstall')).stdout).toMatch(/^nothing to remove: no completion in .*\.bashrc, .*\.zshrc, /);
  });

  it('preserves bytes that are not UTF-8, and recognizes its block after an editor changed the line endings', async () => {
    const before = Buffer.from([0x23, 0xe9, 0xff, 0x0a]);
    writeFileSync(rc('.zshrc'), before);
    await run('install', 'zsh');
    const installed = readFileSync(rc('.zshrc'));
    expect(installed.subarray(0, 4)).toEqual(before);
    writeFileSync(rc('.zshrc'), Buffer.from(installed.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'));
    await run('uninstall', 'zsh');
    expect(readFileSync(rc('.zshrc'), 'latin1').trimEnd()).toBe('#\xe9\xff');
  });

  it('preserves a link to a file without other content, and refuses a FIFO', async () => {
    rmSync(rc('.zshrc'), { force: true });
    writeFileSync(rc('dotfiles/zshrc'), '');
    symlinkSync('dotfiles/zshrc', rc('.zshrc'));
    await run('install', 'zsh');
    await run('uninstall', 'zsh');
    expect(lstatSync(rc('.zshrc')).isSymbolicLink()).toBe(true);
    expect(readFileSync(rc('dotfiles/zshrc'), 'utf8')).toBe('');
    rmSync(rc('.zshrc'));
    execFileSync('mkfifo', [rc('.zshrc')]);
    expect(await run('install', 'zsh')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a regular file'),
    });
  });

  it.each([undefined, ''])('takes the shell of the password file if SHELL is %o', async (SHELL) => {
    const name = path.basename(userInfo().shell ?? '');
    const { stdout, stderr } = await home.cli(['completion', 'install', '--dry-run', '--json'], { env: { SHELL } });
    if (Object.hasOwn(scripts, name)) expect(JSON.parse(stdout)).toMatchObject({ shell: name });
    else expect(JSON.parse(stderr).error.message).toContain(`the shell "${name}"`);
  });

  it('refuses an unknown shell', async () => {
    expect(await run('install', 'tcsh')).toMatchObject({ code: 2, stderr: expect.stringContaining('"tcsh"') });
  });
});
