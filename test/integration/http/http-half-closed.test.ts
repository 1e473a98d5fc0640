// Clients that close their sending side after the request, as `nc -N` and busybox nc do, and clients that are gone.
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEventStream } from '../../../daemon/http/response/event-stream.ts';
import { ANSWERED } from '../../../daemon/http/route-handler.ts';
import { type ActorService, startActorService, tokenOf } from '../../support/service/actor-service.ts';
import { adminToken, type Platform, startPlatform, statusOf } from '../../support/service/platform.ts';
import { actorRecord } from '../../support/service/records.ts';

/** Sends the bytes and half-closes; the socket stays open for reading. */
const halfClose = (port: number, bytes: string): Socket => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.setEncoding('latin1');
  socket.end(bytes, 'latin1');
  return socket;
};

/** Everything the server sends until it closes the connection. */
const readAll = async (socket: Socket): Promise<string> => {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
};

describe('a client that half-closes after its request', () => {
  let service: ActorService;
  let port: number;
  beforeAll(async () => {
    service = await startActorService();
    port = Number(new URL(service.baseUrl).port);
  });
  afterAll(() => service.close());

  const post = (path: string, type: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${tokenOf('ana')}\r\n` +
    `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it('gets the response to each of 40 writes, and each is executed once', async () => {
    const id = await service.actor('ana');
    const sent = Array.from({ length: 40 }, (_, n) =>
      readAll(halfClose(port, post(`/actors/v2/${id}/messages`, 'text/plain', `message ${n}`))),
    );
    const executions = (await Promise.all(sent)).map((text) => {
      expect(statusOf(text)).toBe(200);
      return /"executionId":"(\w+)"/.exec(text)?.[1];
    });
    const stored = service.store.by('executions', 'actor', id).map((execution) => execution.id);
    expect(stored).toHaveLength(40);
    expect(new Set(stored)).toEqual(new Set(executions));
  });

  it('gets one response per request of a pipeline', async () => {
    const id = await service.actor('ana');
    const one = post(`/actors/v2/${id}/messages`, 'text/plain', 'x');
    const text = await readAll(halfClose(port, one + one + one));
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    expect(service.store.countBy('executions', 'actor', id)).toBe(3);
  });

  it('in the middle of a body changes nothing', async () => {
    const id = await service.actor('ana');
    const whole = post(`/actors/v2/${id}/messages`, 'text/plain', 'message');
    expect(statusOf(await readAll(halfClose(port, whole.slice(0, -1))))).toBe(400);
    expect(service.store.countBy('executions', 'actor', id)).toBe(0);
  });

  it('and waits gets interim responses before the response', async () => {
    const id = await service.actor('ana');
    const path = `/actors/v2/${id}/messages?_svc_synchronous=true`;
    const socket = halfClose(port, post(path, 'text/plain', 'x'));
    const [interim] = await once(socket, 'data');
    expect(interim).toBe('HTTP/1.1 102 Processing\r\n\r\n');
    await service.message('ana', id);
    await service.ask('ana', 'DELETE', `/actors/v2/${id}/messages`);
    expect(await readAll(socket)).toMatch(/^(HTTP\/1\.1 102 Processing\r\n\r\n)*HTTP\/1\.1 200 OK\r\n/);
  });
});

describe('a waiting request', () => {
  let platform: Platform;
  let head: string;
  /** Emits `begin` when a handler waits and `gone` when its signal fires. */
  const seen = new EventEmitter();
  const waitUntilGone = async (signal: AbortSignal): Promise<void> => {
    seen.emit('begin');
    await once(signal, 'abort');
    seen.emit('gone');
  };
  beforeAll(async () => {
    platform = await startPlatform({
      access: { actor: () => actorRecord('a', { owner: 'admin', permissions: {} }) },
      handlers: {
        // A stream without events.
        'executions.logs': async ({ response, signal }): Promise<typeof ANSWERED> => {
          openEventStream(response, signal());
          await waitUntilGone(signal());
          return ANSWERED;
        },
        // A wait without a stream.
        'executions.list': async ({ signal }) => {
          await waitUntilGone(signal());
          throw signal().reason;
        },
      },
    });
    const { authorization } = await adminToken(platform);
    head = `HTTP/1.1\r\nHost: 127.0.0.1:${platform.port}\r\nAuthorization: ${authorization}\r\n\r\n`;
  });
  afterAll(() => platform.close());

  const streamPath = '/actors/v2/a/executions/e/logs';
  const waitPath = '/actors/v2/a/executions';

  it('keeps its stream open for a client that half-closes and reads on', async () => {
    let isGone = false;
    const gone = once(seen, 'gone').then(() => {
      isGone = true;
    });
    const socket = halfClose(platform.port, `GET ${streamPath} ${head}`);
    let text = '';
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      if (text.split(':\n\n').length > 3) break;
    }
    expect([statusOf(text), isGone]).toEqual([200, false]);
    socket.destroy();
    await gone;
  });

  it.each([
    ['closes its stream', streamPath, (socket: Socket) => socket.destroy()],
    ['resets its stream', streamPath, (socket: Socket) => socket.resetAndDestroy()],
    ['closes while it waits', waitPath, (socket: Socket) => socket.destroy()],
    ['resets while it waits', waitPath, (socket: Socket) => socket.resetAndDestroy()],
  ])('notices a client that %s', async (_, path, leave) => {
    const begun = once(seen, 'begin');
    const gone = once(seen, 'gone');
    const socket = connect(platform.port, '127.0.0.1');
    socket.write(`GET ${path} ${head}`);
    await begun;
    leave(socket);
    await gone;
  });
});
