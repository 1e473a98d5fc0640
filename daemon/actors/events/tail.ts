// One live event stream: stored events first, then new ones, at the reader's speed, and only while the reader may read
// them.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { EventStreamOpen, EventStreamReset } from '../../../src/contract/actors/events.ts';
import { writeCursor } from '../../../src/contract/event-cursor.ts';
import { Failure } from '../../domain/failure.ts';
import type { EventStream } from '../../http/response/event-stream.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { EventFilter } from './access.ts';
import type { EventLog } from './log.ts';

export interface Tail {
  readonly log: EventLog;
  readonly stream: EventStream;
  readonly start: Start;
  readonly filter: EventFilter;
  /** Authenticates the caller again. Throws if the token is no longer valid. */
  readonly reauthorize: () => Caller | Promise<Caller>;
  readonly signal: AbortSignal;
  /**
   * Interval (ms) after which an idle stream authenticates its reader again and sends its cursor. QUIET_MS by default.
   */
  readonly quietMs?: number;
}

/**
 * Where a stream starts: after the event `serial`. `asked` is the cursor that the client requested, present only if it
 * is older than the oldest stored event or from another epoch.
 */
export interface Start {
  readonly serial: number;
  readonly asked?: string;
}

/** Maximum number of events checked in one turn of the event loop. */
const BATCH = 256;
const QUIET_MS = 15_000;

const sendOpening = async ({ log, stream, start }: Tail): Promise<boolean> => {
  const oldest = log.oldest();
  const cursor = writeCursor(log.epoch, start.serial);
  const opened: EventStreamOpen = { cursor, oldest: oldest ? String(oldest.serial) : null };
  if (!(await stream.send({ event: 'open', id: cursor, data: opened }))) return false;
  if (start.asked === undefined) return true;
  const reset: EventStreamReset = { asked: start.asked, oldest: opened.oldest };
  return stream.send({ event: 'reset', id: cursor, data: reset });
};

const sendEvents = async (tail: Tail): Promise<void> => {
  const { log, stream, filter, reauthorize, signal, quietMs = QUIET_MS } = tail;
  const newEvent = log.waiter(quietMs, signal);
  let position = tail.start.serial;
  let sentCursor = position;
  /** True if a batch was checked since the last wait. A batch may be short because its events are long. */
  let isFollowing = false;
  if (!(await sendOpening(tail))) return;
  for (;;) {
    const isReady = stream.ready();
    if (!(isReady instanceof Promise ? await isReady : isReady)) return;
    const batch = log.after(position, BATCH);
    const newest = batch.at(-1);
    if (newest === undefined) {
      isFollowing = false;
      if ((await newEvent(position)) || signal.aborted) continue;
      await reauthorize();
      // The cursor must advance even if no event matched, so that a reconnect does not start too far back.
      const cursor = writeCursor(log.epoch, position);
      if (position > sentCursor) await stream.send({ event: 'cursor', id: cursor, data: cursor });
      sentCursor = position;
      continue;
    }
    if (isFollowing) await yieldToEventLoop();
    isFollowing = true;
    // An unnecessary await would cost each of a hundred readers one turn of the event loop.
    const caller = reauthorize();
    const wanted = batch.filter(filter(caller instanceof Promise ? await caller : caller));
    position = newest.serial;
    if (wanted.length > 0) {
      const { bytes, count } = log.encode(wanted);
      stream.write(bytes);
      sentCursor = wanted[count - 1]?.serial ?? position;
      if (count < wanted.length) position = sentCursor;
    }
  }
};

/**
 * Streams until the reader disconnects, stops reading or loses access, or the daemon stops. The stream then closes
 * without an error: on reconnect the client resumes after its last event id, or receives the error.
 */
export const tailEvents = async (tail: Tail): Promise<void> => {
  try {
    await sendEvents(tail);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  } finally {
    tail.stream.end();
  }
};
