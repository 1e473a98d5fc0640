// Reads a stream of server-sent events over fetch, which can send a token, and resumes it after every interruption.
import { createParser } from 'eventsource-parser';
import { send } from './call.ts';
import { ApiFailure, isPassing, messageIn } from './failure.ts';

export interface StreamMessage {
  readonly name: string;
  readonly data: string;
}

interface Followed {
  readonly address: () => string;
  /** Handles an event. Returns true if the stream is over. */
  readonly onMessage: (message: StreamMessage) => boolean | undefined;
  readonly onConnected?: (connected: boolean) => void;
  readonly signal: AbortSignal;
}

/** The service sends a heartbeat every 15 s. A connection that is silent for longer is dead, for example after sleep. */
const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/** Waits, but not longer than until the browser is online or visible again. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done);
  });

/** Reads the events of one response to its end. */
export const readEvents = async (
  body: ReadableStream<Uint8Array>,
  onMessage: (message: StreamMessage) => void,
): Promise<void> => {
  const parser = createParser({ onEvent: ({ event, data }) => onMessage({ name: event ?? 'message', data }) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parser.feed(decoder.decode(read.value, { stream: true }));
  }
};

/**
 * Reads the stream. After a lost connection, it continues after the last id, so no event is lost or repeated.
 * @throws ApiFailure
 */
export const follow = async ({ address, onMessage, onConnected, signal }: Followed): Promise<void> => {
  let lastId: string | undefined;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    const silence = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    // The time limit starts at the request, because a service may accept it and never respond.
    heard();
    try {
      const response = await send(address(), {
        headers: { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      if (!response.ok) {
        const failure = new ApiFailure(response.status, messageIn(await response.json(), response.status));
        if (!isPassing(response.status)) throw failure;
      } else if (response.body !== null) {
        onConnected?.(true);
        wait = FIRST_WAIT_MS;
        let over = false;
        const parser = createParser({
          onEvent: ({ id, event, data }) => {
            if (id !== undefined) lastId = id;
            if (!over) over = onMessage({ name: event ?? 'message', data }) === true;
          },
        });
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          heard();
          parser.feed(value);
          if (over) {
            await reader.cancel();
            return;
          }
        }
      }
    } catch (error) {
      if (error instanceof ApiFailure && !isPassing(error.status) && error.status !== 401) throw error;
    } finally {
      clearTimeout(timer);
    }
    if (signal.aborted) return;
    onConnected?.(false);
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
};
