// The management socket: permissions, conflicts and requests. Also the one line that is sent to the process that
// started the daemon.

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
import { get, type RequestListener, request, type Server } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveManagement } from '../../../daemon/management/server.ts';
import { startReporter } from '../../../daemon/process/start-report.ts';
import { startBareApp } from '../../support/service/bare-app.ts';
import { rememberingLogger, temporaryFolder } from '../../support/store/store-fixtures.ts';

const place = (): string => path.join(temporaryFolder(), 'run', 'i.sock');

const serve = async (socket: string) => {
  const logger = rememberingLogger();
  const actions = { 'POST /manage/echo': (input: unknown) => input } as const;
  const api: RequestListener = ({ url }, response) => {
    response.end(JSON.stringify(`the API at ${url}`));
  };
  const management = await serveManagement({ socket, actions, api, logger });
  onTestFinished(() => management.close());
  return management;
};

const post = (socketPath: string, route: string, body: string): Promise<{ status: number; body: unknown }> =>
  new Promise((resolve, reject) => {
    const asking = request({ socketPath, method: 'POST', path: route }, async (response) => {
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

  it('is left to a daemon that answers, is taken over from a killed daemon, and is removed at a stop', async () => {
    const socket = place();
    const first = await serve(socket);
    await expect(serve(socket)).rejects.toThrow('another daemon answers');
    linkSync(socket, `${socket}.left`);
    await first.close();
    expect(existsSync(socket)).toBe(false);
    renameSync(`${socket}.left`, socket);
    await serve(socket);
    expect((await post(socket, '/manage/echo', '{}')).status).toBe(200);
  });

  it('answers in JSON, and explains invalid requests', async () => {
    const socket = place();
    await serve(socket);
    expect(await post(socket, '/manage/echo', '{"a":1}')).toEqual({ status: 200, body: { a: 1 } });
    expect(await post(socket, '/manage/echo', '[]')).toMatchObject({
      status: 400,
      body: { error: { code: 'MALFORMED_BODY' } },
    });
    expect(await post(socket, '/manage/other', '')).toMatchObject({ status: 404 });
    expect(await post(socket, '/actors/v2', '')).toMatchObject({ status: 404 });
    expect(await post(socket, '/api/actors/v2', '')).toEqual({ status: 200, body: 'the API at /actors/v2' });
    expect(await post(socket, '/api/manage/echo', '')).toEqual({ status: 200, body: 'the API at /manage/echo' });
    expect(await post(socket, '/manage/echo', ' '.repeat(100_000))).toMatchObject({ status: 413 });
  });

  it('limits the time of headers, but not of a whole request, because the upload of a build may be slow', async () => {
    const socket = place();
    await serve(socket);
    const servers: Server[] = [];
    const note = (message: unknown): void => void servers.push((message as { server: Server }).server);
    subscribe('http.server.request.start', note);
    onTestFinished(() => void unsubscribe('http.server.request.start', note));
    await post(socket, '/manage/echo', '{}');
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
  const management = await serveManagement({
    ...{ socket, actions: {}, api: bare.app.serveOwner, logger: rememberingLogger() },
  });
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
