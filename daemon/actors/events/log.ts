// All events that are kept, in their order, once for all who listen: each reader has a place in it and nothing of its own.
import { type EventRecord, eventKey } from '../../domain/records/event-records.ts';
import { encodeEvent } from '../../http/response/event-stream.ts';
import type { Store } from '../../ports/store.ts';
import { eventView } from './view.ts';

/** An event as the readers share it. */
export interface LoggedEvent {
  readonly record: EventRecord;
  /** The event as a stream carries it; written once for all readers, if it is short. */
  readonly frame: () => string;
}

export interface EventLog {
  /** Those behind a number, oldest first, as many as `count`; a number is a place even if no event has it. */
  after(number: number, count: number): readonly LoggedEvent[];
  /** Those with smaller numbers, newest first. */
  before(number: number): Iterable<LoggedEvent>;
  /** The number behind which the events of `time` (ms) and later come. */
  positionAt(time: number): number;
  /** Undefined when none is kept. */
  oldest(): EventRecord | undefined;
  latest(): EventRecord | undefined;
  /** Resolves when there is an event behind that number, after `ms`, or when the signal fires. */
  waitForEvent(number: number, ms: number, signal: AbortSignal): Promise<void>;
}

/** Entries that are dropped from the front before the rest moves up. */
const TRIM_AFTER = 1_024;

/** Characters of a written event that are kept for the next reader; of a longer one it costs less to write it again. */
const CACHED_FRAME_LENGTH = 2_048;

const logged = (record: EventRecord): LoggedEvent => {
  let written: string | undefined;
  const frame = () => {
    if (written !== undefined) return written;
    const frame = encodeEvent({ event: record.type, id: eventKey(record.number), data: eventView(record) });
    if (frame.length <= CACHED_FRAME_LENGTH) written = frame;
    return frame;
  };
  return { record, frame };
};

/** Reads the events that there are and listens for more; made before any decision of which it shall hear. */
export const createEventLog = (store: Pick<Store, 'all' | 'get' | 'watch'>): EventLog => {
  let entries = [...store.all('events')].filter(({ retired }) => !retired).map(logged);
  /** Those before it are not kept any more: they go oldest first. */
  let first = 0;
  const waiting = new Set<() => void>();

  store.watch('events', (record) => {
    if (record.number <= (entries.at(-1)?.record.number ?? 0)) return;
    entries.push(logged(record));
    const wake = [...waiting];
    waiting.clear();
    for (const go of wake) go();
  });

  const trim = (): void => {
    for (let entry = entries[first]; entry !== undefined; entry = entries[first]) {
      const kept = store.get('events', eventKey(entry.record.number));
      if (kept !== undefined && !kept.retired) break;
      first += 1;
    }
    if (first < TRIM_AFTER) return;
    entries = entries.slice(first);
    first = 0;
  };

  /** Index of the first entry that `isBehind`, as all behind it are. */
  const indexOf = (isReached: (record: EventRecord) => boolean): number => {
    trim();
    let low = first;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = entries[middle];
      if (entry === undefined || isReached(entry.record)) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  return {
    after(number, count) {
      const from = indexOf((record) => record.number > number);
      return entries.slice(from, from + count);
    },
    before: function* (number) {
      for (let at = indexOf((record) => record.number >= number) - 1; at >= first; at -= 1) {
        const entry = entries[at];
        if (entry !== undefined) yield entry;
      }
    },
    positionAt(time) {
      const at = indexOf((record) => record.at >= time);
      return at === first ? 0 : (entries[at - 1]?.record.number ?? 0);
    },
    oldest() {
      trim();
      return entries[first]?.record;
    },
    latest() {
      trim();
      return entries.length > first ? entries.at(-1)?.record : undefined;
    },
    waitForEvent: (number, ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || (entries.at(-1)?.record.number ?? 0) > number) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        timer.unref();
        signal.addEventListener('abort', done, { once: true });
        waiting.add(done);
      }),
  };
};
