// A client of the live event stream that resumes after the last received event when its connection breaks or the daemon
// is down.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEventParser } from '../../../src/client/stream.ts';
import type { EventView } from '../../../src/contract/actors/events.ts';

export interface ResumingTail {
  /** Ids of the received events, in order. */
  readonly seen: readonly number[];
  /** Errors: events whose id differs from their position, refused streams, and notices of missed events. */
  readonly faults: readonly string[];
  /** Number of connections after the first. */
  readonly resumed: () => number;
  close(): Promise<void>;
}

export interface ResumingTailOptions {
  /** The current address of the daemon. */
  readonly baseUrl: () => string;
  readonly token: string;
  /** The query after `?`. It should say where to start. */
  readonly query: string;
  /** Number of events after which the client disconnects and resumes. By default it never does. */
  readonly hangUpAfter?: number;
  /** Pause in ms between two chunks, for a reader that is slower than the events. */
  readonly pauseMs?: number;
}

/** Starts to read. The daemon need not run yet. */
export const resumingTail = (options: ResumingTailOptions): ResumingTail => {
  const { baseUrl, token, query, hangUpAfter = Number.POSITIVE_INFINITY, pauseMs = 0 } = options;
  const seen: number[] = [];
  const faults: string[] = [];
  const closing = new AbortController();
  let last: string | undefined;
  let opened = 0;

  const open = async (): Promise<IncomingMessage> => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(last !== undefined && { 'last-event-id': last }),
    };
    const request = get(`${baseUrl()}/actors/v2/events?${query}`, { headers, agent: false, signal: closing.signal });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };

  const readOne = async (): Promise<void> => {
    const response = await open();
    if (response.statusCode !== 200) {
      response.destroy();
      // A daemon that starts or stops responds with 503. Any other status is a refusal.
      if (response.statusCode !== 503) faults.push(`a stream was answered ${response.statusCode}`);
      return;
    }
    opened += 1;
    const parse = createEventParser();
    const before = seen.length;
    response.setEncoding('utf8');
    for await (const piece of response as AsyncIterable<string>) {
      for (const { event, id, data } of parse(piece)) {
        last = id ?? last;
        if (event === 'reset') faults.push(`after event ${id}, a reset event reported missed events`);
        if (!/^[A-Z]/.test(event)) continue;
        const number = (JSON.parse(data) as EventView).id;
        if (id?.split('.')[1] !== number) faults.push(`${id} carries ${data}`);
        seen.push(Number(number));
      }
      if (seen.length - before >= hangUpAfter) return;
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await readOne();
      } catch (error) {
        // The client resumes after any connection error.
        if (!(error instanceof Error && 'code' in error)) throw error;
      }
      await sleep(20);
    }
  };
  const running = run();

  return {
    seen,
    faults,
    resumed: () => Math.max(0, opened - 1),
    close: async () => {
      closing.abort();
      await running;
    },
  };
};
