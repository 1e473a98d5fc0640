// A list of events with a rare filter checks the events in slices, between which other work gets a turn.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEventLogs } from '../../../daemon/actors/events/log.ts';
import { events } from '../../../daemon/actors/events/service.ts';
import type { EventRecord } from '../../../daemon/domain/records/event-records.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import type { ReadView, Watch } from '../../../daemon/ports/store.ts';

const ana: Caller = { tenant: 'DEV', username: 'ana', roles: [] };
const COUNT = 5_000;

/** A service over events of one actor, the last of which is RARE. Each reading of the clock advances it by 1 ms. */
const filled = () => {
  const kept = new Map<string, EventRecord>();
  for (let number = 1; number <= COUNT; number += 1) {
    const type = number === COUNT ? 'RARE' : 'NOTICE';
    const record = { number, serial: number, tenant: 'DEV', actorId: 'A', owner: 'ana', type, at: number };
    kept.set(String(number), record as EventRecord);
  }
  const actor = { id: 'A', tenant: 'DEV', owner: 'ana', permissions: { ana: 'READ' } as Record<string, string> };
  const seen = { reads: 0, inTurn: 0, mostInTurn: 0 };
  const store = {
    all: () => [...kept.values()],
    get(collection: string, key: string) {
      if (collection === 'actors') return actor;
      if (collection !== 'events') return undefined;
      if (seen.inTurn === 0) {
        void turn().then(() => {
          seen.inTurn = 0;
        });
      }
      seen.reads += 1;
      seen.inTurn += 1;
      seen.mostInTurn = Math.max(seen.mostInTurn, seen.inTurn);
      return kept.get(key);
    },
    countBy: (_: string, __: string, key: string) => ([...key.matchAll(/\d+/g)].every(([n]) => kept.has(n)) ? 1 : 0),
    watch: (() => () => undefined) satisfies Watch,
  } as unknown as ReadView & { watch: Watch };
  const logs = createEventLogs(store);
  const service = events({ store } as unknown as Parameters<typeof events>[0], logs);
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1;
    return now;
  });
  const { signal } = new AbortController();
  const list = (query: Parameters<typeof service.list>[1]) => service.list(ana, query, signal);
  return { kept, actor, seen, list, log: logs('DEV') };
};

describe('a list of events with a rare filter', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(['asc', 'desc'] as const)('in the order %s reads a few events in each turn', async (order) => {
    const { seen, list } = filled();
    const page = await list({ type: ['RARE'], order });
    expect(page.events.map(({ id }) => id)).toEqual([String(COUNT)]);
    expect(seen.reads).toBeGreaterThan(COUNT - 1);
    expect(seen.mostInTurn).toBeLessThan(12);
  });

  it('shows no event after the caller lost the permission', async () => {
    const { actor, list } = filled();
    const page = list({ type: ['RARE'] });
    await turn();
    actor.owner = 'bob';
    actor.permissions = {};
    expect((await page).events).toEqual([]);
  });
});

describe('an iteration over the event log', () => {
  afterEach(() => vi.restoreAllMocks());

  it('skips events that are removed meanwhile, and no other event', () => {
    const { kept, log } = filled();
    const up: number[] = [];
    for (const { number } of log.eachAfter(0)) {
      up.push(number);
      if (number !== 2_000) continue;
      for (let gone = 1; gone <= 3_000; gone += 1) kept.delete(String(gone));
      log.oldest();
    }
    expect(up).toEqual([
      ...Array.from({ length: 2_000 }, (_, n) => n + 1),
      ...Array.from({ length: 2_000 }, (_, n) => n + 3_001),
    ]);
    const down: number[] = [];
    for (const { number } of log.before(9_999)) {
      down.push(number);
      if (number !== 4_900) continue;
      for (let gone = 3_001; gone <= 4_500; gone += 1) kept.delete(String(gone));
      log.oldest();
    }
    expect(down).toEqual(Array.from({ length: 500 }, (_, n) => COUNT - n));
  });
});
