// A reader of the live stream of events that goes on behind the last one it got, whenever its connection breaks or the daemon is away.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEventParser } from '../../../src/client/stream.ts';
import type { EventView } from '../../../src/contract/actors/events.ts';

export interface ResumingTail {
  /** Ids of the events that came, in the order in which they came. */
  readonly seen: readonly number[];
  /** What should not have come: events whose id is not their place, streams that are refused, notices that something was missed. */
  readonly faults: readonly string[];
  /** Connections beyond the first. */
  readonly resumed: () => number;
  close(): Promise<void>;
}

export interface ResumingTailOptions {
  /** Where the daemon is now. */
  readonly baseUrl: () => string;
  readonly token: string;
  /** What stands behind `?`; it should say where to begin. */
  readonly query: string;
  /** Events after which it hangs up by itself and comes back; never when left out. */
  readonly hangUpAfter?: number;
  /** Pause (ms) between two pieces; for a reader that is slower than what happens. */
  readonly pauseMs?: number;
}

/** Begins to read; needs no daemon yet. */
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
      // One that stops or starts says so; everything else is a refusal.
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
        if (event === 'reset') faults.push(`behind ${id} it was told that events were missed`);
        if (!/^[A-Z]/.test(event)) continue;
        if ((JSON.parse(data) as EventView).id !== id) faults.push(`${id} carries ${data}`);
        seen.push(Number(id));
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
        // Whatever broke the connection, it is to be resumed.
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
