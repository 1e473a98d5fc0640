// The command `up`: the daemon that it starts, its questions and messages, and its errors. In this process, except where
// several programs or a terminal are the subject.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ENGINE, scriptImage } from '../../support/daemon/daemon.ts';
import { ADMIN, createHome, type Home, inProcessHome } from '../../support/daemon/home.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';
import { processesWith } from '../../support/engine/process-harness.ts';

let home: Home;
let blocker: Server | undefined;

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
});

afterEach(async () => {
  const server = blocker;
  blocker = undefined;
  if (server) await new Promise((resolve) => server.close(resolve));
  await home.remove();
});

const up = (...flags: string[]) => home.cli(['up', '--port', 'auto', '--json', ...flags]);

const blockPort = async (): Promise<number> => {
  blocker = createServer();
  await new Promise<void>((resolve) => blocker?.listen(0, '127.0.0.1', resolve));
  const address = blocker.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

describe('up', () => {
  it('starts a working daemon, creates the admin user and its client, and is idempotent', async () => {
    const first = await up();
    expect(first.code).toBe(0);
    const started = JSON.parse(first.stdout);
    expect(started).toMatchObject({
      instance: 'default',
      state: 'running',
      started: true,
      bootstrap: { user: ADMIN.username, tenant: 'DEV' },
    });
    expect(first.stdout).not.toContain(ADMIN.password);
    const second = JSON.parse((await up()).stdout);
    expect(second).toMatchObject({ started: false, pid: started.pid, base_url: started.base_url, bootstrap: null });
    const answer = await fetch(`${started.base_url}/healthz`);
    expect(await answer.json()).toMatchObject({ instance: 'default' });
  });

  it('run by several programs at once starts one daemon', async () => {
    await home.remove();
    home = createHome(NO_ENGINE);
    const ended = await Promise.all(Array.from({ length: 4 }, () => up()));
    expect(ended.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', '', '', '']);
    const documents = ended.map(({ stdout }) => JSON.parse(stdout));
    expect(new Set(documents.map(({ pid }) => pid)).size).toBe(1);
    expect(new Set(documents.map(({ base_url }) => base_url)).size).toBe(1);
    expect(documents.filter(({ started }) => started)).toHaveLength(1);
    const daemons = processesWith(home.folder, 'environ').filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('actorctld'),
    );
    expect(daemons).toEqual([documents[0].pid]);
  });

  it('shows a generated password once, and in JSON only if requested', async () => {
    const env = { ACTORCTL_ADMIN_USER: '', ACTORCTL_ADMIN_PASSWORD: '' };
    const hidden = await home.cli(['up', '--port', 'auto', '--json'], { env });
    expect(JSON.parse(hidden.stdout).bootstrap).toEqual({ user: 'dev', tenant: 'DEV', client: expect.any(String) });
    expect(hidden.stderr).toContain('--show-secrets');
    const other = inProcessHome({ ...NO_ENGINE, ACTORCTL_INSTANCE: 'two', ...env });
    try {
      const { stdout } = await other.cli(['up', '--port', 'auto']);
      const password = /Generated password, shown only once: (\S+)/.exec(stdout)?.[1] ?? '';
      expect((await other.cli(['login', '--username', 'dev', '--password-stdin'], { input: password })).code).toBe(0);
      expect((await other.cli(['up', '--port', 'auto'])).stdout).not.toContain('Password');
    } finally {
      await other.remove();
    }
  });

  it('shows a generated password even if the login after it fails', async () => {
    const env = { ACTORCTL_ADMIN_USER: '', ACTORCTL_ADMIN_PASSWORD: '' };
    const lock = path.join(home.folder, 'config', 'credentials.json.lock');
    mkdirSync(lock, { recursive: true });
    const failed = await home.cli(['up', '--port', 'auto', '--login'], { env });
    expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining(`error: ${lock} is not a lock file`)]);
    rmSync(lock, { recursive: true });
    const input = /Generated password, shown only once: (\S+)/.exec(failed.stdout)?.[1] ?? '';
    expect(failed.stdout).toContain('Created user "dev"');
    await home.cli(['up'], { env });
    const later = await home.cli(['login', '--username', 'dev', '--password-stdin'], { env, input });
    expect([later.code, later.stderr]).toEqual([0, '']);
  });

  it('creates no user if the login could not be stored', async () => {
    mkdirSync(path.join(home.folder, 'config'), { mode: 0o700, recursive: true });
    const file = path.join(home.folder, 'config', 'credentials.json');
    writeFileSync(file, '{}', { mode: 0o600 });
    const { code, stderr } = await home.cli(['up', '--port', 'auto', '--login']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} is damaged`)]);
    expect(home.pid()).toBeUndefined();
  });

  it.each([['-q'], ['--template', '{{instance}}']])('warns that %s omits a generated password', async (...flags) => {
    const env = { ACTORCTL_ADMIN_USER: '', ACTORCTL_ADMIN_PASSWORD: '' };
    const { stdout, stderr } = await home.cli(['up', '--port', 'auto', ...flags], { env });
    expect(stdout).toBe('default\n');
    expect(stderr).toContain('warning: the generated password of "dev" is not shown');
  });

  it('asks for the admin user at a terminal, until the two passwords match', async () => {
    const env = { ...home.env, ACTORCTL_ADMIN_USER: '', ACTORCTL_ADMIN_PASSWORD: '' };
    const { code, text } = await onTerminal('up --port auto --login', env, [
      ['Name of the admin user:', 'ana'],
      ['Password:', 'short'],
      ['Password:', 'long enough 1'],
      ['Password again:', 'long enough 2'],
      ['Password:', 'long enough 3'],
      ['Password again:', 'long enough 3'],
    ]);
    expect(text).toContain('Created user "ana" of tenant DEV');
    expect(text).toContain('Logged in as ana');
    expect(text).not.toMatch(/long enough/);
    expect(code).toBe(0);
  });

  it('says that the daemon keeps running if the first prompt is interrupted', async () => {
    const env = { ...home.env, ACTORCTL_ADMIN_USER: '', ACTORCTL_ADMIN_PASSWORD: '' };
    const { code, text } = await onTerminal('up --port auto', env, [['Name of the admin user:', '\u0003']]);
    expect(text).toContain(`interrupted: the daemon (process ${home.pid()}) runs on, without an admin user`);
    expect(code).toBe(130);
  });

  it('R144 passes no password and no token to the daemon', async () => {
    const { stdout } = await home.cli(['up', '--port', 'auto', '--json'], {
      env: { ACTORCTL_CLIENT_SECRET: 'hush', ACTORCTL_CLIENT_ID: 'x' },
    });
    const { pid } = JSON.parse(stdout);
    const given = readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    expect(given).not.toMatch(/hush|correct horse/);
  });

  it('exits with 7 at a taken port, names the process on it, and suggests another port', async () => {
    const port = await blockPort();
    const human = await home.cli(['up', '--port', String(port)]);
    expect(human.code).toBe(7);
    expect(human.stdout).toBe('');
    expect(human.stderr).toContain(`port ${port} is in use by process ${process.pid} (`);
    expect(human.stderr).toContain('node');
    expect(human.stderr).toContain('actorctl up --port auto');
    const machine = await home.cli(['up', '--port', String(port), '--json']);
    expect(JSON.parse(machine.stderr)).toMatchObject({ error: { code: 'PORT_IN_USE', details: { pid: process.pid } } });
    expect((await up()).code).toBe(0);
  });

  it('cleans up after a killed daemon, and reports that', async () => {
    const { pid } = await home.up();
    await home.kill();
    const { code, stderr } = await home.cli(['up', '--port', 'auto']);
    expect(code).toBe(0);
    expect(stderr).toContain(`the daemon (process ${pid}) had crashed; removed`);
    await home.kill();
    const state = path.join(home.folder, 'state', 'default');
    const left = [
      path.join(state, `daemon.json.${'0a'.repeat(12)}.tmp`),
      path.join(state, `launch.json.${'1b'.repeat(12)}.tmp`),
      path.join(home.folder, 'data', 'default', `config-key.json.${'2c'.repeat(12)}.tmp`),
    ];
    const foreign = path.join(state, 'notes.tmp');
    for (const file of [...left, foreign]) writeFileSync(file, '{');
    expect(JSON.parse((await up()).stdout)).toMatchObject({
      started: true,
      stale: expect.stringContaining('had crashed'),
    });
    expect([...left, foreign].filter((file) => existsSync(file))).toEqual([foreign]);
  });

  it('starts after a killed daemon that a command has already reported', async () => {
    const { pid } = await home.up();
    await home.kill();
    const status = await home.cli(['status']);
    expect(status.code).not.toBe(0);
    expect(status.stdout + status.stderr).toContain(String(pid));
    const again = JSON.parse((await up()).stdout);
    expect(again.pid).not.toBe(pid);
    expect(again.stale).toContain(String(pid));
    expect((await home.cli(['status'])).code).toBe(0);
  });

  it('with damaged data names the file and exits with 9', async () => {
    await home.up();
    await home.kill();
    const folder = path.join(home.folder, 'data', 'default');
    rmSync(path.join(folder, 'db'), { recursive: true, force: true });
    writeFileSync(path.join(folder, 'db'), 'not a folder');
    const { code, stderr } = await up();
    expect(code).toBe(9);
    expect(stderr).toContain('cannot start the daemon');
    rmSync(folder, { recursive: true });
    mkdirSync(folder, { mode: 0o700 });
  });

  it('keeps instances separate in data, port, login and actors', async () => {
    const one = JSON.parse((await up()).stdout);
    const two = JSON.parse((await up('--instance', 'two')).stdout);
    const logIn = (...flags: string[]) =>
      home.cli(['login', '--username', ADMIN.username, '--password-stdin', ...flags], { input: ADMIN.password });
    try {
      expect(two.pid).not.toBe(one.pid);
      expect(two.base_url).not.toBe(one.base_url);
      expect(two.data_dir).not.toBe(one.data_dir);
      expect(two.data_dir).toBe(path.join(home.folder, 'data', 'two'));
      await logIn();
      expect((await home.cli(['whoami'])).code).toBe(0);
      expect((await home.cli(['whoami', '--instance', 'two'])).code).toBe(4);
      expect((await logIn('--instance', 'two')).code).toBe(0);
      expect((await home.cli(['actors', 'create', scriptImage(home, 'true'), '--name', 'mine'])).code).toBe(0);
      expect(await home.json<unknown[]>('actors', 'list')).toHaveLength(1);
      expect(await home.json('actors', 'list', '--instance', 'two')).toEqual([]);
      expect((await home.cli(['down'])).code).toBe(0);
      expect((await home.cli(['status', '--instance', 'two'])).code).toBe(0);
      expect((await up()).code).toBe(0);
    } finally {
      await home.cli(['down', '--instance', 'two']);
    }
    expect((await home.cli(['status'])).code).toBe(0);
  });

  it('with --ephemeral uses a temporary data folder, and deletes it at the end', async () => {
    const { data_dir } = JSON.parse((await up('--ephemeral')).stdout);
    expect(data_dir).not.toContain(home.folder);
    expect((await home.cli(['down'])).code).toBe(0);
    expect(existsSync(data_dir)).toBe(false);
  });

  it('runs before another command with --autostart if no daemon runs', async () => {
    const { code } = await home.cli(['actors', 'list', '--autostart'], { env: { ACTORCTL_PORT: 'auto' } });
    expect(code).toBe(4);
    expect((await home.cli(['status'])).code).toBe(0);
  });
});
