// One live stream of events: the backlog and what comes, at the pace of its reader, for as long as the reader may read.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { EventStreamOpen, EventStreamReset } from '../../../src/contract/actors/events.ts';
import { Failure } from '../../domain/failure.ts';
import { type EventRecord, eventKey } from '../../domain/records/event-records.ts';
import type { EventStream } from '../../http/response/event-stream.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { EventLog } from './log.ts';

export interface Tail {
  readonly log: EventLog;
  readonly stream: EventStream;
  /** Where it begins, as it was asked for. */
  readonly start: Start;
  /** Whether the caller may read the event now, and wants it. */
  readonly filter: (caller: Caller, event: EventRecord) => boolean;
  /** Who asks, proven now. @throws Failure when the token is dead by now */
  readonly reauthorize: () => Promise<Caller>;
  readonly signal: AbortSignal;
  /** Pause (ms) after which a quiet stream proves again who reads it, and tells how far it has come; QUIET_MS when left out. */
  readonly quietMs?: number;
}

/** Behind which number it begins; `asked` is there when that is older than what is kept. */
export interface Start {
  readonly number: number;
  readonly asked?: number;
}

/** Events that are looked at before others get their turn. */
const BATCH = 256;
/** Characters that are written at once (but always one event): what one reader who does not read can hold at most. */
const CHUNK = 65_536;
const QUIET_MS = 15_000;

const sendOpening = async ({ log, stream, start }: Tail): Promise<boolean> => {
  const oldest = log.oldest();
  const cursor = eventKey(start.number);
  const opened: EventStreamOpen = { cursor, oldest: oldest ? eventKey(oldest.number) : null };
  if (!(await stream.send({ event: 'open', id: cursor, data: opened }))) return false;
  if (start.asked === undefined) return true;
  const reset: EventStreamReset = { asked: eventKey(start.asked), oldest: opened.oldest };
  return stream.send({ event: 'reset', id: cursor, data: reset });
};

const sendEvents = async (tail: Tail): Promise<void> => {
  const { log, stream, filter: takes, reauthorize: prove, signal, quietMs = QUIET_MS } = tail;
  let position = tail.start.number;
  let sentCursor = position;
  if (!(await sendOpening(tail))) return;
  while (!signal.aborted) {
    const batch = log.after(position, BATCH);
    if (batch.length === 0) {
      await log.waitForEvent(position, quietMs, signal);
      if (signal.aborted || log.after(position, 1).length > 0) continue;
      await prove();
      // The place to resume from must not grow old while nothing that happens is for this reader.
      if (
        position > sentCursor &&
        !(await stream.send({ event: 'cursor', id: eventKey(position), data: eventKey(position) }))
      )
        return;
      sentCursor = position;
      continue;
    }
    const caller = await prove();
    let frames = '';
    for (const { record, frame } of batch) {
      position = record.number;
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
 * Streams until the reader goes, does not read, may not read any more, or the daemon stops. It ends without a word: whoever comes back with
 * the id of the last event is told why not, or goes on behind it.
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
