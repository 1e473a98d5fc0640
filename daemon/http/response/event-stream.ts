// Live streams: Server-Sent Events at the pace of the reader, alive while nothing happens, over when the reader has gone.
import type { ServerResponse } from 'node:http';
import { EVENT_STREAM } from '../../../src/contract/actors/executions.ts';

/** One event. `id` is what a client sends back as `Last-Event-ID`. */
export interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  /** Any JSON value. */
  readonly data: unknown;
}

export interface EventStream {
  /**
   * Writes one event and resolves when the reader can take the next: true to go on, false when the stream is over
   * (reader gone, daemon stopping). Awaiting it is what keeps a slow reader from being buffered without end.
   */
  send(event: StreamEvent): Promise<boolean>;
  /** The same for events that are written already. @see encodeEvent */
  sendFrames(frames: string): Promise<boolean>;
  /** Ends the stream in good order. */
  end(): void;
}

/** Pause (ms) after which a comment keeps the connection alive. */
const HEARTBEAT_MS = 15_000;
/** Time (ms) that a reader may take nothing before it is cut off: what it holds up is resumed when it comes back. */
const STALL_MS = 60_000;

const oneLine = (text: string): string => text.replace(/[\r\n\0]/g, '');

/** An event as it goes over the line. @see WHATWG HTML 9.2.5 */
export const encodeEvent = ({ event, id, data }: StreamEvent): string =>
  `event: ${oneLine(event)}\n${id === undefined ? '' : `id: ${oneLine(id)}\n`}data: ${JSON.stringify(data) ?? 'null'}\n\n`;

/** Resolves when the response can take more, when the signal fires, or when the reader took nothing for `stallMs`: then it is cut off. */
const drained = (response: ServerResponse, signal: AbortSignal, stallMs: number): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done);
      response.off('close', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), stallMs);
    timer.unref();
    response.on('drain', done);
    response.on('close', done);
    signal.addEventListener('abort', done, { once: true });
  });

/**
 * Begins a stream: writes the head at once. The handler returns ANSWERED when it is done with it.
 * When `signal` (the one of the handler's context) fires, the stream ends by itself.
 */
export const openEventStream = (
  response: ServerResponse,
  signal: AbortSignal,
  heartbeatMs: number = HEARTBEAT_MS,
  stallMs: number = STALL_MS,
): EventStream => {
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    clearInterval(timer);
    signal.removeEventListener('abort', end);
    response.end();
  };
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  }, heartbeatMs);
  timer.unref();
  response.writeHead(200, {
    'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  signal.addEventListener('abort', end, { once: true });
  // A HEAD request asks for the head alone.
  if (signal.aborted || response.req.method === 'HEAD') end();
  const sendFrames = async (frames: string): Promise<boolean> => {
    if (over) return false;
    if (!response.write(frames)) await drained(response, signal, stallMs);
    return !over && !response.destroyed;
  };
  return { send: (event) => sendFrames(encodeEvent(event)), sendFrames, end };
};
