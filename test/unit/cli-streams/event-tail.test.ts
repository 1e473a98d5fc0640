// The event log that all readers share, and the cursor notices of a quiet stream.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventLogs } from '../../../daemon/actors/events/log.ts';
import { type Tail, tailEvents } from '../../../daemon/actors/events/tail.ts';
import { Failure } from '../../../daemon/domain/failure.ts';
import type { StreamEvent } from '../../../daemon/http/response/event-stream.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import type { Store } from '../../../daemon/ports/store.ts';
import { createEventParser } from '../../../src/client/stream.ts';
import { memoryStore } from '../../support/store/memory-store.ts';

const put = (store: Store, ...numbers: readonly number[]) =>
  store.transact((tx) => {
    for (const number of numbers) {
      tx.put('events', {
        number,
        serial: number,
        tenant: 'DEV',
        actorId: 'a',
        owner: 'ana',
        type: 'NOTICE',
        at: number * 10,
      });
    }
  });

describe('the event log', () => {
  it('holds stored and new events, and drops expired ones', async () => {
    const store = memoryStore();
    await put(store, 2, 4);
    const log = createEventLogs(store)('DEV');
    await put(store, 7, 9);
    const behind = (number: number) => log.after(number, 10).map((event) => event.number);
    const ahead = (number: number) => [...log.before(number)].map((event) => event.number);
    expect([behind(0), behind(3), behind(4), behind(9)]).toEqual([[2, 4, 7, 9], [4, 7, 9], [7, 9], []]);
    expect([ahead(2), ahead(7), ahead(99)]).toEqual([[], [4, 2], [9, 7, 4, 2]]);
    expect([0, 20, 21, 90, 91].map((time) => log.positionAt(time))).toEqual([0, 0, 2, 7, 9]);
    await store.transact((tx) => {
      for (const key of ['2', '4']) tx.delete('events', key);
    });
    expect([log.oldest()?.number, log.latest()?.number, behind(0), ahead(99)]).toEqual([7, 9, [7, 9], [9, 7]]);
    await store.transact((tx) => {
      for (const key of ['7', '9']) tx.delete('events', key);
    });
    expect([log.oldest(), log.latest(), behind(0)]).toEqual([undefined, undefined, []]);
  });

  it('drops removed events even while there are no readers', async () => {
    const store = memoryStore();
    let looks = 0;
    const log = createEventLogs({
      ...store,
      countBy: (collection, index, value) => {
        looks += 1;
        return store.countBy(collection, index, value);
      },
    })('DEV');
    const batch = Array.from({ length: 300 }, (_, at) => at + 1);
    for (let round = 0; round < 12; round += 1) {
      const numbers = batch.map((number) => round * batch.length + number);
      await put(store, ...numbers);
      await store.transact((tx) => {
        for (const number of numbers) tx.delete('events', String(number));
      });
    }
    looks = 0;
    expect(log.latest()).toBeUndefined();
    expect(looks).toBeLessThanOrEqual(1_024 + batch.length);
  });

  it('whose events are all removed lets a reader wait for the next one', async () => {
    const store = memoryStore();
    await put(store, 1, 2);
    const log = createEventLogs(store)('DEV');
    await store.transact((tx) => {
      for (const key of ['1', '2']) tx.delete('events', key);
    });
    expect(log.latest()).toBeUndefined();
    const { signal } = new AbortController();
    expect(await log.waiter(5, signal)(0)).toBe(false);
    const waiting = log.waiter(60_000, signal)(0);
    await put(store, 3);
    expect(await waiting).toBe(true);
  });
});

describe('the records of the event log', () => {
  it('are read on demand', async () => {
    const store = memoryStore();
    await put(store, 1, 2, 3, 4, 5, 6);
    let reads = 0;
    const counting = {
      ...store,
      get: ((collection, key) => {
        if (collection === 'events') reads += 1;
        return store.get(collection, key);
      }) satisfies typeof store.get,
    };
    const log = createEventLogs(counting)('DEV');
    expect(reads).toBe(0);
    expect(log.after(2, 3).map(({ number }) => number)).toEqual([3, 4, 5]);
    expect(reads).toBe(3);
    for (const { number } of log.eachAfter(1)) if (number === 3) break;
    for (const { number } of log.before(99)) if (number === 5) break;
    expect(reads).toBe(3 + 2 + 2);
    await put(store, 7);
    expect(log.after(5, 9).map(({ number }) => number)).toEqual([6, 7]);
  });

  it('with long texts are read only as far as one write needs', async () => {
    const store = memoryStore();
    await put(store, 1, 2, 3, 4);
    const log = createEventLogs({
      ...store,
      get: (collection, key) => {
        const record = store.get(collection, key);
        return record && { ...record, statusMessage: 'x'.repeat(40_000) };
      },
    })('DEV');
    expect(log.after(0, 9).map(({ number }) => number)).toEqual([1, 2]);
    expect(log.after(2, 9).map(({ number }) => number)).toEqual([3, 4]);
  });

  it('are left out once they are retired', async () => {
    const store = memoryStore();
    await put(store, 1, 2);
    const log = createEventLogs(store)('DEV');
    await store.transact((tx) => {
      const event = tx.get('events', '1');
      if (event !== undefined) tx.put('events', { ...event, retired: true });
    });
    expect([log.oldest()?.number, log.after(0, 9).length]).toEqual([2, 1]);
  });
});

describe('a stream without matching events', () => {
  let over: AbortController;
  beforeEach(() => {
    over = new AbortController();
  });
  afterEach(() => over.abort());
  const caller: Caller = { tenant: 'DEV', username: 'ana', roles: [] };

  const start = (fields: Pick<Tail, 'log' | 'reauthorize' | 'filter'>) => {
    const sent: StreamEvent[] = [];
    const parse = createEventParser();
    const stream = {
      send: async (event: StreamEvent) => {
        sent.push(event);
        return true;
      },
      ready: async () => !over.signal.aborted,
      write: (frames: Uint8Array) => void sent.push(...parse(String(frames))),
      end: () => void sent.push({ event: 'over', data: '' }),
    };
    const done = tailEvents({ ...fields, stream, start: { serial: 0 }, signal: over.signal, quietMs: 5 });
    return { sent, done, names: () => sent.map(({ event, id }) => [event, id]) };
  };

  it('sends a cursor to resume from, once for each position', async () => {
    const store = memoryStore();
    const log = createEventLogs(store)('DEV');
    let passes = 0;
    const reauthorize = async (): Promise<Caller> => {
      passes += 1;
      return caller;
    };
    const tail = start({
      log,
      reauthorize,
      filter:
        () =>
        ({ number }) =>
          number === 9,
    });
    await put(store, 3, 5);
    await expect.poll(() => tail.names()).toHaveLength(2);
    await put(store, 9);
    await expect.poll(() => tail.names()).toHaveLength(3);
    // A quiet stream authorizes its reader in each pass. The second of two more passes begins after the first one is over.
    const before = passes;
    await expect.poll(() => passes).toBeGreaterThanOrEqual(before + 2);
    expect(tail.names()).toEqual([
      ['open', '0.0'],
      ['cursor', '0.5'],
      ['NOTICE', '0.9'],
    ]);
  });

  it('leaves the event loop to other work when a new event is removed before it is read', async () => {
    const store = memoryStore();
    await put(store, 1);
    let looks = 0;
    const removed = {
      ...store,
      get: () => {
        looks += 1;
        if (looks > 1_000_000) throw new Error('the stream leaves no turn to other work');
        return undefined;
      },
    };
    const tail = start({ log: createEventLogs(removed)('DEV'), reauthorize: () => caller, filter: () => () => true });
    setTimeout(() => over.abort(), 0);
    await tail.done;
    expect(looks).toBeGreaterThan(0);
    expect(tail.names()).toEqual([
      ['open', '0.0'],
      ['over', undefined],
    ]);
  });

  it('ends when its reader loses access', async () => {
    let calls = 0;
    const prove = async () => {
      calls += 1;
      if (calls > 3) throw new Failure('AUTH_FAILED', 'revoked');
      return caller;
    };
    const tail = start({ log: createEventLogs(memoryStore())('DEV'), reauthorize: prove, filter: () => () => true });
    await tail.done;
    expect(tail.names()).toEqual([
      ['open', '0.0'],
      ['over', undefined],
    ]);
  });
});
