// One live stream of events: kept events first, then new ones, at the speed of the reader and only while the reader may
// read them.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { EventStreamOpen, EventStreamReset } from '../../../src/contract/actors/event-stream.ts';
import { Failure } from '../../domain/failure.ts';
import type { EventRecord } from '../../domain/records/event-records.ts';
import type { EventStream } from '../../http/response/event-stream.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { EventLog } from './log.ts';

export interface Tail {
  readonly log: EventLog;
  readonly stream: EventStream;
  /** The start that the client asked for. */
  readonly start: Start;
  /** True if the caller may read the event now and the query selects it. */
  readonly filter: (caller: Caller, event: EventRecord) => boolean;
  /** The caller, authenticated again. @throws Failure if the token is no longer valid */
  readonly reauthorize: () => Promise<Caller>;
  readonly signal: AbortSignal;
  /**
   * Interval (ms) after which an idle stream authenticates its reader again and sends its cursor. QUIET_MS by default.
   */
  readonly quietMs?: number;
}

/**
 * The stream starts after the event `serial`. `asked` is the requested cursor if it is older than the oldest kept
 * event.
 */
export interface Start {
  readonly serial: number;
  readonly asked?: number;
}

/** Events that are checked before other work gets a turn on the event loop. */
const BATCH = 256;
/**
 * Characters that are written at once, except that one event is always written whole. It bounds the memory that a slow
 * reader can hold.
 */
const CHUNK = 65_536;
const QUIET_MS = 15_000;

const sendOpening = async ({ log, stream, start }: Tail): Promise<boolean> => {
  const oldest = log.oldest();
  const cursor = String(start.serial);
  const opened: EventStreamOpen = { cursor, oldest: oldest ? String(oldest.serial) : null };
  if (!(await stream.send({ event: 'open', id: cursor, data: opened }))) return false;
  if (start.asked === undefined) return true;
  const reset: EventStreamReset = { asked: String(start.asked), oldest: opened.oldest };
  return stream.send({ event: 'reset', id: cursor, data: reset });
};

const sendEvents = async (tail: Tail): Promise<void> => {
  const { log, stream, filter: takes, reauthorize: prove, signal, quietMs = QUIET_MS } = tail;
  let position = tail.start.serial;
  let sentCursor = position;
  if (!(await sendOpening(tail))) return;
  while (!signal.aborted) {
    const batch = log.after(position, BATCH);
    if (batch.length === 0) {
      await log.waitForEvent(position, quietMs, signal);
      if (signal.aborted || log.after(position, 1).length > 0) continue;
      await prove();
      // The cursor must advance although no event matched, so that a reconnect does not start too far back.
      if (
        position > sentCursor &&
        !(await stream.send({ event: 'cursor', id: String(position), data: String(position) }))
      )
        return;
      sentCursor = position;
      continue;
    }
    const caller = await prove();
    let frames = '';
    for (const { record, frame } of batch) {
      position = record.serial;
      if (!takes(caller, record)) continue;
      frames += frame();
      sentCursor = position;
      if (frames.length >= CHUNK) break;
    }
    if (frames !== '' && !(await stream.sendFrames(frames))) return;
    if (batch.length === BATCH) await yieldToEventLoop();
  }
};

/**
 * Streams until the reader disconnects, stops reading or may no longer read, or the daemon stops. Closes silently: on
 * reconnect the client resumes after its last event id, or gets the error.
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
