// The work for each reader of a stream of events: one write for all new events, and bytes that readers share.
import { afterEach, describe, expect, it } from 'vitest';
import { eventAccess } from '../../../daemon/actors/events/access.ts';
import { createEncoder, createEventLogs } from '../../../daemon/actors/events/log.ts';
import { tailEvents } from '../../../daemon/actors/events/tail.ts';
import type { EventRecord } from '../../../daemon/domain/records/event-records.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import type { ReadView } from '../../../daemon/ports/store.ts';
import { actorRecord } from '../../support/service/records.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

const caller: Caller = { tenant: 'DEV', username: 'ana', roles: [] };
const eventOf = (serial: number, more: Partial<EventRecord> = {}): EventRecord => ({
  number: serial,
  serial,
  tenant: 'DEV',
  actorId: 'a',
  owner: 'ana',
  type: 'NOTICE',
  at: serial,
  ...more,
});

describe('the encoder', () => {
  it('shares the bytes among readers of the same events', () => {
    const encode = createEncoder('E');
    const [one, two] = [eventOf(1), eventOf(2)];
    const both = encode([one, two]);
    expect(encode([one, two]).bytes).toBe(both.bytes);
    expect(encode([two]).bytes.toString()).not.toContain('id: E.1\n');
    expect(encode([one]).bytes.toString()).not.toContain('id: E.2\n');
  });

  it('ends a write after 64 KiB, but never within an event', () => {
    const encode = createEncoder('E');
    const large = Array.from({ length: 4 }, (_, at) => eventOf(at + 1, { statusMessage: 'x'.repeat(30_000) }));
    const { bytes, count } = encode(large);
    expect(count).toBe(3);
    expect(bytes.toString()).toMatch(/id: E\.3\n.*\n\n$/);
    expect(encode([eventOf(9, { statusMessage: 'x'.repeat(200_000) })]).count).toBe(1);
  });
});

describe('the check of a batch', () => {
  it('looks up each actor once, and a deleted actor for each event', () => {
    const actors = new Map(['a', 'b'].map((id) => [id, actorRecord(id, { permissions: { ana: 'READ' } })]));
    let lookUps = 0;
    const view = {
      get: (collection: string, key: string) => {
        if (collection !== 'actors') return { createdAt: 0 };
        lookUps += 1;
        return actors.get(key);
      },
    } as unknown as ReadView;
    const mayRead = eventAccess(view, caller, true);
    const batch = Array.from({ length: 100 }, (_, at) => eventOf(at, { actorId: at % 2 === 0 ? 'a' : 'b' }));
    expect(batch.every(mayRead)).toBe(true);
    expect(lookUps).toBe(2);
    expect([eventOf(1, { actorId: 'gone' }), eventOf(2, { actorId: 'gone' })].every(mayRead)).toBe(true);
    expect(lookUps).toBe(4);
  });
});

describe('a reader', () => {
  const over = new AbortController();
  afterEach(() => over.abort());

  it('is authorized once and written to once for all events that became durable together', async () => {
    const store = memoryStore();
    const log = createEventLogs(store)('DEV');
    const written: string[] = [];
    let checks = 0;
    const stream = {
      send: async () => true,
      ready: async () => !over.signal.aborted,
      write: (frames: Uint8Array) => void written.push(String(frames)),
      end: () => undefined,
    };
    void tailEvents({
      log,
      stream,
      start: { serial: 0 },
      filter: () => () => true,
      reauthorize: async () => {
        checks += 1;
        return caller;
      },
      signal: over.signal,
    });
    for (const first of [1, 21]) {
      await store.transact((tx) => {
        for (let at = 0; at < 20; at += 1) tx.put('events', eventOf(first + at));
      });
      await expect.poll(() => written.at(-1)).toContain(`id: 0.${first + 19}\n`);
    }
    expect(written.map((frames) => frames.match(/^id: /gm)?.length)).toEqual([20, 20]);
    expect(checks).toBe(2);
  });

  it('yields to others while it skips many long events that do not match', async () => {
    const store = memoryStore();
    const log = createEventLogs(store)('DEV');
    await store.transact((tx) => {
      for (let at = 1; at <= 60; at += 1) tx.put('events', eventOf(at, { statusMessage: 'x'.repeat(30_000) }));
    });
    const stop = new AbortController();
    const { signal } = stop;
    let checked = 0;
    const stream = {
      send: async () => true,
      ready: () => !signal.aborted,
      write: () => undefined,
      end: () => undefined,
    };
    void tailEvents({
      log,
      stream,
      start: { serial: 0 },
      filter: () => () => {
        checked += 1;
        return false;
      },
      reauthorize: () => caller,
      signal,
    });
    const perTurn: number[] = [];
    while (checked < 60) {
      const before = checked;
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(checked - before);
    }
    stop.abort();
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(3);
  });

  it('is notified together with all others in one later turn', async () => {
    const store = memoryStore();
    const log = createEventLogs(store)('DEV');
    const { signal } = new AbortController();
    const seen: string[] = [];
    const readers = [1, 2].map((reader) => {
      const newEvent = log.waiter(60_000, signal);
      return newEvent(0).then(() => seen.push(`${reader}: ${log.after(0, 10).length}`));
    });
    store.watch('events', ({ number }) => seen.push(`stored ${number}`));
    await store.transact((tx) => {
      for (const number of [1, 2, 3]) tx.put('events', eventOf(number));
    });
    await Promise.all(readers);
    expect(seen).toEqual(['stored 1', 'stored 2', 'stored 3', '1: 3', '2: 3']);
  });
});
