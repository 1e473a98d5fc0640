// A listener that is full: idle connections make room, requests in progress stay.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { type BareApp, startBareApp } from '../../support/service/bare-app.ts';
import { testIdentity } from '../../support/service/legacy-listener.ts';

const MOST = 4;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Listening {
  readonly app: BareApp;
  /** Opens a connection that sends nothing. */
  connect(): Promise<Socket>;
  /** Sends a request for a path that waits until `release`, over a connection of its own. */
  pending(): Promise<Socket>;
  release(): void;
}

const listening = async (scheme: 'http' | 'https'): Promise<Listening> => {
  let waiting = 0;
  const releases: (() => void)[] = [];
  const app = await startBareApp({
    limits: { connections: MOST },
    ...(scheme === 'https' && { identity: testIdentity() }),
    handlers: {
      'profiles.me': async () => {
        waiting += 1;
        await new Promise<void>((resolve) => releases.push(resolve));
        return { result: {}, message: 'Done.' };
      },
    } as never,
  });
  const release = () => {
    for (const each of releases.splice(0)) each();
  };
  open.push(() => app.app.close(), release);
  const listening: Listening = {
    app,
    connect: async () => {
      const socket =
        scheme === 'https'
          ? connectTls({ port: app.port, host: '127.0.0.1', rejectUnauthorized: false })
          : connect(app.port, '127.0.0.1');
      socket.on('error', () => undefined);
      open.push(() => socket.destroy());
      const accepted = once(app.app.server, scheme === 'https' ? 'secureConnection' : 'connection');
      await Promise.all([once(socket, scheme === 'https' ? 'secureConnect' : 'connect'), accepted]);
      return socket;
    },
    pending: async () => {
      const socket = await listening.connect();
      const before = waiting;
      socket.write(requestOf(app, '/profiles/v2/me'));
      await expect.poll(() => waiting).toBe(before + 1);
      return socket;
    },
    release,
  };
  return listening;
};

const requestOf = ({ port }: BareApp, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ana\r\n\r\n`;

/** The head of the response to a request over this connection. */
const ask = async (app: BareApp, socket: Socket): Promise<string> => {
  socket.write(requestOf(app, '/healthz'));
  const [piece] = await once(socket, 'data');
  return String(piece);
};

const isClosed = (socket: Socket): boolean => socket.closed;

describe.each(['http', 'https'] as const)('R242 a full %s listener', (scheme) => {
  it('closes the longest idle connection for a new one, however many come', async () => {
    const { app, connect } = await listening(scheme);
    const idle: Socket[] = [];
    for (let at = 0; at < 3 * MOST; at += 1) idle.push(await connect());
    await expect.poll(() => idle.map(isClosed)).toEqual(idle.map((_, at) => at < 2 * MOST));
    expect(await ask(app, await connect())).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('counts a connection as idle from its last response on', async () => {
    const { app, connect } = await listening(scheme);
    const [kept, ...others] = [await connect(), await connect(), await connect(), await connect()];
    if (kept === undefined) throw new Error('no connection');
    expect(await ask(app, kept)).toMatch(/^HTTP\/1\.1 200 /);
    for (let at = 0; at < 3; at += 1) await connect();
    await expect.poll(() => others.map(isClosed)).toEqual([true, true, true]);
    expect(await ask(app, kept)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('returns 503 if every connection has a request in progress, and closes none of them', async () => {
    const { app, connect, pending, release } = await listening(scheme);
    const busy = [await pending(), await pending(), await pending(), await pending()];
    for (let time = 0; time < 2; time += 1) {
      const refused = await connect();
      const answer = await ask(app, refused);
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      expect(answer).toMatch(/^Retry-After: 1\r$/m);
      expect(answer).toMatch(/^x-failure-code: OVERLOADED\r$/im);
      await expect.poll(() => isClosed(refused)).toBe(true);
    }
    const answers = busy.map(async (socket) => String((await once(socket, 'data'))[0]));
    release();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(app, await connect())).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('does not hold many connections that wait for their refusal', async () => {
    const { connect, pending } = await listening(scheme);
    for (let at = 0; at < MOST; at += 1) await pending();
    const extra: Socket[] = [];
    for (let at = 0; at < 70; at += 1) extra.push(await connect());
    await expect.poll(() => extra.filter(isClosed).length).toBe(6);
  });
});
