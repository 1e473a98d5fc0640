// Writes Server-Sent Events at the speed of the reader, keeps idle streams alive and ends when the reader disconnects.
import type { ServerResponse } from 'node:http';
import { EVENT_STREAM } from '../../../src/contract/actors/executions.ts';
import { probeHalfClosed } from './half-closed.ts';

/** One event. A client sends `id` back as `Last-Event-ID`. */
export interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  /** Any JSON value. */
  readonly data: unknown;
}

export interface EventStream {
  /**
   * Resolves once the reader can accept more, which bounds the memory of a slow reader. False if the stream is over.
   */
  send(event: StreamEvent): Promise<boolean>;
  /** Like `send`, but without an event. Returns at once if the reader can accept the next one. */
  ready(): boolean | Promise<boolean>;
  /** Writes events that are already encoded, without waiting. Call it only after `ready`. @see `encodeEvent` */
  write(frames: Uint8Array): void;
  end(): void;
}

/** Interval (ms) of comments that keep an idle connection alive. */
const HEARTBEAT_MS = 15_000;
/** Time (ms) after which a reader that reads nothing is disconnected. It can resume the stream. */
const STALL_MS = 60_000;

const oneLine = (text: string): string => text.replace(/[\r\n\0]/g, '');

/** Encodes an event. @see WHATWG HTML 9.2.5 */
export const encodeEvent = ({ event, id, data }: StreamEvent): string =>
  `event: ${oneLine(event)}\n${id === undefined ? '' : `id: ${oneLine(id)}\n`}data: ${JSON.stringify(data) ?? 'null'}\n\n`;

/** Closes the connection if the reader has read nothing for `stallMs`. */
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
    signal.addEventListener('abort', done);
  });

/**
 * Opens a stream and writes the headers at once. The handler returns ANSWERED at the end. The stream ends when `signal`
 * fires.
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
  const beat = () => {
    if (!over && !response.writableNeedDrain) response.write(':\n\n');
  };
  const timer = setInterval(beat, heartbeatMs);
  timer.unref();
  probeHalfClosed(response, beat);
  response.writeHead(200, {
    'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  signal.addEventListener('abort', end);
  // The response to HEAD consists of the headers only.
  if (signal.aborted || response.req.method === 'HEAD') end();
  const write = (frames: string | Uint8Array): void => {
    if (!over) response.write(frames);
  };
  const isOpen = (): boolean => !over && !response.destroyed;
  const ready = (): boolean | Promise<boolean> =>
    !over && response.writableNeedDrain ? drained(response, signal, stallMs).then(isOpen) : isOpen();
  const send = async (event: StreamEvent): Promise<boolean> => {
    write(encodeEvent(event));
    return ready();
  };
  return { send, ready, write, end };
};
