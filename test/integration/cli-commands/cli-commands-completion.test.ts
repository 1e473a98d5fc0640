// Completion against the built daemon: names of resources, no output without a daemon, and the scripts in real shells.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
