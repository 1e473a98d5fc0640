// Server-sent events from a real server that disconnects, falls silent, refuses or disappears.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRequest, type Request } from '../../../src/client/call.ts';
import { createConnectionNotes } from '../../../src/client/connection-notes.ts';
import { createStream, type StreamEvent, type StreamInput } from '../../../src/client/stream.ts';
import { createTransport } from '../../../src/client/transport.ts';
import { failureOf } from '../../support/daemon/cli-failure.ts';
import { jumpingClock } from '../../support/values/jumping-clock.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let answers: Answer[];
let resumedBehind: (string | undefined)[];
let notes: string[];
let abort: AbortController;

beforeEach(async () => {
  answers = [];
  resumedBehind = [];
  notes = [];
  abort = new AbortController();
  server = createServer((request, response) => {
    const last = request.headers['last-event-id'];
    resumedBehind.push(typeof last === 'string' ? last : undefined);
    const answer = answers.shift();
    if (answer) answer(request, response);
    else request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  abort.abort();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
});

const begin = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
};
const event = (id: number, text = `line ${id}`): string => `id: ${id}\nevent: log\ndata: ${text}\n\n`;

/** Ends the stream. */
const ends: Answer = (_request, response) => {
  begin(response);
  response.end('event: end\ndata: {}\n\n');
};
/** Sends an event and loses the connection. */
const loses: Answer = (_request, response) => {
  begin(response);
  response.write(event(1), () => response.destroy());
};

const stream = (
  limits: { silenceMs?: number; reconnectMs?: number; now?: () => number } = {},
  input: StreamInput = {},
  around = (ask: Request): Request => ask,
) => {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = { token: async () => 't', renew: async () => undefined };
  const request = createRequest({
    transport: createTransport({ timeoutMs: 5_000, isLocal: true }),
    address,
    session,
    signal: abort.signal,
  });
  const open = createStream({
    request: around(request),
    connection: createConnectionNotes((line) => notes.push(line)),
    now: Date.now,
    signal: abort.signal,
    isLocal: true,
    ...limits,
  });
  return open('executions.logs', { params: { actorId: 'a', executionId: 'x' }, until: 'end', ...input });
};

const all = async (events: AsyncIterable<StreamEvent>): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { event: name, data, id } of events) found.push(`${id ?? '-'} ${name} ${data}`);
  return found;
};

describe('a stream', () => {
  it('ends with the event that was requested', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1) + event(2));
      response.write('event: end\ndata: {}\n\n');
    });
    expect(await all(stream())).toEqual(['1 log line 1', '2 log line 2', '2 end {}']);
  });

  it('that disconnects is resumed after the last event, with a note', async () => {
    answers.push(
      loses,
      (request) => request.socket.destroy(),
      (_request, response) => {
        begin(response);
        response.end(`${event(2)}event: end\ndata: {}\n\n`);
      },
    );
    expect(await all(stream())).toEqual(['1 log line 1', '2 log line 2', '2 end {}']);
    expect(resumedBehind).toEqual([undefined, '1', '1']);
    expect(notes).toEqual([
      '-- connection lost, retrying for 60 s --',
      expect.stringMatching(/^-- reconnected after \d+ s --$/),
    ]);
  });

  it('that falls silent is disconnected and resumed', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(7));
    }, ends);
    const seen: string[] = [];
    const silenceMs = 60_000;
    const now = jumpingClock(seen, silenceMs, silenceMs);
    for await (const { event: name } of stream({ silenceMs, now })) seen.push(name);
    expect(seen).toEqual(['log', 'end']);
    expect(resumedBehind).toEqual([undefined, '7']);
  });

  it('keeps a character that arrives in two pieces', async () => {
    const bytes = Buffer.from(event(1) + event(2, '日本'));
    const cut = bytes.length - 4;
    let sendRest = (): void => undefined;
    answers.push((_request, response) => {
      begin(response);
      response.write(bytes.subarray(0, cut));
      sendRest = () => void response.end(Buffer.concat([bytes.subarray(cut), Buffer.from('event: end\ndata: x\n\n')]));
    });
    const found: string[] = [];
    for await (const { data } of stream()) {
      // The first piece has arrived with its whole event and half a character.
      if (found.push(data) === 1) sendRest();
    }
    expect(found).toEqual(['line 1', '日本', 'x']);
  });

  it('that is refused fails at once', async () => {
    answers.push((_request, response) => {
      response.writeHead(404, { 'x-failure-code': 'NOT_FOUND' });
      response.end('{"message":"no such execution"}');
    });
    expect(await failureOf(all(stream()))).toMatchObject({ code: 'NOT_FOUND', message: 'no such execution' });
  });

  it('to a missing server fails at once', async () => {
    expect((await failureOf(all(stream()))).code).toBe('NETWORK');
  });

  it('whose server stays unreachable fails eventually', async () => {
    answers.push(loses);
    expect((await failureOf(all(stream({ reconnectMs: 400 })))).code).toBe('NETWORK');
  });

  it('R19 that was open while the machine slept is resumed at wake-up, by the wall clock', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1));
    }, ends);
    const gone: number[] = [];
    const seen: string[] = [];
    const silenceMs = 60_000;
    const limits = { silenceMs, now: jumpingClock(seen, 3_600_000, silenceMs) };
    for await (const { event: name } of stream(limits, { onReconnect: (ms) => gone.push(ms) })) seen.push(name);
    expect(seen).toEqual(['log', 'end']);
    expect(resumedBehind).toEqual([undefined, '1']);
    expect(gone).toHaveLength(1);
    expect(gone[0]).toBeGreaterThanOrEqual(3_600_000);
    expect(notes).toEqual(['-- connection lost, retrying for 60 s --']);
  });

  it('R19 does not count the sleep of the machine as time without the service', async () => {
    let slept = 0;
    answers.push(
      loses,
      (request) => {
        slept = 3_600_000;
        request.socket.destroy();
      },
      ends,
    );
    const limits = { silenceMs: 60_000, reconnectMs: 100_000, now: () => slept };
    expect(await all(stream(limits))).toHaveLength(2);
    expect(resumedBehind).toEqual([undefined, '1', '1']);
  });

  it('R19 whose server accepts connections but sends nothing fails eventually', async () => {
    answers.push(loses);
    for (let count = 0; count < 9; count += 1) answers.push((_request, response) => begin(response));
    const silenceMs = 100;
    // The clock shows the longest silence of each attempt, however long the attempts actually take.
    let [clock, attempts] = [0, 0];
    const around =
      (ask: Request): Request =>
      async (request) => {
        attempts += 1;
        if (attempts === 1) return ask({ ...request, timeoutMs: 5_000 });
        clock += silenceMs;
        return ask(request);
      };
    const events = stream({ silenceMs, now: () => clock }, { reconnectMs: 1_500 }, around);
    expect(await failureOf(all(events))).toMatchObject({ code: 'NETWORK', extras: { hint: expect.any(String) } });
    // The silence of two attempts, and the pauses of 250, 500 and 1000 ms.
    expect(attempts).toBe(3);
  });

  it('is not considered dead while its reader is slow', async () => {
    let sendEnd = (): void => undefined;
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1) + event(2));
      sendEnd = () => void response.write('event: end\ndata: {}\n\n');
    });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let clock = 0;
    const silenceMs = 1_000;
    const seen: string[] = [];
    for await (const { event: name } of stream({ silenceMs, reconnectMs: silenceMs, now: () => clock })) {
      if (seen.push(name) !== 1) continue;
      // The reader takes ten times the longest silence for one event, and the stream checks for silence meanwhile.
      clock += 10 * silenceMs;
      vi.advanceTimersByTime(10 * silenceMs);
      sendEnd();
    }
    expect(seen).toEqual(['log', 'log', 'end']);
    expect(resumedBehind).toHaveLength(1);
  });

  it('ends at an interruption by the user', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1));
    });
    const events = stream();
    expect(await events.next()).toMatchObject({ done: false, value: { id: '1' } });
    const waiting = failureOf(events.next());
    abort.abort();
    expect((await waiting).code).toBe('CANCELLED');
  });
});
