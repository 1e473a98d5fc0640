// Logins that stay or end, and how refused credentials and other errors are reported to people and to programs.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { silentBus } from '../../support/daemon/silent-bus.ts';

let home: Home;

beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
});
afterAll(async () => home.remove());

const login = (username: string, password: string, ...flags: string[]) =>
  home.cli(['login', '--username', username, '--password-stdin', ...flags], { input: password });
const tokenOf = async (): Promise<string> => (await home.cli(['auth', 'token'])).stdout.trim();

beforeEach(async () => {
  expect((await login('dev', ADMIN.password, '--force')).code).toBe(0);
});

describe('logout --all', () => {
  it('leaves no credentials, and the next login works', async () => {
    const file = path.join(home.folder, 'config', 'credentials.json');
    expect(readFileSync(file, 'utf8')).toContain('secret');
    expect(await home.cli(['logout', '--all'])).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
    expect(await login('dev', ADMIN.password)).toMatchObject({ code: 0 });
  });
});

describe('flags that exclude each other', () => {
  it.each([
    [['logout', '--all', '--user', 'ana'], '--all and --user cannot be used together'],
    [['auth', 'revoke', '--client', 'other', '--yes'], '--client is for a token on stdin'],
  ])('leave the login unchanged: %j', async (args, message) => {
    expect(await home.cli(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect((await home.cli(['whoami', '--check'])).code).toBe(0);
  });
});

describe('logout with a keychain that does not respond', () => {
  it.each([[[]], [['--all']]])('fails and keeps the login: %j', async (flags) => {
    const file = path.join(home.folder, 'config', 'credentials.json');
    const accounts = { 'local/default': { store: 'keychain' } };
    writeFileSync(file, JSON.stringify({ version: 1, accounts }), { mode: 0o600 });
    const bus = await silentBus(home.folder);
    try {
      const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
      const { code, stdout, stderr } = await home.cli(['logout', ...flags], { env });
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toContain('you are not logged out: cannot read the login from the keychain');
      expect(JSON.parse(readFileSync(file, 'utf8')).accounts).toEqual(accounts);
    } finally {
      await bus.close();
      rmSync(file);
    }
  });
});

describe('refused credentials', () => {
  it('are named with a hint on how to fix them', async () => {
    const password = await login('dev', 'wrong');
    expect(password).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('the user name or the password is wrong'),
    });
    expect(password.stderr).toContain('hint: ');
    const env = { ACTORCTL_CLIENT_ID: 'nosuch', ACTORCTL_CLIENT_SECRET: 'wrong' };
    const unknown = await home.cli(['actors', 'list'], { env });
    expect(unknown).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('the client is unknown, or its secret is wrong'),
    });
  });
});

describe('errors for programs', () => {
  const isJson = (stderr: string): boolean => stderr.startsWith('{"error":');

  it.each([
    ['actors', 'show', 'nosuch', '--fields', 'id'],
    ['actors', 'list', '--fields=nosuch'],
    ['actors', 'nosuch', '--fields', 'id'],
  ])('are JSON with --fields: %s %s %s %s', async (...args) => {
    expect(isJson((await home.cli(args)).stderr)).toBe(true);
  });

  it('are JSON if settings.json says so, unless a flag says otherwise', async () => {
    const settings = path.join(home.folder, 'config', 'settings.json');
    writeFileSync(settings, JSON.stringify({ output: 'json' }));
    try {
      expect(isJson((await home.cli(['actors', 'show', 'nosuch'])).stderr)).toBe(true);
      expect(isJson((await home.cli(['actors', 'nosuch'])).stderr)).toBe(true);
      expect((await home.cli(['actors', 'show', 'nosuch', '-o', 'table'])).stderr).toMatch(/^error: /);
      expect((await home.cli(['actors', 'nosuch', '-o', 'table'])).stderr).toMatch(/^error: /);
    } finally {
      rmSync(settings);
    }
  });
});

describe('an error for people', () => {
  const RED = '\u001b[31merror:';
  const forced = { NO_COLOR: '', FORCE_COLOR: '1' };
  /** The first fails in the service, the second is not parsed. */
  const failing = [
    ['actors', 'show', 'nosuch'],
    ['actors', 'nosuch'],
  ];

  it.each(failing)('has the colour that a flag demands: %s %s', async (...line) => {
    expect((await home.cli([...line, '--color', 'always'])).stderr).toContain(RED);
    expect((await home.cli([...line, '--color=always'])).stderr).toContain(RED);
    expect((await home.cli(line, { env: forced })).stderr).toContain(RED);
    expect((await home.cli([...line, '--color', 'never'], { env: forced })).stderr).toMatch(/^error: /);
  });

  it.each(failing)('has the colour of settings.json, unless a flag says otherwise: %s %s', async (...line) => {
    const settings = path.join(home.folder, 'config', 'settings.json');
    writeFileSync(settings, JSON.stringify({ color: 'always' }));
    try {
      expect((await home.cli(line)).stderr).toContain(RED);
      expect((await home.cli([...line, '--color', 'never'])).stderr).toMatch(/^error: /);
    } finally {
      rmSync(settings);
    }
  });
});

describe('up --login', () => {
  it('keeps a login that works, and asks for a password after it has ended', async () => {
    const token = await tokenOf();
    const unknown = { ACTORCTL_ADMIN_USER: '', ACTORCTL_ADMIN_PASSWORD: '' };
    const again = await home.cli(['up', '--login'], { env: unknown });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('You are logged in as dev\n') });
    expect(await tokenOf()).toBe(token);
    await home.cli(['auth', 'revoke', '--yes']);
    expect(await home.cli(['up', '--login'], { env: unknown })).toMatchObject({ code: 3 });
    expect(await home.cli(['up', '--login'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Logged in') });
  });

  it('names its own flag that replaces the login of another user', async () => {
    const password = 'ana has a good password';
    await home.cli(['users', 'create', 'ana', '--password-stdin'], { input: password });
    expect(await login('ana', password, '--force')).toMatchObject({ code: 0 });
    const refused = await home.cli(['up', '--login']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('hint: add --yes;')]);
    expect((await home.json('whoami'))['user']).toBe('ana');
    expect(await home.cli(['up', '--login', '--yes'])).toMatchObject({ code: 0 });
    expect((await home.json('whoami'))['user']).toBe('dev');
  });
});
