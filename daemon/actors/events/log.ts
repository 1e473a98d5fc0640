// The kept events of each tenant in order, shared by every reader. A reader holds only its own position, and events of
// other tenants neither move nor wake it. The log holds two numbers for each event and reads its record from the store.
import { type EventRecord, eventKey, eventSerialKey } from '../../domain/records/event-records.ts';
import { encodeEvent } from '../../http/response/event-stream.ts';
import type { Store } from '../../ports/store.ts';
import { eventView } from './view.ts';

interface Encoded {
  readonly bytes: Buffer;
  readonly count: number;
}

/** Encodes as many of the events as one write may contain, and at least the first. `events` must not be empty. */
type Encoder = (events: readonly EventRecord[]) => Encoded;

/** Characters of one write; one event is always whole. It bounds the memory that a slow reader can hold. */
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

export interface EventLog {
  /** At most `count` events with a serial above `serial` (which need not exist), fewer when long; oldest first. */
  after(serial: number, count: number): readonly EventRecord[];
  /**
   * The events with a serial above `serial`, oldest first, each read when the iteration reaches it. Changes in between
   * are allowed: removed events and those that were appended after the start are left out.
   */
  eachAfter(serial: number): Iterable<EventRecord>;
  /** The events with a serial below `serial`, newest first, as `eachAfter`. */
  before(serial: number): Iterable<EventRecord>;
  /** The serial after which the events at or after `time` (ms) follow. */
  positionAt(time: number): number;
  /** Undefined if no event is kept. */
  oldest(): EventRecord | undefined;
  latest(): EventRecord | undefined;
  /**
   * Makes the function with which one reader waits for events. It resolves with true in a later turn of the event loop,
   * once an event is after the given serial, and with false after `ms` or when the signal fires. All readers are woken in
   * one turn, in which everything that became durable together is there.
   */
  waiter(ms: number, signal: AbortSignal): (serial: number) => Promise<boolean>;
  readonly encode: Encoder;
}

/** Characters of text after which `after` reads no further event. A reader cannot write more of them at once. */
const TEXT_AT_ONCE = 65_536;

/** Removed entries at the front of the arrays before they are compacted, and appended ones before they are looked for. */
const TRIM_AFTER = 1_024;

interface GrowingLog extends EventLog {
  append(record: EventRecord): void;
}

const createLog = (store: Pick<Store, 'get' | 'countBy'>, tenant: string): GrowingLog => {
  /** Serials and numbers of the events, oldest first. */
  let serials: number[] = [];
  let numbers: number[] = [];
  /** Index of the oldest kept event. Events are removed oldest first. */
  let first = 0;
  let removed = 0;
  /** Serials of the events that were retired after they were appended. */
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

  /** Index of the first entry for which `isReached` is true. It must be true for all later entries as well. */
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
    append({ serial, number, retired: isRetired }) {
      if (isRetired) retired.add(serial);
      if (serial <= lastSerial()) return;
      serials.push(serial);
      numbers.push(number);
      if (waiting.size > 0 && !isWaking) {
        isWaking = true;
        // After the next write of the store has begun, so that the write does not wait for the readers.
        queueMicrotask(() => setImmediate(wakeAll));
      }
      // Without readers nothing else trims, and the arrays would grow for as long as the daemon runs.
      if (serials.length % TRIM_AFTER === 0) trim();
    },
    after(serial, count) {
      const from = firstAfter(serial);
      return recordsIn(from, Math.min(from + count, serials.length));
    },
    *eachAfter(serial) {
      // Counted from the first entry that there was, because a reader may pause while entries are removed.
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
      // Timer and listener are made once for each reader, because making them costs more than the wait.
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
          // The event may be removed before it is read, so other work gets a turn here too.
          if (firstAfter(serial) < serials.length) return void setImmediate(resolve, true);
          settle = resolve;
          waiting.add(wake);
          timer.refresh();
        });
    },
    encode: createEncoder(),
  };
};

/** Create it before the first transaction whose events the logs must contain. */
export const createEventLogs = (
  store: Pick<Store, 'all' | 'get' | 'countBy' | 'watch'>,
): ((tenant: string) => EventLog) => {
  const logs = new Map<string, GrowingLog>();
  const logOf = (tenant: string): GrowingLog => {
    const log = logs.get(tenant) ?? createLog(store, tenant);
    logs.set(tenant, log);
    return log;
  };
  for (const event of store.all('events')) if (!event.retired) logOf(event.tenant).append(event);
  store.watch('events', (event) => logOf(event.tenant).append(event));
  return logOf;
};
