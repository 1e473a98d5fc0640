// Completion against the built daemon: names of resources, no output without a daemon, and the scripts in real shells.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scripts } from '../../../src/commands/completion/scripts.ts';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';
import { describeIf, requirement } from '../../support/runner/requirements.ts';

let home: SharedHome;
let actor: string;
let execution: string;
let nonce: string;

/** What zsh would be offered, without descriptions. */
const offered = async (
  words: readonly string[],
  current = '',
  env: NodeJS.ProcessEnv = {},
): Promise<readonly string[]> => {
  const ended = await home.cli(['__complete', 'zsh', `:${current}`, ...words], { env });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return ended.stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '');
};

beforeAll(async () => {
  home = await sharedHome();
  const image = shellActor(home.folder);
  const create = async (name: string) =>
    (await home.json<{ id: string }>('actors', 'create', image, '--name', name)).id;
  actor = await create('sh');
  await create('$(reboot)');
  await home.cli(['aliases', 'create', 'web', actor]);
  await home.cli(['configs', 'create', 'db', '--value', 'x']);
  nonce = (await home.json<{ id: string }>('nonces', 'create', actor)).id;
  execution = (await home.cli(['send', 'sh', '-m', 'hi', '-q'])).stdout.trim();
});

afterAll(() => home.remove());

describe('completion', () => {
  it('offers actors and aliases, and the id of an actor whose name a shell would run', async () => {
    const words = await offered(['actors', 'show']);
    expect(words).toEqual(expect.arrayContaining(['sh', 'web']));
    expect(words).toHaveLength(3);
    expect(words.every((word) => /^[\w-]+$/.test(word))).toBe(true);
  });

  it('offers the ids of actors if no name begins with the typed text', async () => {
    expect(await offered(['actors', 'show'], actor.slice(0, 5))).toEqual([actor]);
  });

  it.each([
    ['executions', () => offered(['executions', 'show']), () => [execution, '@last', '@last:failed']],
    ['the latest execution of an actor', () => offered(['logs'], 'sh@'), () => ['sh@last', 'sh@last:failed']],
    ['configs', () => offered(['configs', 'delete']), () => ['db']],
    ['targets of permissions', () => offered(['permissions', 'list'], 'config:'), () => ['config:db']],
    ['clients', () => offered(['login', '--client'], 'actorctl'), () => [expect.stringMatching(/^actorctl/)]],
    ['contexts', () => offered(['-c']), () => ['local']],
    ['instances', () => offered(['--instance']), () => ['default']],
    ['users', () => offered(['users', 'show']), () => ['dev']],
    ['logins', () => offered(['logout', '--user']), () => ['dev']],
    ['users and ABACO_WORLD', () => offered(['permissions', 'grant', 'sh']), () => ['dev', 'ABACO_WORLD']],
    ['users to check', () => offered(['permissions', 'can']), () => ['dev']],
    ['levels', () => offered(['permissions', 'can', 'dev'], 'E'), () => ['EXECUTE']],
  ])('offers %s', async (_what, words, expected) => {
    expect(await words()).toEqual(expected());
  });

  it('offers the nonces of the actor typed earlier on the line', async () => {
    const listed = (await home.json<{ id: string }[]>('nonces', 'list', 'sh')).map(({ id }) => id);
    expect(await offered(['nonces', 'show', 'sh'])).toEqual(listed);
    expect(listed).not.toContain(nonce);
  });

  it('offers nothing to a user who is not logged in, or whose token is refused', async () => {
    const empty = path.join(home.folder, 'empty');
    expect(await offered(['actors', 'show'], '', { ACTORCTL_HOME: empty })).toEqual([]);
    expect(await offered(['actors', 'show'], '', { ACTORCTL_TOKEN: 'wrong' })).toEqual([]);
  });

  it('starts no daemon, uses up no nonce, and offers commands even without a daemon', async () => {
    const env = { ACTORCTL_HOME: path.join(home.folder, 'away'), ACTORCTL_AUTOSTART: '1', ACTORCTL_NONCE: 'x' };
    expect(await offered(['actors', 'show'], '', env)).toEqual([]);
    mkdirSync(path.join(env.ACTORCTL_HOME, 'config'), { recursive: true });
    writeFileSync(path.join(env.ACTORCTL_HOME, 'config', 'settings.json'), '{"daemon.autostart":true}');
    expect(await offered(['actors', 'show'], '', { ...env, ACTORCTL_TOKEN: 'x' })).toEqual([]);
    expect(await offered(['actors'], 'sho', env)).toEqual(['show']);
    expect((await home.cli(['status'], { env })).code).toBe(9);
  });

  it('stops waiting for a service that does not respond', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { ACTORCTL_BASE_URL: `http://127.0.0.1:${port}`, ACTORCTL_TOKEN: 'x' };
    const { code, stdout, stderr } = await home.cli(['__complete', 'zsh', ':', 'actors', 'show'], {
      env,
      completionMs: 20,
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'words\n', stderr: '' });
    server.closeAllConnections();
    server.close();
  });
});

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

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const shells = requirement('shells', has('fish') && has('zsh'), 'there is no fish or no zsh; install both');

/** A search path without actorctl. */
const noProgram = { PATH: '/usr/bin:/bin' };

describe('the script', () => {
  const words = String.raw`actorctl() { printf 'words\nalpha\tfirst one\nbeta\n'; }`;

  it('of bash fills COMPREPLY with the candidates', () => {
    const script = `${words}\n${scripts.bash}\nCOMP_LINE='actorctl x' COMP_POINT=10\n_actorctl actorctl x; printf '%s,' "\${COMPREPLY[@]}"`;
    expect(spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toMatchObject({
      stdout: 'alpha,beta,',
      stderr: '',
    });
  });

  it('of bash runs nothing if actorctl is not installed', () => {
    const script = `command_not_found_handle() { touch found; }\n${scripts.bash}\ncd ${home.folder}; COMP_LINE='actorctl sta' COMP_POINT=12\n_actorctl actorctl sta; echo "$? \${#COMPREPLY[@]}"; ls found`;
    const { stdout } = spawnSync('bash', ['--norc', '-euc', script], { encoding: 'utf8', env: noProgram });
    expect(stdout).toBe('0 0\n');
  });

  it('of bash completes files itself', () => {
    const script = `actorctl() { echo files; }\n${scripts.bash}\ncd ${home.folder}; COMP_LINE='actorctl sta' COMP_POINT=12\n_actorctl actorctl sta; printf '%s,' "\${COMPREPLY[@]}"`;
    expect(spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).stdout).toBe('state,');
  });
});

describeIf(shells, 'the script of another shell', () => {
  it('of fish is completed with descriptions', () => {
    const script = `function actorctl; printf 'words\\nalpha\\tfirst one\\nbeta\\n'; end\n${scripts.fish}\ncomplete -C 'actorctl '`;
    const { stdout } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' });
    expect(stdout).toBe('alpha\tfirst one\nbeta\n');
  });

  it.each([
    [
      'fish',
      ['--no-config', '-c'],
      `function fish_command_not_found; touch found; end\n${scripts.fish}\ncomplete -C 'actorctl '`,
    ],
    [
      'zsh',
      ['-f', '-c'],
      `command_not_found_handler() { touch found }\n${scripts.zsh}\nPREFIX= words=(actorctl) CURRENT=2; _actorctl`,
    ],
  ])('of %s runs nothing if actorctl is not installed', (shell, flags, script) => {
    const { stdout, stderr } = spawnSync(shell, [...flags, `cd ${home.folder}\n${script}\nls`], {
      encoding: 'utf8',
      env: { ...noProgram, HOME: home.folder },
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('state');
    expect(stdout).not.toContain('found');
  });

  it('of zsh is loaded without an error', () => {
    const { status, stderr } = spawnSync('zsh', ['-f', '-c', `${scripts.zsh}\n(( $+functions[_actorctl] ))`], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
