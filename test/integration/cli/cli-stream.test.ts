// Server-sent events from a real server that disconnects, falls silent, refuses or disappears.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRequest } from '../../../src/client/call.ts';
import { createStream, type StreamEvent, type StreamInput } from '../../../src/client/stream.ts';
import { createTransport } from '../../../src/client/transport.ts';
import { CliFailure } from '../../../src/failure.ts';

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

const stream = (
  limits: { silenceMs?: number; patienceMs?: number; now?: () => number } = {},
  input: StreamInput = {},
) => {
  const origin = async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = { token: async () => 't', renew: async () => undefined };
  const request = createRequest({
    transport: createTransport({ timeoutMs: 5_000 }),
    origin,
    session,
    signal: abort.signal,
  });
  const open = createStream({
    request,
    note: (line) => notes.push(line),
    now: Date.now,
    signal: abort.signal,
    ...limits,
  });
  return open('executions.logs', { params: { actorId: 'a', executionId: 'x' }, until: 'end', ...input });
};

const all = async (events: AsyncIterable<StreamEvent>): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { event: name, data, id } of events) found.push(`${id ?? '-'} ${name} ${data}`);
  return found;
};

const failure = async (work: Promise<unknown>): Promise<CliFailure> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
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
      (_request, response) => {
        begin(response);
        response.write(event(1), () => response.destroy());
      },
      (request) => request.socket.destroy(),
      (_request, response) => {
        begin(response);
        response.end(`${event(2)}event: end\ndata: {}\n\n`);
      },
    );
    expect(await all(stream())).toEqual(['1 log line 1', '2 log line 2', '2 end {}']);
    expect(resumedBehind).toEqual([undefined, '1', '1']);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/reconnected/);
  });

  it('that falls silent is disconnected and resumed', async () => {
    answers.push(
      (_request, response) => {
        begin(response);
        response.write(event(7));
      },
      (_request, response) => {
        begin(response);
        response.end('event: end\ndata: {}\n\n');
      },
    );
    expect(await all(stream({ silenceMs: 200 }))).toHaveLength(2);
    expect(resumedBehind).toEqual([undefined, '7']);
  });

  it('keeps a character that arrives in two pieces', async () => {
    const bytes = Buffer.from(event(1, '日本'));
    answers.push((_request, response) => {
      begin(response);
      response.write(bytes.subarray(0, bytes.length - 4));
      setTimeout(
        () => response.end(Buffer.concat([bytes.subarray(bytes.length - 4), Buffer.from('event: end\ndata: x\n\n')])),
        50,
      );
    });
    expect((await all(stream()))[0]).toBe('1 log 日本');
  });

  it('that is refused fails at once', async () => {
    answers.push((_request, response) => {
      response.writeHead(404, { 'x-failure-code': 'NOT_FOUND' });
      response.end('{"message":"no such execution"}');
    });
    expect(await failure(all(stream()))).toMatchObject({ code: 'NOT_FOUND', message: 'no such execution' });
  });

  it('to a missing server fails at once', async () => {
    expect((await failure(all(stream()))).code).toBe('NETWORK');
  });

  it('whose server stays away fails at last', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1), () => response.destroy());
    });
    expect((await failure(all(stream({ patienceMs: 400 })))).code).toBe('NETWORK');
  });

  it('R19 that was open while the machine slept is resumed at wake-up, by the wall clock', async () => {
    let slept = 0;
    answers.push(
      (_request, response) => {
        begin(response);
        response.write(event(1));
      },
      (_request, response) => {
        begin(response);
        response.end('event: end\ndata: {}\n\n');
      },
    );
    const gone: number[] = [];
    // Longer than the time limit of the test, so only the jump of the clock can end the first connection.
    const limits = { silenceMs: 60_000, now: () => Date.now() + slept };
    const seen: string[] = [];
    for await (const { event: name } of stream(limits, { onReconnect: (ms) => gone.push(ms) })) {
      seen.push(name);
      setTimeout(() => {
        slept = 3_600_000;
      }, 50);
    }
    expect(seen).toEqual(['log', 'end']);
    expect(resumedBehind).toEqual([undefined, '1']);
    expect(gone).toHaveLength(1);
    expect(gone[0]).toBeGreaterThanOrEqual(3_600_000);
    expect(notes).toEqual([]);
  });

  it('R19 does not count the sleep of the machine as time without the service', async () => {
    let slept = 0;
    answers.push(
      (_request, response) => {
        begin(response);
        response.write(event(1), () => response.destroy());
      },
      (request) => {
        slept = 3_600_000;
        request.socket.destroy();
      },
      (_request, response) => {
        begin(response);
        response.end('event: end\ndata: {}\n\n');
      },
    );
    const limits = { silenceMs: 1_000, patienceMs: 10_000, now: () => Date.now() + slept };
    expect(await all(stream(limits))).toHaveLength(2);
    expect(resumedBehind).toEqual([undefined, '1', '1']);
  });

  it('R19 whose server accepts and sends nothing fails at last', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1), () => response.destroy());
    });
    for (let count = 0; count < 9; count += 1) answers.push((_request, response) => begin(response));
    const failed = await failure(all(stream({ silenceMs: 100 }, { patienceMs: 1_500 })));
    expect(failed).toMatchObject({ code: 'NETWORK', extras: { hint: expect.any(String) } });
    expect(resumedBehind.length).toBeGreaterThan(2);
  });

  it('is not considered dead while its reader is slow', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1) + event(2));
      const beat = setInterval(() => response.write(': heartbeat\n\n'), 20);
      response.once('close', () => clearInterval(beat));
      setTimeout(() => response.write('event: end\ndata: {}\n\n'), 600);
    });
    const seen: string[] = [];
    for await (const { event: name } of stream({ silenceMs: 150 })) {
      seen.push(name);
      if (seen.length === 1) await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(seen).toEqual(['log', 'log', 'end']);
    expect(resumedBehind).toHaveLength(1);
  });

  it('ends at an interruption by the user', async () => {
    answers.push((_request, response) => {
      begin(response);
      response.write(event(1), () => setTimeout(() => abort.abort(), 50));
    });
    expect((await failure(all(stream()))).code).toBe('CANCELLED');
  });
});
