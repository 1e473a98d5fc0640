// Logins in a real keychain, gnome-keyring on its own D-Bus session, and logins when D-Bus or the keyring fails. Commands
// run in this process, except where several programs, or the end of one, are the subject; the keychain is always called by
// the helper process of the built program.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { ADMIN, type Home, inProcessHome, program } from '../../support/daemon/home.ts';
import { startProcess } from '../../support/daemon/run-program.ts';
import { type SilentBus, silentBus } from '../../support/daemon/silent-bus.ts';
import { preloads } from '../../support/preloads/preloads.ts';
import { describeIf, requirement } from '../../support/runner/requirements.ts';

const has = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const session = 'dbus-run-session';
const keyring = requirement(
  'keyring',
  has(session) && has('gnome-keyring-daemon'),
  'there is no gnome-keyring or no dbus-run-session; install gnome-keyring and dbus',
);

/** A user folder for the keyring and for the programs that try the keychain first. */
const userFolder = (): { readonly user: string; readonly env: NodeJS.ProcessEnv } => {
  const user = mkdtempSync(path.join(tmpdir(), 'actorctl-user-'));
  return { user, env: { ...NO_ENGINE, ACTORCTL_CREDENTIAL_STORE: 'auto', HOME: user, XDG_RUNTIME_DIR: user } };
};

/** Starts a D-Bus session with an unlocked keyring. It ends with its standard input. */
const openSession = async (env: NodeJS.ProcessEnv): Promise<{ readonly child: ChildProcess; readonly bus: string }> => {
  const script = `eval "$(printf secret | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"
    echo "$DBUS_SESSION_BUS_ADDRESS"
    read -r _`;
  const child = spawn(session, ['--', 'bash', '-c', script], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, bus: line.trim() };
};

const credentialsFileOf = ({ folder }: Home): string => path.join(folder, 'config', 'credentials.json');
const credentialsOf = (home: Home): string => readFileSync(credentialsFileOf(home), 'utf8');

/** Runs the built program in a process of its own, in a home. A program that waits for ever is killed. */
const runBuilt = (home: Home, args: readonly string[], bus: string, input = '') =>
  spawnSync('timeout', ['60', process.execPath, ...preloads, program, ...args], {
    env: { ...home.env, DBUS_SESSION_BUS_ADDRESS: bus },
    input,
    encoding: 'utf8',
  });

const LOGIN = ['login', '--flow', 'password', '--username', ADMIN.username, '--password-stdin'] as const;
const IN_KEYCHAIN = { 'local/default': { store: 'keychain' } };

describeIf(keyring, 'a real keyring', () => {
  let opened: Awaited<ReturnType<typeof openSession>>;
  const { user, env } = userFolder();
  beforeAll(async () => {
    opened = await openSession(env);
  });
  afterAll(async () => {
    if (opened) {
      const ended = once(opened.child, 'close');
      opened.child.stdin?.end();
      await ended;
    }
    rmSync(user, { recursive: true, force: true });
  });

  /** A logged in home in the session. */
  const inSession = async (work: (home: Home) => Promise<void>): Promise<void> => {
    const home = inProcessHome({ ...env, DBUS_SESSION_BUS_ADDRESS: opened.bus });
    try {
      expect(await home.json('up', '--port', 'auto', '--login')).toMatchObject({ logged_in: true });
      await work(home);
    } finally {
      await home.remove();
    }
  };
  /** Runs a command that must succeed, and returns its output. */
  const output = async (home: Home, line: string, more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { code, stdout, stderr } = await home.cli(line.split(' '), { env: more });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const tokenSource = (home: Home): Promise<string> => output(home, 'whoami --jq .token_source -r');

  it('R139 R161 the keyring holds the login, the file only refers to it, and logout deletes the entry', () =>
    inSession(async (home) => {
      expect(await tokenSource(home)).toBe('keychain\n');
      expect(await output(home, 'actors list --json')).toBe('[]\n');
      await output(home, 'logout');
      expect((await home.cli(['whoami'])).code).toBe(4);
      const again = await home.cli([...LOGIN, '--store', 'keychain'], { input: ADMIN.password });
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Logged in as dev')]);
      await output(home, 'down -q');
      expect(JSON.parse(credentialsOf(home)).accounts).toEqual(IN_KEYCHAIN);
    }));

  it('R139 R64 the keyring holds the renewed token after one refresh, and after 8 simultaneous commands', () =>
    inSession(async (home) => {
      const first = await output(home, 'auth token');
      await output(home, 'tenants update DEV --lifetime password=10m');
      await output(home, 'auth refresh -q');
      const second = await output(home, 'auth token');
      await output(home, 'tenants update DEV --lifetime password=4h');
      const atOnce = await Promise.all(
        Array.from({ length: 8 }, () => startProcess(['auth', 'token', '--min-ttl', '1h'], { env: home.env }).ended),
      );
      const third = await output(home, 'auth token');
      expect(new Set([first, second, third]).size).toBe(3);
      expect(atOnce).toEqual(atOnce.map(() => ({ code: 0, stdout: third, stderr: '' })));
      const withToken = { ACTORCTL_TOKEN: third.trim() };
      expect(await output(home, 'actors list --json', withToken)).toBe('[]\n');
      expect(await tokenSource(home)).toBe('keychain\n');
      const files = readdirSync(home.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
      expect(files.map(({ name }) => name)).toContain('credentials.json');
      const texts = files.map((file) => readFileSync(path.join(file.parentPath, file.name), 'utf8'));
      for (const token of [first, second, third])
        expect(texts.filter((text) => text.includes(token.trim()))).toEqual([]);
      await output(home, 'logout -q');
      expect((await home.cli(['actors', 'list', '--json'], { env: withToken })).code).toBe(4);
      await output(home, 'down -q');
    }));

  it('a keyring that stops responding is reported, and no part of the login is lost', () =>
    inSession(async (home) => {
      const bus = await silentBus(home.folder);
      const { status, stdout, stderr } = runBuilt(home, ['whoami'], bus.address);
      expect([status, stdout + stderr]).toEqual([
        4,
        expect.stringMatching(/cannot read the login from the keychain: .+\n(.+\n)?$/),
      ]);
      expect(await tokenSource(home)).toBe('keychain\n');
      await bus.close();
      expect(JSON.parse(credentialsOf(home)).accounts).toEqual(IN_KEYCHAIN);
    }));
});

describe('without a working keychain', () => {
  const { user, env } = userFolder();
  // The files are in the home folder of the user, as without ACTORCTL_HOME.
  const home = inProcessHome({ ...env, CI: '', ACTORCTL_HOME: undefined, XDG_CONFIG_HOME: undefined });
  const file = path.join(user, '.config/actorctl/credentials.json');
  beforeAll(async () => {
    await home.json('up', '--port', 'auto');
  });
  afterAll(async () => {
    await home.json('down');
    await home.remove();
    rmSync(user, { recursive: true, force: true });
  });

  const buses: readonly (readonly [what: string, address: (bus: SilentBus) => string])[] = [
    ['a D-Bus that never answers', ({ address }) => address],
    ['a D-Bus that is not there', ({ address }) => `${address}-gone`],
    ['no D-Bus at all', () => ''],
  ];
  it.each(buses)('with %s a login is stored in the file, with one line that says so', async (_, addressOf) => {
    // Deletes the result of an earlier keychain check, so that the login is the first to ask the keychain.
    rmSync(file);
    const bus = await silentBus(home.folder);
    const address = addressOf(bus);
    const { status, stderr } = runBuilt(home, LOGIN, address, ADMIN.password);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^.*the keychain is not used \(.+\).*\n$/)]);
    expect(JSON.parse(readFileSync(file, 'utf8')).accounts['local/default'].store).toBe('file');
    const again = await home.cli(['whoami', '--json'], { env: { DBUS_SESSION_BUS_ADDRESS: address } });
    expect([again.code, again.stderr, JSON.parse(again.stdout).token_source]).toEqual([0, '', 'file']);
    await bus.close();
  });

  it('a login in a CI job, or in a folder of its own, is stored in the file without a warning', async () => {
    rmSync(file);
    const ci = { ...home, env: { ...home.env, CI: 'true' } };
    expect(runBuilt(ci, LOGIN, '', ADMIN.password)).toMatchObject({ status: 0, stderr: '' });
    const own = { ACTORCTL_HOME: path.join(user, 'own'), DBUS_SESSION_BUS_ADDRESS: '' };
    const up = await home.cli(['up', '--port', 'auto', '--ephemeral', '--login', '--json'], { env: own });
    expect(up).toMatchObject({ code: 0, stderr: '' });
    const credentials = path.join(user, 'own/config/credentials.json');
    expect(JSON.parse(readFileSync(credentials, 'utf8')).accounts['local/default'].store).toBe('file');
    expect(await home.cli(['down'], { env: own })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(credentials, 'utf8')).accounts).toEqual({});
  });
});
