// What a daemon keeps over `daemon restart`, `down` and `up`: port, flags, and the data of an ephemeral daemon.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { NO_ENGINE, scriptImage, until } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;

beforeEach(() => {
  home = inProcessHome(NO_ENGINE);
});

afterEach(() => home.remove());

interface Status {
  readonly daemon: { readonly base_url: string; readonly data_dir: string; readonly pid: number };
}
const status = () => home.json<Status>('status');

const listenOn = async (port: number): Promise<Server> => {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
};

const close = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));

/** A free port outside the range from which the system assigns ports, so that it is still free after a stop. */
const lowPort = async (): Promise<string> => {
  for (let port = 12_000 + (process.pid % 8_000); ; port += 1) {
    const server = await listenOn(port).catch(() => undefined);
    if (server === undefined) continue;
    await close(server);
    return String(port);
  }
};

describe('daemon restart', () => {
  it('keeps the port and the data folder', async () => {
    const dataDir = path.join(home.folder, 'elsewhere');
    const { baseUrl, pid } = await home.up('--port', await lowPort(), '--data-dir', dataDir);
    const restarted = await home.json<{ pid: number; base_url: string }>('daemon', 'restart');
    expect(restarted.base_url).toBe(baseUrl);
    expect(restarted.pid).not.toBe(pid);
    expect((await status()).daemon.data_dir).toBe(dataDir);
    // The login of before is valid, so these are the same records.
    expect((await home.cli(['whoami', '--check'])).code).toBe(0);
  });

  it('keeps the data of an ephemeral daemon, which the next stop deletes', async () => {
    await home.up('--ephemeral');
    const { data_dir } = (await status()).daemon;
    await home.json('daemon', 'restart');
    expect((await status()).daemon.data_dir).toBe(data_dir);
    expect((await home.cli(['whoami', '--check'])).code).toBe(0);
    await home.cli(['down']);
    expect(existsSync(data_dir)).toBe(false);
  });

  it.each([[], ['--no-detach']])(
    'removes the folder of an ephemeral daemon that failed to start: %j',
    async (...flags) => {
      const folder = path.join(home.folder, 'temporary');
      mkdirSync(folder);
      vi.stubEnv('TMPDIR', folder);
      onTestFinished(() => void vi.unstubAllEnvs());
      const other = await listenOn(0);
      onTestFinished(() => close(other));
      const { port } = other.address() as AddressInfo;
      expect((await home.cli(['up', '--ephemeral', '--port', String(port), ...flags])).code).not.toBe(0);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('refuses bad flags before it stops the daemon', async () => {
    const { pid } = await home.up('--ephemeral');
    // The end of an ephemeral daemon deletes its data folder, so it must not get an existing one.
    const moved = await home.cli(['daemon', 'restart', '--data-dir', home.folder]);
    expect([moved.code, moved.stderr]).toEqual([2, expect.stringContaining('cannot change to another data folder')]);
    const opened = await home.cli(['daemon', 'restart', '--bind', '0.0.0.0']);
    expect([opened.code, opened.stderr]).toEqual([2, expect.stringContaining('add --insecure-bind')]);
    expect((await status()).daemon.pid).toBe(pid);
  });

  it('refuses a port that another process has before it stops the daemon', async () => {
    const { pid } = await home.up();
    const other = await listenOn(0);
    onTestFinished(() => close(other));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await home.cli(['daemon', 'restart', '--port', String(port)]);
    expect([code, stderr]).toEqual([7, expect.stringContaining(`port ${port} is in use by process ${process.pid}`)]);
    expect(stderr).toContain('try: actorctl daemon restart --port auto');
    expect((await status()).daemon.pid).toBe(pid);
  });

  it('refuses flags that do not fit together before it stops the daemon', async () => {
    const { pid } = await home.up();
    const failed = await home.cli(['daemon', 'restart', '--registry', 'x']);
    expect([failed.code, failed.stderr]).toEqual([
      2,
      expect.stringContaining('error: --registry needs --engine swarm\n'),
    ]);
    expect(failed.stderr).toContain('try: actorctl daemon restart --help');
    expect((await status()).daemon.pid).toBe(pid);
  });

  it('starts the daemon as before if it cannot start with the new flags', async () => {
    const dataDir = path.join(home.folder, 'elsewhere');
    const { baseUrl } = await home.up('--port', await lowPort(), '--data-dir', dataDir);
    const failed = await home.cli(['daemon', 'restart', '--bind', '192.0.2.1', '--insecure-bind']);
    const said =
      '192.0.2.1 is not an address of this machine; choose another with --bind. The daemon runs again as before';
    expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining(said)]);
    expect((await status()).daemon).toMatchObject({ base_url: baseUrl, data_dir: dataDir });
    const unwritable = path.join(home.folder, 'file');
    writeFileSync(unwritable, '');
    const moved = await home.cli(['daemon', 'restart', '--data-dir', path.join(unwritable, 'data')]);
    expect([moved.code, moved.stderr]).toEqual([9, expect.stringContaining('The daemon runs again as before')]);
    expect((await status()).daemon.data_dir).toBe(dataDir);
  });

  it('says how to start the daemon as before if that fails too', async () => {
    const dataDir = path.join(home.folder, 'elsewhere');
    await home.up('--data-dir', dataDir);
    const failed = await home.cli(['daemon', 'restart'], { env: { ACTORCTL_MEMORY_MB: 'much' } });
    expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining('could not be started again as before')]);
    expect(failed.stderr).toContain('hint: to start it as before: actorctl daemon restart\n');
    await home.json('daemon', 'restart');
    expect((await status()).daemon.data_dir).toBe(dataDir);
  });

  it.each([
    ['', 'hint: to start it as before: actorctl daemon restart\n'],
    ['--ephemeral', 'try: actorctl up --data-dir '],
  ])('that is interrupted while the daemon stops says how to start it again %s', async (flag, hint) => {
    const { pid } = await home.up(...(flag === '' ? [] : [flag]));
    const image = scriptImage(home, 'exec sleep 600');
    await home.json('actors', 'create', image, '--name', 'endless');
    const execution = (await home.cli(['send', 'endless', '-m', 'x', '--quiet'])).stdout.trim();
    await until(async () => (await home.json('executions', 'show', execution))['status'] === 'RUNNING');
    const { data_dir } = (await status()).daemon;
    const restart = home.start(['daemon', 'restart', '--grace', '2s']);
    await until(() => restart.err().includes('Stopping the daemon'));
    restart.interrupt();
    const { code, stderr } = await restart.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`interrupted: the daemon (process ${pid}) continues to stop and is not started again`);
    expect(stderr).toContain(hint);
    if (flag === '') return;
    expect(stderr).toContain(`The data of the ephemeral daemon are kept in ${data_dir}`);
    onTestFinished(() => rmSync(data_dir, { recursive: true }));
    // `up` waits until the daemon has stopped.
    await home.json('up', '--port', 'auto', '--data-dir', data_dir);
    expect((await home.cli(['actors', 'list', '-q'])).stdout).not.toBe('');
  });

  it('R106 keeps an address that other machines reach, and warns of the exposure at every start', async () => {
    const flags = '--port auto --bind 0.0.0.0 --insecure-bind --public-url http://platform.test'.split(' ');
    const warning = 'over plain HTTP: passwords, tokens, messages and logs cross the network unencrypted';
    expect((await home.cli(['up', ...flags])).stderr).toContain(warning);
    expect((await home.cli(['daemon', 'restart'])).stderr).toContain(warning);
    expect((await home.cli(['daemon', 'logs', '--level', 'warn'])).stdout).toContain('over plain HTTP bind=0.0.0.0');
    const { stderr } = await home.cli(['daemon', 'restart', '--bind', '127.0.0.1']);
    expect(stderr).not.toContain('plain HTTP');
  });

  it('says that a setting is not used', async () => {
    await home.up();
    const { stderr } = await home.cli(['daemon', 'restart'], { env: { ACTORCTL_BIND: '127.0.0.2' } });
    expect(stderr).toContain('the daemon keeps --bind 127.0.0.1. To use the bind 127.0.0.2 of the settings:');
  });
});

describe('up while the daemon runs', () => {
  it('names the flags that are not in force and exits with 7', async () => {
    const { pid } = await home.up();
    const ended = await home.cli(['up', '--port', '1', '--docker-host', 'unix:///x.sock', '--json']);
    expect(ended.code).toBe(7);
    expect(JSON.parse(ended.stderr).error).toMatchObject({
      code: 'ALREADY_RUNNING',
      message: expect.stringContaining('not in force: --port 1 --docker-host unix:///x.sock'),
      hint: 'actorctl daemon restart --port 1 --docker-host unix:///x.sock',
    });
    expect((await home.cli(['up', '--ephemeral'])).stderr).toContain('not in force: --ephemeral');
    expect((await status()).daemon.pid).toBe(pid);
  });
});

describe('up while the daemon stops', () => {
  it('waits for its end, and status says `stopping`', async () => {
    const { pid } = await home.up();
    const gate = path.join(home.folder, 'gate');
    const image = scriptImage(home, `until [ -e ${gate} ]; do sleep 0.02; done`);
    await home.json('actors', 'create', image, '--name', 'gated');
    const execution = (await home.cli(['send', 'gated', '-m', 'x', '--quiet'])).stdout.trim();
    await until(async () => (await home.json('executions', 'show', execution))['status'] === 'RUNNING');
    const stop = home.start(['down', '--grace', '10m']);
    await until(async () => (await home.cli(['status'])).stdout.includes('daemon    stopping'));
    expect((await home.cli(['status', '--jq', '.daemon.pid'])).stdout.trim()).toBe(String(pid));
    const interrupted = home.start(['up']);
    await until(() => interrupted.err().includes('Starting the daemon'));
    interrupted.interrupt();
    expect((await interrupted.ended).code).toBe(130);
    const start = home.start(['up']);
    await until(() => start.err().includes('Starting the daemon'));
    writeFileSync(gate, '');
    expect((await stop.ended).code).toBe(0);
    expect((await start.ended).code).toBe(0);
    expect((await status()).daemon.pid).not.toBe(pid);
    expect((await home.json('executions', 'show', execution))['status']).toBe('COMPLETE');
  });
});

describe('the start after down', () => {
  it('uses the port of the last start, with up and with --autostart', async () => {
    const { baseUrl } = await home.up('--port', await lowPort());
    await home.cli(['down']);
    expect((await home.cli(['actors', 'list', '--autostart'])).code).toBe(0);
    expect((await status()).daemon.base_url).toBe(baseUrl);
    await home.cli(['down']);
    expect(await home.json('up')).toMatchObject({ base_url: baseUrl, started: true });
  });

  it('takes another port if any was requested and the last one is taken, and says so', async () => {
    const port = Number(new URL((await home.up()).baseUrl).port);
    await home.cli(['down']);
    const other = await listenOn(port);
    onTestFinished(() => close(other));
    const { code, stderr } = await home.cli(['up']);
    expect(code).toBe(0);
    expect(stderr).toContain(`the last start used --port ${port}, this start uses `);
  });

  it('says that it uses another data folder than the last start', async () => {
    const dataDir = path.join(home.folder, 'elsewhere');
    await home.up('--data-dir', dataDir);
    await home.cli(['down']);
    const { stderr } = await home.cli(['actors', 'list', '--autostart']);
    expect(stderr).toContain(
      `the last start used --data-dir ${dataDir}, this start uses ${path.join(home.folder, 'data', 'default')}`,
    );
  });
});
