// Commands for a running daemon: status, down, restart, logs and files.
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../src/local/process-identity.ts';
import { ADMIN, type Home, inProcessHome } from '../../support/daemon/home.ts';

// One home for all: `up` starts a daemon only where the test before has ended it.
let home: Home;

beforeAll(() => {
  home = inProcessHome();
});

afterAll(() => home.remove());

describe('status', () => {
  it('exits with 9 and prints the state if no daemon runs, else exits with 0 and prints figures', async () => {
    const before = await home.cli(['status', '--json']);
    expect(before.code).toBe(9);
    expect(JSON.parse(before.stdout)).toMatchObject({ daemon: { state: 'stopped', pid: null }, counts: null });
    const { pid, baseUrl } = await home.up();
    const after = await home.cli(['status', '--json']);
    expect(after.code).toBe(0);
    expect(JSON.parse(after.stdout)).toMatchObject({
      daemon: { state: 'running', pid, base_url: baseUrl },
      auth: { user: ADMIN.username },
      problems: [],
    });
    expect((await home.cli(['status', '-o', 'env'])).stdout).toContain(`ACTORCTL_BASE_URL=${baseUrl}\n`);
  });

  it('does not rely on daemon.json alone', async () => {
    await home.up();
    await home.kill();
    const crashed = await home.cli(['status', '--json']);
    expect(crashed.code).toBe(9);
    expect(JSON.parse(crashed.stdout).daemon.state).toBe('crashed');
    expect(JSON.parse((await home.cli(['status', '--json'])).stdout).daemon.state).toBe('stopped');
  });

  it('R142 does not take another process with the same pid for the daemon', async () => {
    await home.cli(['down']);
    const state = path.join(home.folder, 'state', 'default');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(state, 'daemon.json'), JSON.stringify({ pid: process.pid, baseUrl: 'http://127.0.0.1:9' }));
    expect(JSON.parse((await home.cli(['status', '--json'])).stdout).daemon.state).toBe('crashed');
    expect((await home.cli(['actors', 'list'])).code).toBe(9);
  });
});

describe('down', () => {
  it('stops the daemon, and succeeds if none runs', async () => {
    const { pid } = await home.up();
    expect(await home.json('down')).toEqual({ stopped: true, was_running: true, pid, left: [] });
    expect(isAlive(pid)).toBe(false);
    expect(await home.json('down')).toEqual({ stopped: true, was_running: false, pid: null, left: [] });
  });

  it('leaves neither socket nor daemon.json behind', async () => {
    await home.up();
    await home.cli(['down']);
    expect(existsSync(path.join(home.folder, 'state', 'default', 'daemon.sock'))).toBe(false);
    expect(home.pid()).toBeUndefined();
  });
});

describe('daemon', () => {
  it('restart starts a new process on the same data', async () => {
    const { pid } = await home.up();
    const restarted = await home.json<{ pid: number }>('daemon', 'restart', '--port', 'auto');
    expect(restarted.pid).not.toBe(pid);
    expect((await home.cli(['actors', 'list'])).code).toBe(0);
  });

  it("logs shows the daemon's log, by count and level and as JSON", async () => {
    await home.up();
    expect((await home.cli(['daemon', 'logs', '-n', '1'])).stdout.split('\n')).toHaveLength(2);
    const lines = (await home.cli(['daemon', 'logs', '-o', 'ndjson'])).stdout.trim().split('\n');
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) });
    expect((await home.cli(['daemon', 'logs', '--level', 'fatal'])).stdout).toBe('');
  });

  it('R140 R158 files have mode 0600 and folders 0700', async () => {
    await home.up();
    for (const folder of ['config', 'state/default', 'data/default']) {
      expect(`${folder} ${(lstatSync(path.join(home.folder, folder)).mode & 0o777).toString(8)}`).toBe(`${folder} 700`);
    }
    for (const file of [
      'config/credentials.json',
      'state/default/daemon.log',
      'state/default/daemon.err',
      'state/default/daemon.sock',
    ]) {
      expect(`${file} ${(lstatSync(path.join(home.folder, file)).mode & 0o777).toString(8)}`).toBe(`${file} 600`);
    }
  });
});

describe('version', () => {
  it('shows the versions of program and daemon', async () => {
    await home.up();
    const versions = await home.json<{ actorctl: string; daemon: string }>('version');
    expect(versions.daemon).toBe(versions.actorctl);
  });
});
