// Encodes the events of one tenant for its streams. Readers share the work: an event is encoded once, and readers that
// need the same events one after the other get the same bytes.
import type { EventRecord } from '../../domain/records/event-records.ts';
import { encodeEvent } from '../../http/response/event-stream.ts';
import { eventView } from './view.ts';

/** Events in the format of a stream. */
export interface Encoded {
  readonly bytes: Buffer;
  /** Number of events that the bytes contain. */
  readonly count: number;
}

/** Encodes as many of the events as one write may contain, and at least the first. `events` must not be empty. */
export type Encoder = (events: readonly EventRecord[]) => Encoded;

/**
 * Characters of one write, except that one event is always written whole. It bounds the memory that a slow reader can
 * hold.
 */
const CHUNK = 65_536;
/** Number of events of which the encoded form is kept for the next reader. */
const KEPT = 1_024;
/** Longest encoded form (characters) that is kept. Encoding a longer event again costs less than the memory. */
const KEPT_LENGTH = 2_048;

export const createEncoder = (): Encoder => {
  /** Encoded events by their serial, modulo the length of the list. */
  const kept: { readonly record: EventRecord; readonly frame: string }[] = [];
  let latest: (Encoded & { readonly events: readonly EventRecord[] }) | undefined;

  const frameOf = (record: EventRecord): string => {
    const at = record.serial % KEPT;
    const found = kept[at];
    if (found?.record === record) return found.frame;
    const frame = encodeEvent({ event: record.type, id: String(record.serial), data: eventView(record) });
    if (frame.length <= KEPT_LENGTH) kept[at] = { record, frame };
    return frame;
  };

  return (events) => {
    if (latest?.events.length === events.length && events.every((event, at) => event === latest?.events[at])) {
      return latest;
    }
    let text = '';
    let count = 0;
    for (const event of events) {
      text += frameOf(event);
      count += 1;
      if (text.length >= CHUNK) break;
    }
    latest = { events, bytes: Buffer.from(text), count };
    return latest;
  };
};
