// The management socket: permissions, conflicts and requests. Includes the line sent to the process that started the
// daemon.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { get, request, type Server } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveManagement } from '../../../daemon/management/server.ts';
import { startReporter } from '../../../daemon/process/start-report.ts';
import { startBareApp } from '../../support/service/bare-app.ts';
import { temporaryFolder } from '../../support/store/store-fixtures.ts';

const STOP = '/manage/daemon/stop';

const place = (): string => path.join(temporaryFolder(), 'run', 'i.sock');

const serve = async (socket: string) => {
  const bare = await startBareApp();
  const handlers = { 'daemon.stop': ({ input }: { readonly input: unknown }) => ({ result: input, message: '' }) };
  const management = await serveManagement(socket, bare.app.ownerListener(handlers as never));
  onTestFinished(async () => {
    await management.close();
    await bare.close();
  });
  return management;
};

const post = (socketPath: string, route: string, body: string): Promise<{ status: number; body: unknown }> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asking = request({ socketPath, method: 'POST', path: route, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += String(chunk);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
    asking.on('error', reject);
    asking.end(body);
  });

describe('the management socket', () => {
  it('R143 has mode 0600 in a folder of 0700, and the umask of the process stays unchanged', async () => {
    const socket = place();
    const before = process.umask(0o027);
    try {
      const serving = serve(socket);
      const masks = new Set<number>();
      const note = () => void masks.add(process.umask(0o027));
      const watching = setInterval(note, 0);
      process.nextTick(note);
      await Promise.resolve().then(note);
      await serving;
      note();
      clearInterval(watching);
      expect([...masks]).toEqual([0o027]);
    } finally {
      process.umask(before);
    }
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(socket)).mode & 0o777).toBe(0o700);
  });

  it('R143 is refused in a folder that others can write to, and where another file exists', async () => {
    const socket = place();
    mkdirSync(path.dirname(socket));
    chmodSync(path.dirname(socket), 0o777);
    await expect(serve(socket)).rejects.toThrow(/run: it belongs to user \d+, but other users can write to it/);
    chmodSync(path.dirname(socket), 0o700);
    writeFileSync(socket, '');
    await expect(serve(socket)).rejects.toThrow('is not a socket');
  });

  it('is not taken from a live daemon, is taken over from a killed daemon, and is removed at a stop', async () => {
    const socket = place();
    const first = await serve(socket);
    await expect(serve(socket)).rejects.toThrow('another daemon answers');
    linkSync(socket, `${socket}.left`);
    await first.close();
    expect(existsSync(socket)).toBe(false);
    renameSync(`${socket}.left`, socket);
    await serve(socket);
    expect((await post(socket, STOP, '{}')).status).toBe(200);
  });

  it('serves the operations of the owner, which nothing else serves, and the API below /api', async () => {
    const socket = place();
    await serve(socket);
    const answered = (status: number, result?: unknown) =>
      expect.objectContaining({ status, ...(result !== undefined && { body: expect.objectContaining({ result }) }) });
    expect(await post(socket, STOP, '{"graceMs":1}')).toEqual(answered(200, { graceMs: 1 }));
    expect(await post(socket, STOP, '[]')).toEqual(answered(400));
    expect(await post(socket, STOP, ' '.repeat(100_000))).toEqual(answered(413));
    expect(await post(socket, '/manage/other', '')).toEqual(answered(404));
    expect(await post(socket, '/token', '')).toEqual(answered(404));
    expect(await post(socket, '/api/tenants', '{}')).toEqual(answered(401));
    expect(await post(socket, `/api${STOP}`, '{}')).toEqual(answered(404));
  });

  it('serves the owner while the service starts and stops', async () => {
    const bare = await startBareApp({ starting: () => true });
    const handlers = { 'daemon.status': () => ({ result: { pid: 1 }, message: '' }) };
    const socket = place();
    const management = await serveManagement(socket, bare.app.ownerListener(handlers as never));
    onTestFinished(async () => {
      await management.close();
      await bare.close();
    });
    const status = async (route: string): Promise<number> =>
      new Promise((resolve, reject) => {
        get({ socketPath: socket, path: route }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        }).on('error', reject);
      });
    expect([await status('/manage/daemon/status'), await status('/api/tenants')]).toEqual([200, 503]);
    void bare.app.drain();
    expect([await status('/manage/daemon/status'), await status('/api/tenants')]).toEqual([200, 503]);
    expect((await bare.ask('GET', '/manage/daemon/status')).status).toBe(503);
  });

  it('limits the time of headers, but not of a whole request, because the upload of a build may be slow', async () => {
    const socket = place();
    await serve(socket);
    const servers: Server[] = [];
    const note = (message: unknown): void => void servers.push((message as { server: Server }).server);
    subscribe('http.server.request.start', note);
    onTestFinished(() => void unsubscribe('http.server.request.start', note));
    await post(socket, STOP, '{}');
    expect(servers).toMatchObject([{ requestTimeout: 0, headersTimeout: 60_000 }]);
  });
});

describe('the descriptor of the starter', () => {
  it('gets progress and one result, and no more after its number was reused for another file', () => {
    const folder = temporaryFolder();
    const file = (name: string) => openSync(path.join(folder, name), 'w');
    const fd = file('starter');
    const report = startReporter(fd);
    for (const part of [0, 0.001, 0.5]) report.progress(part);
    report.end({ ready: true });
    const next = file('ours');
    expect(next).toBe(fd);
    report.progress(1);
    report.end({ ready: false });
    closeSync(next);
    expect(readFileSync(path.join(folder, 'starter'), 'utf8')).toBe(
      '{"progress":0}\n{"progress":0.5}\n{"ready":true}\n',
    );
    expect(readFileSync(path.join(folder, 'ours'), 'utf8')).toBe('');
  });
});

it('the API on the management socket ends its pending requests when the listener of the API is closed', async () => {
  let noteBegin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    noteBegin = resolve;
  });
  const bare = await startBareApp({
    handlers: {
      'actors.list': () => {
        noteBegin();
        return new Promise<never>(() => undefined);
      },
    },
  });
  const socket = place();
  const management = await serveManagement(socket, bare.app.ownerListener({} as never));
  onTestFinished(() => management.close());
  const asking = new Promise<string>((resolve) => {
    const request = get({ socketPath: socket, path: '/api/actors/v2', headers: { authorization: 'Bearer ana' } });
    request.once('response', ({ statusCode }) => resolve(`answered with ${statusCode}`));
    request.once('error', ({ message }) => resolve(message));
  });
  await begun;
  await bare.close();
  expect(await asking).toBe('socket hang up');
});
