// The kept events of each tenant in order, shared by every reader. A reader holds only its own position, and events of
// other tenants neither move nor wake it.
import { type EventRecord, eventKey } from '../../domain/records/event-records.ts';
import type { Store } from '../../ports/store.ts';
import { createEncoder, type Encoder } from './encoder.ts';

export interface EventLog {
  /** At most `count` events with a serial above `serial`, oldest first. No event needs to have that serial. */
  after(serial: number, count: number): readonly EventRecord[];
  /** The events with a serial below `serial`, newest first. */
  before(serial: number): Iterable<EventRecord>;
  /** The serial after which the events at or after `time` (ms) follow. */
  positionAt(time: number): number;
  /** The oldest kept event, or undefined if no event is kept. */
  oldest(): EventRecord | undefined;
  latest(): EventRecord | undefined;
  /**
   * Makes the function with which one reader waits for events. It resolves with true once there is an event after the
   * given serial, and with false after `ms` or when the signal fires.
   */
  waiter(ms: number, signal: AbortSignal): (serial: number) => Promise<boolean>;
  readonly encode: Encoder;
}

/** Removed entries at the front of the array before it is compacted. */
const TRIM_AFTER = 1_024;

/** A log to which the watcher of the store appends. */
interface GrowingLog extends EventLog {
  append(record: EventRecord): void;
}

const createLog = (store: Pick<Store, 'get'>): GrowingLog => {
  let entries: EventRecord[] = [];
  /** Index of the oldest kept event. Events are removed oldest first. */
  let first = 0;
  /** Wakes each waiting reader. */
  let waiting = new Set<() => void>();
  const lastSerial = (): number => entries.at(-1)?.serial ?? 0;

  const trim = (): void => {
    for (let entry = entries[first]; entry !== undefined; entry = entries[first]) {
      const kept = store.get('events', eventKey(entry.number));
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
      if (entry === undefined || isReached(entry)) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  return {
    append(record) {
      if (record.serial <= lastSerial()) return;
      entries.push(record);
      if (waiting.size === 0) return;
      const woken = waiting;
      waiting = new Set();
      for (const wake of woken) wake();
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
      return at === first ? 0 : (entries[at - 1]?.serial ?? 0);
    },
    oldest() {
      trim();
      return entries[first];
    },
    latest() {
      trim();
      return entries.length > first ? entries.at(-1) : undefined;
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
          if (signal.aborted || lastSerial() > serial) return resolve(!signal.aborted);
          settle = resolve;
          waiting.add(wake);
          timer.refresh();
        });
    },
    encode: createEncoder(),
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
