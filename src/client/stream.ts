// Server-sent events from the daemon: read, resumed where they broke off, and never silently dead.
import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { type OperationId, operations } from '../contract/operations.ts';
import { CliFailure } from '../failure.ts';
import type { GivenNonce } from '../local/credentials/run-nonce.ts';
import { authenticationFor, pathOf, type Request, refusalOf } from './call.ts';
import { type Query, readBody } from './transport.ts';

/** One event. */
export interface StreamEvent {
  /** `message` when the server names none. */
  readonly event: string;
  /** Last id the server gave, to resume behind. */
  readonly id?: string;
  readonly data: string;
}

export interface StreamInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** Resume behind this id. */
  readonly lastEventId?: string;
  /** Name of the event after which the stream is over; it is still handed out. */
  readonly until?: string;
  readonly signal?: AbortSignal;
  /** Told, instead of a note on stderr, each time that it is connected again: how many milliseconds it was gone. */
  readonly onReconnect?: (goneMs: number) => void;
  /** Milliseconds without any connection after which it gives up; 60 s unless given. */
  readonly patienceMs?: number;
}

/**
 * The events of an operation that streams. Reconnects by itself, behind the last event that was handed out; says so on stderr.
 * Time that the machine sleeps does not count as time without the service, and a connection that slept is not trusted.
 * @throws CliFailure the service's refusal; DAEMON_NOT_RUNNING or NETWORK when it stays away for 60 s; CANCELLED
 * @see cli.md R19
 */
export type Stream = (id: OperationId, input?: StreamInput) => AsyncGenerator<StreamEvent, void, void>;

export interface StreamerInput {
  readonly request: Request;
  readonly nonce?: GivenNonce;
  readonly note: (line: string) => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Milliseconds of silence after which a connection counts as dead; the daemon sends a heartbeat every 15 s. */
  readonly silenceMs?: number;
  /** Milliseconds without any connection after which it gives up. */
  readonly patienceMs?: number;
}

/**
 * Makes a function that takes the text of a stream in pieces and returns the events completed by each piece. An event without
 * an id has the id of the event before it, because a client resumes after the last id.
 * @see WHATWG HTML 9.2.6
 */
export const createEventParser = () => {
  let events: StreamEvent[] = [];
  let lastId: string | undefined;
  const parser = createParser({
    onEvent: ({ event, id = lastId, data }) => {
      lastId = id;
      events.push({ event: event ?? 'message', data, ...(id !== undefined && { id }) });
    },
  });
  return (piece: string): StreamEvent[] => {
    events = [];
    parser.feed(piece);
    return events;
  };
};

/** Ends by itself, early, when `signal` fires. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });

/** Milliseconds between two looks at how long a connection has been silent, at most. */
const LOOK_MS = 5_000;

/**
 * The events of one connection; ends when the connection does, whichever way.
 * @param heard called whenever anything comes, heartbeats too
 */
async function* eventsOf(
  body: IncomingMessage,
  { silenceMs, now, heard }: { readonly silenceMs: number; readonly now: () => number; readonly heard: () => void },
): AsyncGenerator<StreamEvent, void, void> {
  const parse = createEventParser();
  const decoder = new TextDecoder();
  let quietSince: number | undefined = now();
  // By the clock on the wall, because a timer stands still while the machine sleeps: what slept longer is dead at once.
  const watch = setInterval(
    () => {
      if (quietSince !== undefined && Math.abs(now() - quietSince) >= silenceMs) body.destroy();
    },
    Math.min(silenceMs / 4, LOOK_MS),
  );
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      heard();
      // While whoever reads the events takes its time, it is not the server that is silent.
      quietSince = undefined;
      yield* parse(decoder.decode(piece, { stream: true }));
      quietSince = now();
    }
  } finally {
    clearInterval(watch);
    body.destroy();
  }
}

const RETRYABLE = new Set(['DAEMON_NOT_RUNNING', 'DAEMON_UNHEALTHY', 'NETWORK', 'SHUTTING_DOWN', 'STORE_UNAVAILABLE']);

/** Whether the connection was lost, and not refused. */
const isLoss = (error: unknown): boolean => !(error instanceof CliFailure) || RETRYABLE.has(error.code);

const cancelled = (cause?: unknown): CliFailure => new CliFailure('CANCELLED', 'interrupted', { cause });

const givenUp = (trouble: unknown): CliFailure => {
  if (trouble instanceof CliFailure) return trouble;
  const hint = 'actorctl status';
  return new CliFailure('NETWORK', 'the connection to the service is lost', { hint, cause: trouble });
};

/** Makes the function that opens streams. */
export const createStream = (input: StreamerInput): Stream => {
  const { request, note, now, silenceMs = 45_000 } = input;
  const noteReconnect = (goneMs: number): void => note(`-- reconnected after ${Math.round(goneMs / 1_000)}s --`);
  return async function* (id, options = {}) {
    const { params, query, lastEventId, until, signal = input.signal, onReconnect = noteReconnect } = options;
    const { patienceMs = input.patienceMs ?? 60_000 } = options;
    const operation = operations[id];
    const authentication = authenticationFor(operation, input.nonce);
    let last = lastEventId;
    let heardAt = now();
    let everConnected = false;
    /** Milliseconds awake in which nothing was to be had: attempts without a word, and the pauses between them. */
    let awayMs = 0;
    let attempt = 0;

    const open = async (): Promise<IncomingMessage | undefined> => {
      const answer = await request({
        method: operation.method,
        path: pathOf(operation, params),
        ...(query && { query }),
        headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) },
        authentication,
        timeoutMs: silenceMs,
        signal,
      });
      // 204 is how a server tells a client of events to stop asking.
      if (answer.status === 204) return undefined;
      if (answer.status === 200 && answer.headers['content-type']?.startsWith('text/event-stream')) return answer.body;
      const text = (await readBody(answer)).toString('utf8');
      if (answer.status === 200) throw new CliFailure('DAEMON_VERSION', `${id} did not answer a stream`);
      throw refusalOf(authentication, answer.status, answer.headers, text);
    };
    const heard = (): void => {
      heardAt = now();
      awayMs = 0;
      attempt = 0;
    };

    for (; ; attempt += 1) {
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
      const pauseMs = Math.min(250 * 2 ** attempt, 2_000);
      // An attempt that seems to have taken longer than it may was slept through.
      if (heardAt < begun) awayMs += Math.min(Math.max(0, now() - begun), silenceMs);
      awayMs += pauseMs;
      if (awayMs > patienceMs) throw givenUp(trouble);
      await pause(pauseMs, signal);
    }
  };
};
