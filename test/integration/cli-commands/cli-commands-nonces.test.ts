// `nonces` and `--nonce` of the built program against the built daemon.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: Home;
/** A home without a login that has only the address of the service. */
let stranger: Home;
let actorId: string;

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  const { baseUrl } = await home.up();
  stranger = inProcessHome({ ACTORCTL_BASE_URL: baseUrl });
  const image = shellActor(home.folder);
  actorId = String((await home.json('actors', 'create', image, '--name', 'one', '--wait'))['id']);
  await home.json('aliases', 'create', 'wc', 'one');
});

afterAll(async () => {
  await stranger.remove();
  await home.remove();
});

const secretOf = async (...args: string[]): Promise<string> =>
  (await home.cli(['nonces', 'create', ...args, '-q'])).stdout.trim();

describe('nonces create', () => {
  it('prints the nonce and its limits, with -q the secret only', async () => {
    const said = await home.cli(['nonces', 'create', 'one', '--max-uses', '10']);
    expect(said.stdout).toMatch(/^Created nonce DEV_\w{45} {2}level EXECUTE, 10 uses on actor one \(shown once\)\n$/);
    expect(await secretOf('one')).toMatch(/^DEV_\w{45}$/);
    const onAlias = await home.cli(['nonces', 'create', 'alias:wc', '--level', 'READ']);
    expect(onAlias.stdout).toMatch(/level READ, unlimited uses on alias wc \(shown once\)\n$/);
  });
  it('with --json prints the nonce and its target: an alias names the alias, a name or id the actor', async () => {
    const options = ['--level', 'UPDATE', '--expires', '1h', '--description', 'ci'];
    const made = await home.json('nonces', 'create', 'one', ...options);
    expect(made).toMatchObject({ level: 'UPDATE', description: 'ci', actor_id: actorId, target: `actor:${actorId}` });
    expect(Date.parse(String(made['expire_time'])) - Date.parse(String(made['create_time']))).toBe(3_600_000);
    expect(await home.json('nonces', 'create', actorId)).toMatchObject({ target: `actor:${actorId}` });
    expect(await home.json('nonces', 'create', 'wc')).toMatchObject({ alias: 'wc', target: 'alias:wc' });
  });
  it('--url prints a working command', async () => {
    const { id, curl } = await home.json<{ id: string; curl: string }>('nonces', 'create', 'one', '--url');
    const url = new URL(/'(.*)'$/.exec(curl)?.[1] ?? '');
    expect(url.searchParams.get('x-nonce')).toBe(id);
    expect((await fetch(url, { method: 'POST', body: new URLSearchParams({ message: 'hi' }) })).status).toBe(200);
    const read = await home.json<{ curl: string }>('nonces', 'create', 'wc', '--url', '--level', 'READ');
    expect((await fetch(/'(.*)'$/.exec(read.curl)?.[1] ?? '')).status).toBe(200);
  });
  it.each([
    [['alias:wc', '--level', 'UPDATE'], 2, 'ALIAS_NONCE_LEVEL'],
    [['one', '--level', 'ROOT'], 2, 'USAGE'],
    [['one', '--max-uses', '0'], 2, 'USAGE'],
    [['one', '--expires', 'soon'], 2, 'USAGE'],
    [['one', '--expires', '1ms'], 2, 'USAGE'],
    [['alias:'], 2, 'USAGE'],
    [['nope'], 6, 'NOT_FOUND'],
    [['alias:nope'], 6, 'NOT_FOUND'],
  ])('with %j exits with %i %s', async (args, code, name) => {
    const ended = await home.cli(['nonces', 'create', ...args, '--json']);
    expect([ended.code, errorOf(ended.stderr)['code']]).toEqual([code, name]);
  });
});

describe('nonces list, show and delete', () => {
  it('never print the secret again', async () => {
    const secret = await secretOf('alias:wc', '--max-uses', '3');
    const id = secret.slice(0, 17);
    const listed = await home.cli(['nonces', 'list', 'alias:wc']);
    expect(listed.stdout.split('\n')[0]).toBe('NONCE\tLEVEL\tUSES\tLEFT\tLAST USED\tEXPIRES');
    expect(listed.stdout).toContain(`${id}\tEXECUTE\t0\t3\t`);
    expect(await home.json('nonces', 'show', 'wc', secret)).toMatchObject({ id, alias: 'wc', remaining_uses: 3 });
    const refused = await home.cli(['nonces', 'delete', 'wc', id]);
    expect(refused.code).toBe(3);
    const deleted = await home.cli(['nonces', 'delete', 'wc', secret, '-y']);
    expect(deleted.stdout).toBe(`Deleted nonce ${id} of alias wc\n`);
    expect((await home.cli(['nonces', 'show', 'wc', id])).code).toBe(6);
    expect(`${listed.stdout}${refused.stderr}${deleted.stdout}`).not.toContain(secret);
  });
});

describe('--nonce', () => {
  it('sends without a login, one use per message, by flag and by variable', async () => {
    const nonce = await secretOf('one', '--max-uses', '2');
    expect((await stranger.cli(['send', actorId, '-m', 'hi', '--nonce', nonce])).code).toBe(0);
    expect((await stranger.cli(['send', actorId, '-m', 'hi'], { env: { ACTORCTL_NONCE: nonce } })).code).toBe(0);
    const spent = await stranger.cli(['send', actorId, '-m', 'hi', '--nonce', nonce, '--json']);
    expect([spent.code, errorOf(spent.stderr)]).toMatchObject([
      4,
      { code: 'AUTH_FAILED', hint: expect.stringContaining('id, or the alias') },
    ]);
  });
  it('accepts the name of an actor if there is a login to look it up', async () => {
    const nonce = await secretOf('one');
    const ran = await home.cli(['run', 'one', '-m', 'hi', '--nonce', nonce]);
    expect([ran.code, ran.stdout]).toEqual([0, 'got: hi\n']);
    expect((await stranger.cli(['send', 'one', '-m', 'hi', '--nonce', nonce])).code).toBe(4);
    const onAlias = await secretOf('alias:wc', '--max-uses', '1');
    expect((await home.cli(['send', 'wc', '-m', 'hi', '--nonce', onAlias])).code).toBe(0);
  });
  it('runs, shows and follows an actor by id or alias', async () => {
    const nonce = await secretOf('wc');
    const ran = await stranger.cli(['run', 'wc', '-m', 'hi', '--nonce', nonce]);
    expect([ran.code, ran.stdout]).toEqual([0, 'got: hi\n']);
    expect((await stranger.cli(['logs', 'wc', '--nonce', await secretOf('one')])).code).toBe(4);
    const shown = await stranger.cli(['actors', 'show', 'wc', '--nonce', nonce, '--jq', '.id', '-r']);
    expect(shown.stdout).toBe(`${actorId}\n`);
    const asked = await stranger.cli(['api', 'GET', 'actors/wc', '--nonce', nonce, '--jq', '.result.id', '-r']);
    expect(asked.stdout).toBe(`${actorId}\n`);
  });
  it('is refused by commands without nonce support, which ignore the variable', async () => {
    const nonce = await secretOf('one');
    const flagged = await home.cli(['actors', 'list', '--nonce', nonce, '--json']);
    expect([flagged.code, errorOf(flagged.stderr)['code']]).toEqual([2, 'USAGE']);
    expect((await home.cli(['actors', 'list'], { env: { ACTORCTL_NONCE: nonce } })).code).toBe(0);
    expect((await stranger.cli(['api', 'GET', 'actors', '--auth', 'nonce'])).code).toBe(2);
  });
  it('with a level that is too low exits with 5', async () => {
    const nonce = await secretOf('one', '--level', 'READ');
    expect((await stranger.cli(['send', actorId, '-m', 'hi', '--nonce', nonce])).code).toBe(5);
  });
  it('R156 appears neither in the trace nor in the log of the daemon', async () => {
    const nonce = await secretOf('one');
    const traced = await stranger.cli(['--debug', 'actors', 'show', actorId, '--nonce', nonce]);
    expect(traced.stderr).toContain('x-nonce: ***');
    expect(traced.stderr).not.toContain(nonce);
    const log = readFileSync(join(home.folder, 'state', 'default', 'daemon.log'), 'utf8');
    expect(log).toContain('/actors/v2/:actorId');
    expect(log).not.toContain(nonce.slice(-32));
  });
});

describe('variables sent with a nonce', () => {
  const attacks = ['X', 'MAKEFILES', 'WGETRC', 'GIT_CONFIG_COUNT', 'HOME', 'CDPATH', 'NODE_REDIRECT_WARNINGS', 'PS4'];

  it('R137 reach a process only if the owner declared them, and the rest is named on stderr and in --json', async () => {
    const image = shellActor(home.folder);
    const names = ['--sender-variables', 'JOB_*,LEVEL'];
    const { id } = await home.json('actors', 'create', image, '--name', 'guarded', '-e', 'X=1', ...names, '--wait');
    const nonce = await secretOf('guarded');
    const env = [...attacks, 'JOB_ID', 'LEVEL'].flatMap((name) => ['--env', `${name}=/of/the/stranger/${name}`]);
    const options = ['-m', 'env', '--nonce', nonce, '--repeat', '2', ...env];
    const ran = await stranger.cli(['run', String(id), ...options]);
    expect(ran.code).toBe(0);
    expect(ran.stdout.match(/^.*stranger.*$/gm)?.toSorted()).toEqual(
      ['JOB_ID', 'LEVEL'].flatMap((name) => Array(2).fill(`${name}=/of/the/stranger/${name}`)),
    );
    expect(ran.stderr.match(/^warning: .*$/gm)).toEqual([expect.stringContaining(attacks.join(', '))]);
    const said = await stranger.cli(['send', String(id), ...options, '--json']);
    expect(JSON.parse(said.stdout)).toMatchObject([{ ignored_variables: attacks }, { ignored_variables: attacks }]);
    const ended = await stranger.cli(['run', String(id), '-m', 'env', '--nonce', nonce, ...env, '--json']);
    expect(JSON.parse(ended.stdout)).toMatchObject({ ignored_variables: attacks });
  });

  it('are shown, changed and withdrawn by commands for actors', async () => {
    const shown = await home.cli(['actors', 'show', 'guarded']);
    expect(shown.stdout).toMatch(/sender variables\s+JOB_\*, LEVEL/i);
    const names = async (...flags: string[]) =>
      (await home.json('actors', 'update', 'guarded', ...flags))['sender_variables'];
    expect(await names('--description', 'x')).toEqual(['JOB_*', 'LEVEL']);
    expect(await names('--sender-variables', 'A', '--sender-variables', 'B')).toEqual(['A', 'B']);
    expect(await names('--sender-variables', '')).toEqual([]);
    const file = join(home.folder, 'guarded.json');
    writeFileSync(file, JSON.stringify({ image: 'x', sender_variables: ['C_*'] }));
    expect((await home.json('actors', 'create', '-f', file))['sender_variables']).toEqual(['C_*']);
    const open = await home.cli(['actors', 'update', 'guarded', '--sender-variables', '*', '--json']);
    expect(open.code).toBe(2);
  });
});
