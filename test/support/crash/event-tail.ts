// A client of the live event stream, for tests of Server-Sent Events.
import { get, type IncomingMessage } from 'node:http';
import { vi } from 'vitest';
import { emit } from '../../../daemon/domain/events/emission.ts';
import { createEventParser, type StreamEvent } from '../../../src/client/stream.ts';
import type { EventView } from '../../../src/contract/actors/events.ts';
import { POLL_LIMIT_MS } from '../runner/limits.ts';
import { type ActorService, type Name, tokenOf } from '../service/actor-service.ts';

export interface EventTail {
  /** All received events and notices, in order. */
  readonly seen: readonly StreamEvent[];
  /** The received events without notices. */
  events(): readonly EventView[];
  readonly response: IncomingMessage;
  /** Settles when the stream has ended for any reason. */
  readonly over: Promise<void>;
  close(): void;
}

export interface TailOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** The query after `?`. */
  readonly query?: string;
  readonly lastEventId?: string;
}

/** Opens a stream. Resolves once its response headers have arrived. */
export const openTail = ({ baseUrl, token, query = '', lastEventId }: TailOptions): Promise<EventTail> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const request = get(`${baseUrl}/actors/v2/events?${query}`, { headers, agent: false }, (response) => {
      const seen: StreamEvent[] = [];
      const events: EventView[] = [];
      const parse = createEventParser();
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        const received = parse(piece);
        seen.push(...received);
        for (const { event, data } of received) if (/^[A-Z]/.test(event)) events.push(JSON.parse(data));
      });
      response.on('error', () => undefined);
      resolve({
        seen,
        events: () => [...events],
        response,
        over: new Promise((end) => void response.once('close', end)),
        close: () => void request.destroy(),
      });
    });
    request.on('error', reject);
  });

const tails: EventTail[] = [];

/** Closes every stream that `tailAs` opened. */
export const closeTails = (): void => {
  for (const tail of tails.splice(0)) tail.close();
};

/** Opens a stream with the token of `as`. */
export const tailAs = async (
  { baseUrl }: ActorService,
  as: Name,
  query = '',
  lastEventId?: string,
): Promise<EventTail> => {
  const given = lastEventId === undefined ? {} : { lastEventId };
  const tail = await openTail({ baseUrl, token: tokenOf(as), query, ...given });
  tails.push(tail);
  return tail;
};

/** Emits events of an actor, `each` per transaction, and returns their ids. */
export const emitMany = async (
  { store, dependencies: { clock, ids } }: ActorService,
  actorId: string,
  count: number,
  each = 1,
  type = 'NOTICE',
): Promise<string[]> => {
  const decisions = Array.from({ length: Math.ceil(count / each) }, (_, at) =>
    store.transact((tx) =>
      Array.from({ length: Math.min(each, count - at * each) }, () => {
        const actor = tx.get('actors', actorId);
        if (actor === undefined) throw new Error('no such actor');
        return String(emit(tx, actor, { type }, { now: clock.now(), id: () => ids.id() }).serial);
      }),
    ),
  );
  return (await Promise.all(decisions)).flat();
};

export const idsOf = (tail: EventTail): readonly string[] => tail.events().map(({ id }) => id);

/** Repeats `what` until it does not throw. */
export const until = <T>(what: () => T): Promise<T> => vi.waitFor(what, { timeout: POLL_LIMIT_MS, interval: 5 });
