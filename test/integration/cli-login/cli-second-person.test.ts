// A second person: a home of their own, a context with the address of the daemon, and no client made by hand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { startLogin, visit } from '../../support/daemon/login-process.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';

const PASSWORD = 'a password of ana';

let owner: Home;
let ana: Home;
let baseUrl: string;

beforeAll(async () => {
  owner = inProcessHome(NO_ENGINE);
  ana = inProcessHome(NO_ENGINE);
  ({ baseUrl } = await owner.up());
  const add = (args: string[]) => owner.cli([...args, '--password-stdin'], { input: PASSWORD });
  expect((await add(['users', 'create', 'ana'])).code).toBe(0);
  await owner.json('tenants', 'create', 'LAB');
  expect((await add(['users', 'create', 'eva', '--tenant', 'LAB'])).code).toBe(0);
  await ana.json('context', 'create', 'dev', '--base-url', baseUrl, '--use');
});
afterAll(async () => {
  await ana.remove();
  await owner.remove();
});

const byName = (home: Home, ...args: string[]) =>
  home.cli(['login', '--password-stdin', '--force', ...args], { input: PASSWORD });

describe('login --username without a client', () => {
  it('logs in by the forms of the service, names the tenant, and the login can be renewed and ended', async () => {
    expect(await byName(ana, '--username', 'ana')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Logged in as ana of tenant DEV'),
      stderr: '',
    });
    expect(await ana.json('whoami')).toMatchObject({ user: 'ana', tenant: 'DEV' });
    expect((await ana.cli(['auth', 'refresh'])).code).toBe(0);
    expect((await ana.cli(['auth', 'refresh'])).code).toBe(0);
    expect(await ana.json('clients', 'list')).toEqual([]);
    const inspect = await ana.cli(['auth', 'inspect']);
    expect([inspect.code, inspect.stderr]).toEqual([
      2,
      'error: cannot inspect the token: client actorctl-cli.DEV is public, and the service requires a client with a secret\ntry: actorctl auth status\n',
    ]);
    const { stdout: token } = await ana.cli(['auth', 'token']);
    const me = () => fetch(`${baseUrl}/profiles/v2/me`, { headers: { authorization: `Bearer ${token.trim()}` } });
    expect((await me()).status).toBe(200);
    expect((await ana.cli(['logout'])).stdout).toContain('tokens revoked');
    expect((await me()).status).toBe(401);
  });

  it('with a wrong password exits with 4 and stores nothing', async () => {
    const { code, stderr } = await ana.cli(['login', '--username', 'ana', '--password-stdin'], { input: 'wrong' });
    expect([code, stderr]).toEqual([4, expect.stringContaining('do not belong together')]);
    expect((await ana.cli(['whoami'])).code).toBe(4);
  });

  it('asks for the password on a terminal, and for nothing else', async () => {
    const { code, text } = await onTerminal('login --username ana', ana.env, [['Password:', PASSWORD]]);
    expect(text).toContain('Logged in as ana of tenant DEV');
    expect(text).not.toContain(PASSWORD);
    expect(code).toBe(0);
  });

  it('takes the tenant from the name or from the context, also at the local daemon', async () => {
    expect((await byName(ana, '--username', 'LAB/eva')).stdout).toContain('Logged in as eva of tenant LAB');
    await ana.json('context', 'create', 'lab', '--base-url', baseUrl, '--tenant', 'LAB');
    expect((await byName(ana, '-c', 'lab', '--username', 'eva')).stdout).toContain('eva of tenant LAB');
    expect((await byName(ana, '-c', 'lab', '--username', 'ana')).code).toBe(4);
    expect((await byName(owner, '--username', 'LAB/eva')).stdout).toContain('Logged in as eva of tenant LAB');
    expect((await owner.cli(['auth', 'switch', 'dev'])).code).toBe(0);
    const unknown = await byName(ana, '--username', 'NONE/ana');
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('for a tenant "NONE"')]);
  });

  it('refuses flows that need the secret of a client', async () => {
    for (const flow of ['password', 'client', 'implicit']) {
      const { code, stderr } = await byName(ana, '--username', 'ana', '--flow', flow);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`--flow ${flow} needs a client that you registered`)]);
    }
  });
});

it('login in a browser needs no client either', async () => {
  const login = startLogin(ana, ['--flow', 'code', '--no-browser', '--force', '--json']);
  const address = await login.address;
  expect(new URL(address).searchParams.get('client_id')).toBe('actorctl-cli.DEV');
  await visit(address, { username: 'ana', password: PASSWORD });
  const { code, stdout } = await login.ended;
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { user: 'ana', tenant: 'DEV', refreshable: true }]);
});

it('users create prints what the new user types', async () => {
  const made = await owner.cli(['users', 'create', 'bo', '--password-stdin'], { input: PASSWORD });
  const lines = made.stderr.split('\n').filter((line) => line.startsWith('  actorctl '));
  expect(lines).toEqual([
    `  actorctl context create dev --base-url ${baseUrl} --use`,
    '  actorctl login --username bo',
  ]);
  const bo = inProcessHome(NO_ENGINE);
  try {
    for (const line of lines) {
      const args = line.trim().split(' ').slice(1);
      const all = args[0] === 'login' ? [...args, '--password-stdin'] : args;
      expect(await bo.cli(all, { input: PASSWORD })).toMatchObject({ code: 0 });
    }
    expect(await bo.json('whoami')).toMatchObject({ user: 'bo' });
  } finally {
    await bo.remove();
  }
  const other = await owner.cli(['users', 'create', 'bo', '--tenant', 'LAB', '--password-stdin'], { input: PASSWORD });
  expect(other.stderr).toContain(`--base-url ${baseUrl} --tenant LAB --use`);
});

it('status shows the service of the context, not the daemon of this machine', async () => {
  const { code, stdout } = await ana.cli(['status']);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`service   running`)]);
  expect(stdout).not.toContain('daemon');
  expect(await ana.json('status')).toMatchObject({ daemon: { state: 'running', base_url: baseUrl, pid: null } });
  await ana.json('context', 'create', 'away', '--base-url', 'http://127.0.0.1:1');
  const away = await ana.cli(['status', '-c', 'away']);
  expect([away.code, away.stdout]).toEqual([9, expect.stringContaining('service   unreachable')]);
});

it('context export of the local context names what another person types', async () => {
  const { code, stderr } = await owner.cli(['context', 'export', 'local', '-']);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`actorctl context create dev --base-url ${baseUrl}`)]);
});
