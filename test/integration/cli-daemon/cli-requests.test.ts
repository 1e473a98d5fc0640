// The number of connections of a command, because each one costs milliseconds, and the responses on the management
// socket.
import { renameSync } from 'node:fs';
import http from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

/** Moves a socket, and passes its connections on from the old place. Returns how many there were. */
const counted = async (socket: string): Promise<() => number> => {
  const clients: Socket[] = [];
  const moved = `${socket}.moved`;
  renameSync(socket, moved);
  const relay = createServer((client) => {
    clients.push(client);
    const daemon = connect(moved);
    client.on('error', () => daemon.destroy());
    daemon.on('error', () => client.destroy());
    client.pipe(daemon).pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(socket, resolve));
  onTestFinished(async () => {
    for (const client of clients) client.destroy();
    await new Promise((resolve) => relay.close(resolve));
    renameSync(moved, socket);
  });
  return () => clients.length;
};

describe('a command with a login', () => {
  it.each([
    ['the clock of this machine', []],
    ['a virtual clock', ['--virtual-clock', '2030-01-01']],
  ])('to a daemon with %s opens one connection, plus one per additional request', async (_clock, flags) => {
    const home = inProcessHome(NO_ENGINE);
    onTestFinished(() => home.remove());
    await home.up(...flags);
    const connections = await counted(join(home.folder, 'state', 'default', 'daemon.sock'));
    await home.json('actors', 'create', shellActor(home.folder), '--name', 'sh', '--wait');
    const made = async (...args: string[]): Promise<number> => {
      const before = connections();
      expect((await home.cli(args)).code).toBe(0);
      return connections() - before;
    };
    expect(await made('whoami')).toBe(1);
    expect(await made('actors', 'list')).toBe(1);
    expect(await made('events', 'list')).toBe(1);
    expect(await made('send', 'sh', '-m', 'hello')).toBe(1);
    // Actors and aliases, side by side.
    expect(await made('__complete', 'zsh', ':', 'actors', 'show')).toBe(2);
  });
});

describe('the management socket', () => {
  it('serves the API for any Host, and requires a token like the port', async () => {
    const home = inProcessHome(NO_ENGINE);
    onTestFinished(() => home.remove());
    await home.up();
    const { daemon } = await home.json<{ daemon: { base_url: string } }>('status');
    const token = (await home.cli(['auth', 'token'])).stdout.trim();
    const ask = (where: http.RequestOptions, path: string, headers = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const asking = http.get({ ...where, path, headers: { host: 'evil.example', ...headers } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asking.once('error', reject);
      });
    const socket = { socketPath: join(home.folder, 'state', 'default', 'daemon.sock') };
    expect(await ask({ port: new URL(daemon.base_url).port }, '/healthz')).toBe(421);
    expect(await ask(socket, '/api/healthz')).toBe(200);
    expect(await ask(socket, '/api/actors/v2')).toBe(401);
    expect(await ask(socket, '/api/actors/v2', { authorization: `Bearer ${token}` })).toBe(200);
    expect(await ask(socket, '/healthz')).toBe(404);
  });
});

describe('the path of a request', () => {
  it('never reaches a management operation of the daemon', async () => {
    const home = inProcessHome(NO_ENGINE);
    onTestFinished(() => home.remove());
    await home.up();
    for (const path of [
      '/manage/daemon/status',
      '//manage/daemon/status',
      '/api/manage/daemon/status',
      '/manage/../manage/daemon/status',
    ]) {
      const { code, stdout } = await home.cli(['api', path]);
      expect([path, code, stdout]).toEqual([path, 6, expect.stringContaining('"status":"error"')]);
    }
    const stop = await home.cli(['api', '-X', 'POST', '/manage/daemon/stop', '--input', '-'], { input: '{}' });
    expect(stop.code).toBe(6);
    expect((await home.cli(['actors', 'list'])).code).toBe(0);
  });
});

describe('a command that finds no daemon', () => {
  it('reports the missing daemon before any login problem, even in a new home', async () => {
    const home = inProcessHome(NO_ENGINE);
    onTestFinished(() => home.remove());
    for (const args of [
      ['actors', 'list'],
      ['events', 'list'],
    ]) {
      const { code, stderr } = await home.cli(args);
      expect([args, code, stderr]).toEqual([args, 9, 'error: the daemon is not running\ntry: actorctl up\n']);
    }
  });
});
