// Event streams and shutdown: slow readers, disconnected readers, and the drain of the daemon.
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEventStream } from '../../../daemon/http/response/event-stream.ts';
import { ANSWERED } from '../../../daemon/http/route-handler.ts';
import { adminToken, type Platform, startPlatform, statusOf } from '../../support/service/platform.ts';
import { actorRecord } from '../../support/service/records.ts';
import { until } from '../../support/store/store-fixtures.ts';

/** Observations of the test handlers. */
interface Seen {
  sent: number;
  /** True if the response accepts no more until its reader has read. */
  needsDrain: () => boolean;
  ended: string | undefined;
  waits: boolean;
  cut: boolean;
}

const actor = actorRecord('a', { owner: 'admin', permissions: {} });

let platform: Platform;
let headers: { readonly authorization: string };
const seen: Seen = { sent: 0, needsDrain: () => false, ended: undefined, waits: false, cut: false };
const start = () =>
  startPlatform({
    access: { actor: () => actor },
    handlers: {
      // Sends as fast as the reader reads, endlessly.
      'executions.logs': async ({ response, signal }): Promise<typeof ANSWERED> => {
        seen.sent = 0;
        seen.needsDrain = () => response.writableNeedDrain;
        seen.ended = undefined;
        const stream = openEventStream(response, signal(), 20);
        while (await stream.send({ event: 'log', id: `${seen.sent}`, data: 'x'.repeat(10_000) })) seen.sent += 1;
        seen.ended = String(signal().reason);
        return ANSWERED;
      },
      // Sends the same way, but disconnects a reader that stops reading for 50 ms.
      'messages.count': async ({ response, signal }): Promise<typeof ANSWERED> => {
        const stream = openEventStream(response, signal(), 20, 1_000);
        while (await stream.send({ event: 'log', data: 'x'.repeat(100_000) }));
        seen.cut = true;
        return ANSWERED;
      },
      // Sends one event, then nothing until the signal aborts.
      'executions.show': async ({ response, signal }): Promise<typeof ANSWERED> => {
        const stream = openEventStream(response, signal(), 20);
        await stream.send({ event: 'a\nb', id: '1\n2', data: { text: 'line\nline' } });
        await new Promise((resolve) => signal().addEventListener('abort', resolve, { once: true }));
        return ANSWERED;
      },
      // Waits without a stream.
      'executions.list': ({ signal }) =>
        new Promise((_, reject) => {
          seen.waits = true;
          signal().addEventListener('abort', () => reject(signal().reason), { once: true });
        }),
    },
  });
beforeAll(async () => {
  platform = await start();
  headers = await adminToken(platform);
});
afterAll(() => platform.close());

const open = (path: string, of = platform): Promise<{ request: ClientRequest; response: IncomingMessage }> =>
  new Promise((resolve, reject) => {
    const request = get({ port: of.port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
      response.on('error', () => undefined);
      resolve({ request, response });
    });
    request.on('error', reject);
  });

describe('an event stream', () => {
  it('is Server-Sent Events with keep-alives, and no value can forge a line', async () => {
    const { request, response } = await open('/actors/v2/a/executions/e');
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    let text = '';
    response.on('data', (data) => {
      text += String(data);
    });
    await until(() => text.includes(':\n\n:\n\n'));
    expect(text.startsWith('event: ab\nid: 12\ndata: {"text":"line\\nline"}\n\n')).toBe(true);
    request.destroy();
  });

  it('stops sending to a reader that stops reading, and continues when it reads again', async () => {
    const { request, response } = await open('/actors/v2/a/executions/e/logs');
    response.pause();
    let last = -1;
    let same = 0;
    // Twenty looks with the same count: the buffers of the sockets are full and nothing more is produced.
    await until(() => {
      same = seen.sent === last && seen.sent > 0 ? same + 1 : 0;
      last = seen.sent;
      return same === 20;
    });
    const stalled = seen.sent;
    expect(seen.needsDrain()).toBe(true);
    response.resume();
    await until(() => seen.sent > stalled + 100);
    request.destroy();
    await until(() => seen.ended !== undefined);
    expect(seen.ended).toContain('the client has disconnected');
  });

  it('disconnects a reader that stops reading for too long, but not a slow one', async () => {
    seen.cut = false;
    const reading = await open('/actors/v2/a/messages');
    let length = 0;
    reading.response.on('data', (data: Buffer) => {
      length += data.length;
    });
    await until(() => length > 30_000_000 || seen.cut);
    expect(seen.cut).toBe(false);
    reading.response.pause();
    await until(() => seen.cut);
    const closed = new Promise((resolve) => reading.response.once('close', resolve));
    reading.response.resume();
    await closed;
    expect(reading.response.complete).toBe(false);
  });

  it('ends at once for HEAD', async () => {
    const answer = await platform.ask('HEAD', '/actors/v2/a/executions/e/logs', { headers });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
  });
});

describe('R119 draining', () => {
  it('ends streams and waiting requests, refuses new ones, and resolves when no request is left', async () => {
    const inner = await start();
    headers = await adminToken(inner);
    try {
      const { response } = await open('/actors/v2/a/executions/e', inner);
      const ended = new Promise((resolve) => response.on('end', resolve));
      response.resume();
      const waiting = inner.ask('GET', '/actors/v2/a/executions', { headers });
      await until(() => seen.waits);
      const drained = inner.app.drain();
      await ended;
      const cut = await waiting;
      expect(cut.status).toBe(503);
      expect(cut.headers['x-failure-code']).toBe('SHUTTING_DOWN');
      await drained;
      const late = await inner.ask('GET', '/healthz');
      expect(late.status).toBe(503);
      expect(late.headers.connection).toBe('close');
      const token = await inner.token({ grant_type: 'client_credentials' });
      expect([token.status, token.json]).toMatchObject([503, { error: 'temporarily_unavailable' }]);
      const text = await inner.raw(`GET /nope HTTP/1.1\r\nHost: 127.0.0.1:${inner.port}\r\nConnection: close\r\n\r\n`);
      expect(statusOf(text)).toBe(503);
      await inner.app.drain();
    } finally {
      await inner.close();
    }
  });
});
