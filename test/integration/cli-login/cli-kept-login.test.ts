// Which logins work after the data of the daemon were replaced, and what the command that replaced them says.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: Home;

beforeEach(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
});
afterEach(() => home.remove());

const login = async (username: string = ADMIN.username, password: string = ADMIN.password): Promise<void> => {
  const args = ['login', '--username', username, '--password-stdin', '--force'];
  expect(await home.cli(args, { input: password })).toMatchObject({ code: 0 });
};

const users = async (): Promise<readonly string[]> =>
  (await home.json<{ user: string; state: string }[]>('auth', 'status')).map(({ user, state }) => `${user} ${state}`);

describe('snapshot restore', () => {
  it('keeps the logins that the snapshot has, and their renewal, and says so', async () => {
    await home.cli(['users', 'create', 'ana', '--password-stdin'], { input: 'ana has a password' });
    await login('ana', 'ana has a password');
    await home.json('snapshot', 'create', 'first');
    const { code, stdout } = await home.cli(['snapshot', 'restore', 'first', '--yes']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('You are still logged in as ana\n')]);
    expect(await users()).toEqual(['ana valid', 'dev valid']);
    expect(await home.cli(['auth', 'refresh'])).toMatchObject({ code: 0 });
    expect(await home.json('whoami', '--check')).toMatchObject({ user: 'ana' });
  });

  it('removes the logins that the snapshot does not have, and says so', async () => {
    await home.json('logout');
    await home.json('snapshot', 'create', 'first');
    await login();
    const { code, stdout } = await home.cli(['snapshot', 'restore', 'first', '--replace']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('You are not logged in to the new data\n')]);
    expect(await home.cli(['whoami'])).toMatchObject({ code: 4 });
    await login();
    expect(await home.json('snapshot', 'restore', 'first', '--replace')).toMatchObject({ logged_in: false });
  });

  it('with --yes replaces the data, but halts running executions only if asked to', async () => {
    await home.json('snapshot', 'create', 'first');
    await home.json('actors', 'create', shellActor(home.folder), '--name', 'sh', '--wait');
    await home.json('send', 'sh', '-m', 'hang');
    await expect.poll(() => home.json('executions', 'list', '--status', 'RUNNING')).toHaveLength(1);
    const restore = ['snapshot', 'restore', 'first'];
    expect(await home.cli(restore)).toMatchObject({ code: 7, stderr: expect.stringContaining('not empty') });
    const busy = { code: 7, stderr: expect.stringContaining('1 execution runs, and would be lost') };
    expect(await home.cli([...restore, '--replace'])).toMatchObject(busy);
    expect(await home.cli([...restore, '--yes'])).toMatchObject(busy);
    expect(await home.cli([...restore, '--yes', '--halt-executions'])).toMatchObject({ code: 0 });
    expect(await home.json('actors', 'list')).toEqual([]);
  });
});

describe('login --flow client', () => {
  it('without --client gives the first admin access without a password, and is renewed', async () => {
    await home.json('logout');
    expect(await home.json('login', '--flow', 'client')).toMatchObject({ user: 'dev', refreshable: true });
    expect(await home.json('auth', 'refresh')).toMatchObject({ user: 'dev' });
    const changed = await home.cli(['users', 'passwd', 'dev', '--password-stdin'], { input: 'another good password' });
    expect(changed).toMatchObject({ code: 0 });
    await home.json('logout');
    await login('dev', 'another good password');
  });
});

describe('reset', () => {
  it.each([['--keep', 'users,clients'], []])('with %j removes the login, and says so', async (...flags) => {
    const { code, stdout } = await home.cli(['reset', '--yes', ...flags]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('You are not logged in to the new data\n')]);
    expect(await home.cli(['whoami'])).toMatchObject({ code: 4 });
  });
});

describe('up', () => {
  it('says who is logged in, with the login of an imported file too', async () => {
    const file = `${home.folder}/all.tar.gz`;
    expect(await home.cli(['up'])).toMatchObject({ stdout: expect.stringContaining('You are logged in as dev\n') });
    await home.json('backup', file);
    await home.json('down');
    const flags = ['--ephemeral', '--port', 'auto', '--import', file];
    expect(await home.json('up', ...flags)).toMatchObject({ logged_in: true });
    expect(await home.json('up')).toMatchObject({ logged_in: true });
    await home.json('logout');
    expect(await home.json('up')).toMatchObject({ logged_in: false });
  });

  it('with a variable that the service does not accept names the variable, because a login would not help', async () => {
    const said = (variable: NodeJS.ProcessEnv) => home.cli(['up'], { env: variable });
    const stderr = 'the service does not accept ACTORCTL_TOKEN: unset it to use a login\n';
    expect(await said({ ACTORCTL_TOKEN: 'unknown' })).toMatchObject({ code: 0, stderr });
    const client = { ACTORCTL_CLIENT_ID: 'nobody', ACTORCTL_CLIENT_SECRET: 'wrong' };
    expect((await said(client)).stderr).toBe(stderr.replace('ACTORCTL_TOKEN', 'ACTORCTL_CLIENT_ID'));
  });
});

describe('an expired token of ACTORCTL_TOKEN', () => {
  it('is named with its variable, and no login is suggested', async () => {
    const there = ['--instance', 'later'];
    await home.json('up', '--ephemeral', '--port', 'auto', '--virtual-clock', '2030-01-01', '--login', ...there);
    try {
      const { stdout } = await home.cli(['auth', 'token', ...there]);
      const ask = (...line: readonly string[]) =>
        home.cli([...line, ...there], { env: { ACTORCTL_TOKEN: stdout.trim() } });
      expect(await ask('actors', 'list')).toMatchObject({ code: 0 });
      await home.json('clock', 'advance', '4h30m', ...there);
      const expired = {
        code: 4,
        stderr:
          'error: the token of ACTORCTL_TOKEN has expired\nhint: set ACTORCTL_TOKEN to a new token, or unset it to use your login\n',
      };
      expect(await ask('actors', 'list')).toMatchObject(expired);
      expect(await ask('events', 'tail')).toMatchObject(expired);
      await home.json('clock', 'advance', '4h', ...there);
      expect(await ask('configs', 'show', 'db')).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/^error: the service refuses the token of ACTORCTL_TOKEN: .*expired\nhint: set /),
      });
    } finally {
      await home.cli(['down', ...there]);
    }
  });
});
