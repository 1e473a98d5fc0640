// The stored events of each tenant in order, shared by all readers. A reader holds only its own position. Events of
// other tenants neither move nor wake it. The log holds two numbers per event and reads the record from the store.
import { writeCursor } from '../../../src/contract/event-cursor.ts';
import { type EventRecord, eventKey, eventSerialKey } from '../../domain/records/event-records.ts';
import { encodeEvent } from '../../http/response/event-stream.ts';
import type { Store } from '../../ports/store.ts';
import { eventView } from './view.ts';

interface Encoded {
  readonly bytes: Buffer;
  readonly count: number;
}

/** Encodes as many events as fit into one write, and at least the first. `events` must not be empty. */
type Encoder = (events: readonly EventRecord[]) => Encoded;

/**
 * Maximum characters of one write, except that an event is never split. Bounds the memory that a slow reader can hold.
 */
const CHUNK = 65_536;
const frameOf = (record: EventRecord, epoch: string): string =>
  encodeEvent({ event: record.type, id: writeCursor(epoch, record.serial), data: eventView(record) });

export const createEncoder = (epoch: string): Encoder => {
  let latest: (Encoded & { readonly events: readonly EventRecord[] }) | undefined;

  return (events) => {
    if (latest?.events.length === events.length && events.every((event, at) => event === latest?.events[at])) {
      return latest;
    }
    let text = '';
    let count = 0;
    for (const event of events) {
      text += frameOf(event, epoch);
      count += 1;
      if (text.length >= CHUNK) break;
    }
    latest = { events, bytes: Buffer.from(text), count };
    return latest;
  };
};

export interface EventLog {
  /** The first part of its cursors. */
  readonly epoch: string;
  /**
   * Returns at most `count` events with a serial above `serial` (which need not exist), oldest first. Returns fewer
   * when the events are long.
   */
  after(serial: number, count: number): readonly EventRecord[];
  /**
   * Iterates the events with a serial above `serial`, oldest first, reading each one when the iteration reaches it. The
   * log may change meanwhile: removed events, and events appended after the start, are left out.
   */
  eachAfter(serial: number): Iterable<EventRecord>;
  /** Iterates the events with a serial below `serial`, newest first. Otherwise as `eachAfter`. */
  before(serial: number): Iterable<EventRecord>;
  /** The serial just before the first event at or after `time` (ms). */
  positionAt(time: number): number;
  /** Undefined if no event is stored. */
  oldest(): EventRecord | undefined;
  latest(): EventRecord | undefined;
  /**
   * Makes the function with which one reader waits for events. It resolves with true once there is an event after the
   * given serial, and with false after `ms` or when the signal fires. All readers wake in the same later turn of the
   * event loop, when everything that became durable together is available.
   */
  waiter(ms: number, signal: AbortSignal): (serial: number) => Promise<boolean>;
  readonly encode: Encoder;
}

/** Number of characters after which `after` reads no further event, because a reader cannot write more at once. */
const TEXT_AT_ONCE = 65_536;

/**
 * Number of removed entries at the front of the arrays before the arrays are compacted, and of appended entries before
 * the log looks for removed ones.
 */
const TRIM_AFTER = 1_024;

interface GrowingLog extends EventLog {
  append(record: EventRecord): void;
}

const createLog = (store: Pick<Store, 'get' | 'countBy'>, tenant: string, epoch: string): GrowingLog => {
  /** Serials and tenant numbers of the events, oldest first. */
  let serials: number[] = [];
  let numbers: number[] = [];
  /** Array index of the oldest stored event. Events are removed oldest first. */
  let first = 0;
  let removed = 0;
  /** Serials of events that were deleted after they were appended. */
  const retired = new Set<number>();
  let waiting = new Set<() => void>();
  let isWaking = false;
  const wakeAll = (): void => {
    isWaking = false;
    const woken = waiting;
    waiting = new Set();
    for (const wake of woken) wake();
  };
  const lastSerial = (): number => serials.at(-1) ?? 0;

  const isKept = (serial: number): boolean =>
    !retired.has(serial) && store.countBy('events', 'serial', eventSerialKey(tenant, serial)) > 0;

  const trim = (): void => {
    for (let serial = serials[first]; serial !== undefined && !isKept(serial); serial = serials[first]) {
      retired.delete(serial);
      first += 1;
    }
    if (first < TRIM_AFTER) return;
    serials = serials.slice(first);
    numbers = numbers.slice(first);
    removed += first;
    first = 0;
  };

  const recordAt = (index: number): EventRecord | undefined => {
    const number = numbers[index];
    return number === undefined ? undefined : store.get('events', eventKey(number));
  };

  const recordsIn = (from: number, to: number): readonly EventRecord[] => {
    const events: EventRecord[] = [];
    let length = 0;
    for (let index = from; index < to && length < TEXT_AT_ONCE; index += 1) {
      const record = recordAt(index);
      if (record === undefined) continue;
      events.push(record);
      length += record.statusMessage?.length ?? 0;
    }
    return events;
  };

  /** Index of the first entry for which `isReached` is true. It must also be true for all later entries. */
  const indexOf = (isReached: (index: number) => boolean): number => {
    trim();
    let low = first;
    let high = serials.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isReached(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  const firstAfter = (serial: number): number => indexOf((index) => (serials[index] ?? 0) > serial);

  return {
    epoch,
    append({ serial, number, retired: isRetired }) {
      if (isRetired) retired.add(serial);
      if (serial <= lastSerial()) return;
      serials.push(serial);
      numbers.push(number);
      if (waiting.size > 0 && !isWaking) {
        isWaking = true;
        // Readers wake after the store has begun its next write, so that this write does not wait for them.
        queueMicrotask(() => setImmediate(wakeAll));
      }
      // Without readers, nothing else trims the arrays, and they would grow as long as the daemon runs.
      if (serials.length % TRIM_AFTER === 0) trim();
    },
    after(serial, count) {
      const from = firstAfter(serial);
      return recordsIn(from, Math.min(from + count, serials.length));
    },
    *eachAfter(serial) {
      // Positions count from the first entry ever appended, because entries may be removed while a reader pauses.
      const start = firstAfter(serial);
      const end = removed + serials.length;
      for (let at = removed + start; at < end; at = Math.max(at + 1, removed)) {
        const record = recordAt(at - removed);
        if (record !== undefined) yield record;
      }
    },
    *before(serial) {
      const end = indexOf((index) => (serials[index] ?? 0) >= serial);
      for (let at = removed + end - 1; at >= removed + first; at -= 1) {
        const record = recordAt(at - removed);
        if (record !== undefined) yield record;
      }
    },
    positionAt(time) {
      const at = indexOf((index) => (recordAt(index)?.at ?? 0) >= time);
      return at === first ? 0 : (serials[at - 1] ?? 0);
    },
    oldest() {
      trim();
      return recordAt(first);
    },
    latest() {
      trim();
      return serials.length > first ? recordAt(serials.length - 1) : undefined;
    },
    waiter(ms, signal) {
      let settle: ((isThere: boolean) => void) | undefined;
      const wake = (): void => settle?.(true);
      const giveUp = (): void => {
        waiting.delete(wake);
        settle?.(false);
      };
      // Each reader reuses one timer and one listener, because creating them costs more than the wait.
      const timer = setTimeout(giveUp, ms);
      timer.unref();
      const end = (): void => {
        clearTimeout(timer);
        giveUp();
      };
      signal.addEventListener('abort', end, { once: true });
      return (serial) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve(false);
          // An event may be removed before it is read, so this branch must also yield.
          if (firstAfter(serial) < serials.length) return void setImmediate(resolve, true);
          settle = resolve;
          waiting.add(wake);
          timer.refresh();
        });
    },
    encode: createEncoder(epoch),
  };
};

/** The epoch of the cursors: `0` in data that an older version created. */
export const epochOf = (store: Pick<Store, 'get'>): string => store.get('meta', 'instance')?.epoch ?? '0';

/** Create it before the first transaction whose events the logs must contain. */
export const createEventLogs = (
  store: Pick<Store, 'all' | 'get' | 'countBy' | 'watch'>,
): ((tenant: string) => EventLog) => {
  const logs = new Map<string, GrowingLog>();
  const epoch = epochOf(store);
  const logOf = (tenant: string): GrowingLog => {
    const log = logs.get(tenant) ?? createLog(store, tenant, epoch);
    logs.set(tenant, log);
    return log;
  };
  for (const event of store.all('events')) if (!event.retired) logOf(event.tenant).append(event);
  store.watch('events', (event) => logOf(event.tenant).append(event));
  return logOf;
};
