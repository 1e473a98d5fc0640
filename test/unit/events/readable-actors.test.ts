// The names of actors in a query of events: a deleted actor is found by its newest event, however many it has.
import { describe, expect, it } from 'vitest';
import { readableActorIds } from '../../../daemon/actors/events/access.ts';
import type { EventRecord } from '../../../daemon/domain/records/event-records.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import type { ReadView } from '../../../daemon/ports/store.ts';
import { createTable, rules } from '../../../daemon/store/record-table.ts';
import { createReader } from '../../../daemon/store/table/reader.ts';

const COUNT = 1_000;

/** A store with events 1 to 1000 of a deleted actor of ana, each at the time of its number. */
const filled = (userCreatedAt: number) => {
  const table = createTable(rules.events);
  for (let number = 1; number <= COUNT; number += 1) {
    const record = { tenant: 'DEV', number, serial: number, at: number, actorId: 'gone', owner: 'ana', type: 'NOTICE' };
    table.set(String(number), { order: number, record: record as EventRecord });
  }
  let reads = 0;
  const reader = createReader<EventRecord>({
    ...table,
    get: (key) => table.get(key)?.record,
    record(order) {
      reads += 1;
      return table.record(order);
    },
  });
  const store = {
    get: (collection: string) => (collection === 'users' ? { createdAt: userCreatedAt } : undefined),
    each: (_: string, index: string, value: string, walk: object) => reader.each(index, value, walk),
    page: (_: string, index: string, value: string, page: { limit: number }) => reader.page(index, value, page),
  } as unknown as ReadView;
  const caller = (username: string): Caller => ({ tenant: 'DEV', username, roles: [] });
  return { ask: (username: string) => readableActorIds(store, caller(username), ['gone']), reads: () => reads };
};

describe('the name of a deleted actor', () => {
  it.each([
    ['its owner', 'ana', 1],
    ['its owner, who was created before the last event only', 'ana', COUNT],
  ])('is a readable actor for %s', (_, username, createdAt) => {
    const { ask, reads } = filled(createdAt);
    expect([...ask(username)]).toEqual(['gone']);
    expect(reads()).toBe(1);
  });

  it.each([
    ['another user', 'bob', 1],
    ['a later user with the name of its owner', 'ana', COUNT + 1],
  ])('is an unknown actor for %s', (_, username, createdAt) => {
    const { ask, reads } = filled(createdAt);
    expect(() => ask(username)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(reads()).toBe(1);
  });
});
