// Event streams and probes of half-closed connections, on a response whose reader the test controls.
import { EventEmitter, getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeEvent, openEventStream } from '../../../daemon/http/response/event-stream.ts';
import { probeHalfClosed, probeWithInterim } from '../../../daemon/http/response/half-closed.ts';

const fakeResponse = (changes: object = {}) => {
  const socket = Object.assign(new EventEmitter(), { readableEnded: false });
  const written: string[] = [];
  const fake = Object.assign(new EventEmitter(), {
    socket: socket as typeof socket | null,
    written,
    destroyed: false,
    isEnded: false,
    headersSent: false,
    writableNeedDrain: false,
    req: { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 },
    writeHead: vi.fn(),
    flushHeaders: vi.fn(),
    writeProcessing: vi.fn(),
    write: (text: string | Uint8Array) => void written.push(String(text)),
    end: () => void Object.assign(fake, { isEnded: true }),
    destroy: () => {
      fake.destroyed = true;
      fake.emit('close');
    },
    ...changes,
  });
  return { fake, socket, written, response: fake as never as ServerResponse };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('an event', () => {
  it('is encoded on lines of its own', () => {
    expect(encodeEvent({ event: 'a', data: { text: 'x\ny' } })).toBe('event: a\ndata: {"text":"x\\ny"}\n\n');
    expect(encodeEvent({ event: 'a\r\n\0b', id: '1\n2', data: undefined })).toBe('event: ab\nid: 12\ndata: null\n\n');
  });
});

describe('an event stream', () => {
  const open = (changes: object = {}, controller = new AbortController()) => {
    const made = fakeResponse(changes);
    return { ...made, controller, stream: openEventStream(made.response, controller.signal, 100, 1_000) };
  };

  it('sends its headers at once', () => {
    const { fake } = open();
    expect(fake.writeHead.mock.calls).toEqual([
      [
        200,
        {
          'Content-Type': 'text/event-stream; charset=utf-8',
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          'X-Accel-Buffering': 'no',
        },
      ],
    ]);
    expect(fake.flushHeaders).toHaveBeenCalledOnce();
    expect(fake.isEnded).toBe(false);
  });

  it('writes events and comments until it ends', async () => {
    const { stream, written, fake, controller } = open();
    expect(await stream.send({ event: 'a', data: 1 })).toBe(true);
    vi.advanceTimersByTime(250);
    stream.write(Buffer.from('raw'));
    expect(written).toEqual(['event: a\ndata: 1\n\n', ':\n\n', ':\n\n', 'raw']);
    fake.writableNeedDrain = true;
    vi.advanceTimersByTime(500);
    expect(written).toHaveLength(4);
    fake.writableNeedDrain = false;
    stream.end();
    expect([fake.isEnded, vi.getTimerCount()]).toEqual([true, 0]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    fake.isEnded = false;
    stream.end();
    controller.abort();
    stream.write(Buffer.from('late'));
    expect([await stream.send({ event: 'late', data: 1 }), fake.isEnded, written.length]).toEqual([false, false, 4]);
  });

  it('ends with its signal, and at once for a HEAD request', async () => {
    const { fake, controller, stream } = open();
    controller.abort();
    expect([fake.isEnded, await stream.ready()]).toEqual([true, false]);
    expect(open({}, controller).fake.isEnded).toBe(true);
    expect(open({ req: { method: 'HEAD' } }).fake.isEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for a slow reader until it reads or disconnects, or the signal fires', async () => {
    for (const [release, goesOn] of [
      [({ fake }: ReturnType<typeof open>) => fake.emit('drain'), true],
      [({ fake }: ReturnType<typeof open>) => fake.destroy(), false],
      [({ controller }: ReturnType<typeof open>) => controller.abort(), false],
    ] as const) {
      const made = open({ writableNeedDrain: true });
      let answer: boolean | undefined;
      const sent = made.stream.send({ event: 'a', data: 1 }).then((value) => {
        answer = value;
      });
      await vi.advanceTimersByTimeAsync(999);
      expect([answer, made.fake.destroyed]).toEqual([undefined, false]);
      release(made);
      await sent;
      expect(answer).toBe(goesOn);
      expect(made.fake.listenerCount('drain')).toBe(0);
      expect(getEventListeners(made.controller.signal, 'abort')).toHaveLength(goesOn || made.fake.destroyed ? 1 : 0);
      made.stream.end();
      made.fake.emit('close');
      expect([made.fake.listenerCount('close'), vi.getTimerCount()]).toEqual([0, 0]);
    }
  });

  it('disconnects a reader that reads nothing for too long', async () => {
    const { stream, fake } = open({ writableNeedDrain: true });
    const sent = stream.send({ event: 'a', data: 1 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.destroyed).toBe(true);
    expect(await sent).toBe(false);
  });
});

describe('a half-closed connection', () => {
  it('is probed from the half-close until the response closes', () => {
    for (const isEnded of [true, false]) {
      const { response, fake, socket } = fakeResponse();
      const probe = vi.fn();
      socket.readableEnded = isEnded;
      probeHalfClosed(response, probe);
      vi.advanceTimersByTime(1_000);
      expect(probe).toHaveBeenCalledTimes(isEnded ? 4 : 0);
      probe.mockClear();
      if (!isEnded) socket.emit('end');
      vi.advanceTimersByTime(499);
      expect(probe).toHaveBeenCalledTimes(1);
      fake.emit('close');
      expect([vi.getTimerCount(), socket.eventNames(), fake.eventNames()]).toEqual([0, [], []]);
    }
  });

  it('leaves nothing on a connection that is not half-closed and serves another request', () => {
    const { response, fake, socket } = fakeResponse();
    probeHalfClosed(response, vi.fn());
    fake.emit('close');
    expect([socket.eventNames(), vi.getTimerCount()]).toEqual([[], 0]);
  });

  it('is not probed without a socket or after the response was destroyed', () => {
    for (const { response, fake, socket } of [fakeResponse({ socket: null }), fakeResponse({ destroyed: true })]) {
      probeHalfClosed(response, vi.fn());
      expect([socket.eventNames(), fake.eventNames()]).toEqual([[], []]);
    }
  });

  it('is probed with interim responses from HTTP/1.1 on, until the headers are sent', () => {
    for (const [major, minor, count] of [
      [1, 1, 2],
      [1, 0, 0],
      [2, 1, 0],
    ]) {
      const { response, fake, socket } = fakeResponse({ req: { httpVersionMajor: major, httpVersionMinor: minor } });
      probeWithInterim(response);
      socket.emit('end');
      vi.advanceTimersByTime(500);
      expect(fake.writeProcessing).toHaveBeenCalledTimes(count ?? 0);
      fake.headersSent = true;
      vi.advanceTimersByTime(500);
      expect(fake.writeProcessing).toHaveBeenCalledTimes(count ?? 0);
      fake.emit('close');
    }
  });
});
