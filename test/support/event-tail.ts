// A reader of the live stream of events, as any client of Server-Sent Events is one.
import { get, type IncomingMessage } from 'node:http';
import { createEventParser, type StreamEvent } from '../../src/client/stream.ts';
import type { EventView } from '../../src/contract/events.ts';

export interface EventTail {
  /** What came, notices too, in order. */
  readonly seen: readonly StreamEvent[];
  /** The events among it. */
  events(): readonly EventView[];
  readonly response: IncomingMessage;
  /** Settles when the stream is over, however it came to that. */
  readonly over: Promise<void>;
  close(): void;
}

export interface TailOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** What stands behind `?`. */
  readonly query?: string;
  readonly lastEventId?: string;
}

/** Opens a stream; resolves when its head is there. */
export const openTail = ({ baseUrl, token, query = '', lastEventId }: TailOptions): Promise<EventTail> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const request = get(`${baseUrl}/actors/v2/events?${query}`, { headers, agent: false }, (response) => {
      const seen: StreamEvent[] = [];
      const parse = createEventParser();
      response.setEncoding('utf8');
      response.on('data', (piece: string) => void seen.push(...parse(piece)));
      response.on('error', () => undefined);
      resolve({
        seen,
        events: () => seen.filter(({ event }) => /^[A-Z]/.test(event)).map(({ data }) => JSON.parse(data)),
        response,
        over: new Promise((end) => void response.once('close', end)),
        close: () => void request.destroy(),
      });
    });
    request.on('error', reject);
  });
