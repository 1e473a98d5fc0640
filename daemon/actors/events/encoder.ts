// Encodes the events of one tenant for its streams. Readers that need the same events one after the other share the bytes.
import type { EventRecord } from '../../domain/records/event-records.ts';
import { encodeEvent } from '../../http/response/event-stream.ts';
import { eventView } from './view.ts';

export interface Encoded {
  readonly bytes: Buffer;
  readonly count: number;
}

/** Encodes as many of the events as one write may contain, and at least the first. `events` must not be empty. */
export type Encoder = (events: readonly EventRecord[]) => Encoded;

/**
 * Characters of one write, except that one event is always written whole. It bounds the memory that a slow reader can
 * hold.
 */
const CHUNK = 65_536;
const frameOf = (record: EventRecord): string =>
  encodeEvent({ event: record.type, id: String(record.serial), data: eventView(record) });

export const createEncoder = (): Encoder => {
  let latest: (Encoded & { readonly events: readonly EventRecord[] }) | undefined;

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
