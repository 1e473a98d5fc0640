// The kept events of each tenant in order, shared by every reader. A reader holds only its own position, and events of
// other tenants neither move nor wake it.
import { type EventRecord, eventKey } from '../../domain/records/event-records.ts';
import { encodeEvent } from '../../http/response/event-stream.ts';
import type { Store } from '../../ports/store.ts';
import { eventView } from './view.ts';

/** An event with its encoded form, shared by all readers. */
export interface LoggedEvent {
  readonly record: EventRecord;
  /** The event in the format of a stream. A short event is encoded once for all readers. */
  readonly frame: () => string;
}

export interface EventLog {
  /** At most `count` events with a serial above `serial`, oldest first. No event needs to have that serial. */
  after(serial: number, count: number): readonly LoggedEvent[];
  /** The events with a serial below `serial`, newest first. */
  before(serial: number): Iterable<LoggedEvent>;
  /** The serial after which the events at or after `time` (ms) follow. */
  positionAt(time: number): number;
  /** The oldest kept event, or undefined if no event is kept. */
  oldest(): EventRecord | undefined;
  latest(): EventRecord | undefined;
  /** Resolves once there is an event after that serial, after `ms`, or when the signal fires. */
  waitForEvent(serial: number, ms: number, signal: AbortSignal): Promise<void>;
}

/** Removed entries at the front of the array before it is compacted. */
const TRIM_AFTER = 1_024;

/**
 * Longest encoded event (characters) that is kept for the next reader. Encoding a longer one again costs less than the
 * memory.
 */
const CACHED_FRAME_LENGTH = 2_048;

const logged = (record: EventRecord): LoggedEvent => {
  let written: string | undefined;
  const frame = () => {
    if (written !== undefined) return written;
    const frame = encodeEvent({ event: record.type, id: String(record.serial), data: eventView(record) });
    if (frame.length <= CACHED_FRAME_LENGTH) written = frame;
    return frame;
  };
  return { record, frame };
};

/** A log to which the watcher of the store appends. */
interface GrowingLog extends EventLog {
  append(record: EventRecord): void;
}

const createLog = (store: Pick<Store, 'get'>): GrowingLog => {
  let entries: LoggedEvent[] = [];
  /** Index of the oldest kept event. Events are removed oldest first. */
  let first = 0;
  const waiting = new Set<() => void>();
  const lastSerial = (): number => entries.at(-1)?.record.serial ?? 0;

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

  /** Index of the first entry for which `isReached` is true. It must be true for all later entries as well. */
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
    append(record) {
      if (record.serial <= lastSerial()) return;
      entries.push(logged(record));
      const wake = [...waiting];
      waiting.clear();
      for (const go of wake) go();
    },
    after(serial, count) {
      const from = indexOf((record) => record.serial > serial);
      return entries.slice(from, from + count);
    },
    before: function* (serial) {
      for (let at = indexOf((record) => record.serial >= serial) - 1; at >= first; at -= 1) {
        const entry = entries[at];
        if (entry !== undefined) yield entry;
      }
    },
    positionAt(time) {
      const at = indexOf((record) => record.at >= time);
      return at === first ? 0 : (entries[at - 1]?.record.serial ?? 0);
    },
    oldest() {
      trim();
      return entries[first]?.record;
    },
    latest() {
      trim();
      return entries.length > first ? entries.at(-1)?.record : undefined;
    },
    waitForEvent: (serial, ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || lastSerial() > serial) return resolve();
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

/**
 * Reads the kept events and watches the store. Returns the log of a tenant. Create it before the first transaction
 * whose events it must contain.
 */
export const createEventLogs = (store: Pick<Store, 'all' | 'get' | 'watch'>): ((tenant: string) => EventLog) => {
  const logs = new Map<string, GrowingLog>();
  const logOf = (tenant: string): GrowingLog => {
    const log = logs.get(tenant) ?? createLog(store);
    logs.set(tenant, log);
    return log;
  };
  for (const event of store.all('events')) if (!event.retired) logOf(event.tenant).append(event);
  store.watch('events', (event) => logOf(event.tenant).append(event));
  return logOf;
};
