// Reads server-sent events of the daemon, resumes after a lost connection, and detects dead connections.
import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { routes } from '../contract/for-client.ts';
import type { OperationId } from '../contract/operations.ts';
import { CliFailure } from '../failure.ts';
import type { GivenNonce } from '../local/credentials/run-nonce.ts';
import { authenticationFor, pathOf, type Request, refusalOf } from './call.ts';
import type { ConnectionNotes } from './connection-notes.ts';
import { cancelled, createReconnectDeadline, isAway, RECONNECT_MS, SILENCE_MS } from './reconnect-deadline.ts';
import { type Query, readBody } from './transport.ts';

export interface StreamEvent {
  /** Type of the event. `message` if the server names none. */
  readonly event: string;
  /** The last id from the server. A client resumes after it. */
  readonly id?: string;
  readonly data: string;
}

export interface StreamInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** Start after this id. */
  readonly lastEventId?: string;
  /** Name of the event that ends the stream. That event is also returned. */
  readonly until?: string;
  readonly signal?: AbortSignal;
  /** Called after each reconnect with the milliseconds of the interruption. The caller then reports the reconnect. */
  readonly onReconnect?: (goneMs: number) => void;
  /** Milliseconds without a connection until the stream fails. Default 60 s. */
  readonly reconnectMs?: number;
}

/**
 * The events of a streaming operation. After a lost connection the stream reconnects and resumes after the last returned
 * event. While the machine sleeps, the time limit does not count, and a connection from
 * before the sleep is replaced.
 * @throws CliFailure the refusal of the service; DAEMON_NOT_RUNNING or NETWORK if there is no connection for
 * `reconnectMs`; CANCELLED
 * @see docs/cli.md#lost-connections
 */
export type Stream = (id: OperationId, input?: StreamInput) => AsyncGenerator<StreamEvent, void, void>;

export interface StreamerInput {
  readonly request: Request;
  readonly nonce?: GivenNonce;
  readonly connection: ConnectionNotes;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly isLocal: boolean;
  /** Milliseconds of silence after which a connection is considered dead. The daemon sends a heartbeat every 15 s. */
  readonly silenceMs?: number;
  readonly reconnectMs?: number;
}

/**
 * Returns a parser: each call passes the next piece of the stream and returns the events that the piece completes. An
 * event without an id gets the id of the previous event, because a client resumes after the last id.
 * @see WHATWG HTML 9.2.6
 */
export const createEventParser = () => {
  let events: StreamEvent[] = [];
  let lastId: string | undefined;
  const parser = createParser({
    onEvent: ({ event, id = lastId, data }) => {
      lastId = id;
      events.push({ event: event ?? 'message', data, id });
    },
  });
  return (piece: string): StreamEvent[] => {
    events = [];
    parser.feed(piece);
    return events;
  };
};

/** Longest interval in milliseconds between checks for silence. */
const LOOK_MS = 5_000;

/** @param heard called for every received piece, including heartbeats */
async function* eventsOf(
  body: IncomingMessage,
  { silenceMs, now, heard }: { readonly silenceMs: number; readonly now: () => number; readonly heard: () => void },
): AsyncGenerator<StreamEvent, void, void> {
  const parse = createEventParser();
  const decoder = new TextDecoder();
  let quietSince: number | undefined = now();
  // Compares wall-clock times, because timers stop while the machine sleeps. After a longer sleep the connection is
  // dead at once.
  const watch = setInterval(
    () => {
      if (quietSince !== undefined && Math.abs(now() - quietSince) >= silenceMs) body.destroy();
    },
    Math.min(silenceMs / 4, LOOK_MS),
  );
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      heard();
      // The time that the consumer spends on an event does not count as silence of the server.
      quietSince = undefined;
      yield* parse(decoder.decode(piece, { stream: true }));
      quietSince = now();
    }
  } finally {
    clearInterval(watch);
    body.destroy();
  }
}

/** True if the connection was lost. False if the service refused the request. */
const isLoss = (error: unknown): boolean => !(error instanceof CliFailure) || isAway(error);

export const createStream = (input: StreamerInput): Stream => {
  const { request, connection, now, isLocal, silenceMs = SILENCE_MS } = input;
  return async function* (id, options = {}) {
    const { params, query, lastEventId, until, signal = input.signal, onReconnect = connection.back } = options;
    const { reconnectMs = input.reconnectMs ?? RECONNECT_MS } = options;
    const operation = routes[id];
    const authentication = authenticationFor(operation, input.nonce);
    let last = lastEventId;
    let heardAt = now();
    let everConnected = false;
    const deadline = createReconnectDeadline({ reconnectMs, silenceMs, signal, isLocal });

    const open = async (): Promise<IncomingMessage | undefined> => {
      const answer = await request({
        method: operation.method,
        path: pathOf(operation, params),
        query,
        headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) },
        authentication,
        timeoutMs: silenceMs,
        signal,
      });
      // The status 204 means that an event client must stop reconnecting.
      if (answer.status === 204) return undefined;
      if (answer.status === 200 && answer.headers['content-type']?.startsWith('text/event-stream')) return answer.body;
      const text = (await readBody(answer)).toString('utf8');
      if (answer.status === 200) throw new CliFailure('DAEMON_VERSION', `the response to ${id} is not an event stream`);
      throw refusalOf(authentication, answer, text);
    };
    const heard = (): void => {
      heardAt = now();
      deadline.heard();
    };

    for (;;) {
      const begun = now();
      let trouble: unknown;
      try {
        const body = await open();
        if (!body) return;
        if (everConnected) onReconnect(now() - heardAt);
        everConnected = true;
        for await (const event of eventsOf(body, { silenceMs, now, heard })) {
          if (event.id !== undefined) last = event.id;
          yield event;
          if (event.event === until) return;
        }
      } catch (error) {
        if (signal.aborted) throw cancelled(error);
        if (!everConnected || !isLoss(error)) throw error;
        trouble = error;
      }
      if (signal.aborted) throw cancelled();
      connection.lost(reconnectMs);
      await deadline.wait(trouble, heardAt < begun ? now() - begun : 0);
    }
  };
};
