// How the command line finds out whether a daemon runs, and starts one, while another one starts or stops.
import { spawn, spawnSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners, once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLocal } from '../../../src/local/daemon/instance-daemon.ts';
import { formatCrash, locate as locateWith } from '../../../src/local/daemon/locator.ts';
import { type Paths, paths as pathsOf } from '../../../src/local/paths.ts';
import { identityOf } from '../../../src/local/process-identity.ts';
import { resolveSettings } from '../../../src/local/settings/settings.ts';
import { manageAt } from '../../support/daemon/management-call.ts';

const locate = (paths: Paths) => locateWith(paths, manageAt(paths.socket));

/** No process has this id: it is above the largest one of Linux. */
const DEAD = { pid: 2 ** 22 + 1, baseUrl: 'http://127.0.0.1:1' };

describe('the state of a daemon', () => {
  let folder: string;
  let paths: Paths;
  const servers: Server[] = [];
  const listen = async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(paths.socket, resolve));
    servers.push(server);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'actorctl-test-'));
    paths = pathsOf({
      env: { ACTORCTL_HOME: folder },
      platform: process.platform,
      home: homedir(),
      instance: 'default',
    });
    mkdirSync(paths.stateDir, { recursive: true });
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  /** Leaves a socket of a killed process. */
  const leaveSocket = () => {
    const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script, paths.socket]);
    expect(lstatSync(paths.socket).isSocket()).toBe(true);
  };

  /** Locates the daemon, and runs `meanwhile` in the moment in which the connection to the socket fails. */
  const locateDuring = async (meanwhile: () => void) => {
    writeFileSync(paths.daemonFile, JSON.stringify(DEAD));
    const onSocket = (message: unknown) => void (message as { socket: Socket }).socket.once('error', meanwhile);
    subscribe('net.client.socket', onSocket);
    try {
      return await locate(paths);
    } finally {
      unsubscribe('net.client.socket', onSocket);
    }
  };

  it('is awaited for the time the caller allows while another daemon holds the data folder', async () => {
    const tries = join(folder, 'tries');
    // Says that another daemon holds the folder, and at the second start that its flags are wrong.
    const script = `
      const { appendFileSync, readFileSync, writeSync } = require('node:fs');
      appendFileSync(process.argv[1], 'x');
      const code = readFileSync(process.argv[1], 'utf8') === 'x' ? 'LOCKED' : 'CONFIG';
      writeSync(3, JSON.stringify({ ready: false, error: { code, message: code, detail: { state_dir: process.argv[2] } } }) + '\\n');`;
    const { signal } = new AbortController();
    const parts = {
      paths,
      manage: manageAt(paths.socket),
      settings: resolveSettings({ flags: {}, env: {}, files: {}, duration: Number }),
      env: {},
      signal,
    };
    const local = createLocal({
      ...parts,
      daemon: { file: process.execPath, args: ['-e', script, tries, realpathSync(paths.stateDir)] },
    });
    // Six seconds pass between two looks at the clock.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 6_000;
      return now;
    });
    await expect(local.start({}, 30_000)).rejects.toMatchObject({ code: 'USAGE', message: 'CONFIG' });
    expect(readFileSync(tries, 'utf8')).toBe('xx');
    rmSync(tries);
    // A daemon of another home with the same instance name is not awaited.
    const other = createLocal({
      ...parts,
      daemon: { file: process.execPath, args: ['-e', script, tries, '/elsewhere'] },
    });
    await expect(other.start({}, 30_000)).rejects.toMatchObject({
      code: 'DAEMON_UNHEALTHY',
      extras: { hint: 'choose another folder with --data-dir' },
    });
    expect(readFileSync(tries, 'utf8')).toBe('x');
    rmSync(tries);
    const held = { code: 'DAEMON_UNHEALTHY', message: expect.stringContaining('LOCKED') };
    await expect(local.start({}, 5_000)).rejects.toMatchObject(held);
    expect(readFileSync(tries, 'utf8')).toBe('x');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('preserves the socket of a daemon that starts to listen meanwhile', async () => {
    leaveSocket();
    await locateDuring(() => {
      unlinkSync(paths.socket);
      void listen();
    });
    expect(lstatSync(paths.socket).isSocket()).toBe(true);
  });

  it('preserves the files of a daemon that replaces a dead one meanwhile', async () => {
    leaveSocket();
    const state = await locateDuring(() => {
      unlinkSync(paths.socket);
      void listen();
      unlinkSync(paths.daemonFile);
      writeFileSync(paths.daemonFile, JSON.stringify(DEAD));
    });
    expect(state).toEqual({ state: 'crashed', pid: DEAD.pid, cleaned: [] });
    expect(formatCrash({ state: 'crashed', pid: 7, cleaned: [] })).toBe('the daemon (process 7) had crashed');
    expect(lstatSync(paths.socket).isSocket()).toBe(true);
    expect(lstatSync(paths.daemonFile).isFile()).toBe(true);
  });

  it('is `starting` while a living process holds the lock of a daemon that is not ready', async () => {
    const daemon = spawn('sleep', ['60']);
    await once(daemon, 'spawn');
    const { pid = 0 } = daemon;
    const owner = { token: 'a'.repeat(32), ...identityOf(pid) };
    writeFileSync(paths.startingLock, JSON.stringify(owner));
    expect(await locate(paths)).toEqual({ state: 'starting', pid });
    writeFileSync(paths.startingLock, JSON.stringify({ ...owner, processStart: '1' }));
    expect(await locate(paths)).toEqual({ state: 'stopped' });
    writeFileSync(paths.startingLock, JSON.stringify(owner));
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    expect(await locate(paths)).toEqual({ state: 'stopped' });
  });

  it('R143 is `crashed` once if a dead daemon left files, which are removed', async () => {
    leaveSocket();
    writeFileSync(paths.daemonFile, JSON.stringify(DEAD));
    const cleaned = [paths.daemonFile, paths.socket];
    expect(await locate(paths)).toEqual({ state: 'crashed', pid: DEAD.pid, cleaned });
    expect(cleaned.filter((file) => existsSync(file))).toEqual([]);
    expect(await locate(paths)).toEqual({ state: 'stopped' });
  });

  it('R143 keeps a file that is not a socket', async () => {
    writeFileSync(paths.socket, '');
    expect(await locate(paths)).toEqual({ state: 'stopped' });
    expect(lstatSync(paths.socket).isFile()).toBe(true);
  });
});
