// How many records a list of deliveries reads: about those that it shows, however many are stored.
import { describe, expect, it } from 'vitest';
import { deliveries } from '../../../daemon/actors/deliveries/service.ts';
import type { DeliveryRecord } from '../../../daemon/domain/records/event-records.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import type { ReadView } from '../../../daemon/ports/store.ts';
import { createTable, rules } from '../../../daemon/store/record-table.ts';
import { createReader } from '../../../daemon/store/table/reader.ts';

const ana: Caller = { tenant: 'DEV', username: 'ana', roles: [] };
const actor = { id: 'A', tenant: 'DEV', owner: 'ana', permissions: { ana: 'READ' } };

/** A service over `count` deliveries of one actor; every tenth has failed. */
const filled = (count: number) => {
  const table = createTable(rules.deliveries);
  for (let serial = 1; serial <= count; serial += 1) {
    const status = serial % 10 === 0 ? 'FAILED' : 'DELIVERED';
    const record = { id: `D${serial}`, serial, tenant: 'DEV', actorId: 'A', owner: 'ana', status, createdAt: 1 };
    table.set(record.id, { order: serial, record: record as DeliveryRecord });
  }
  let reads = 0;
  const reader = createReader<DeliveryRecord>({
    ...table,
    get: (id) => table.get(id)?.record,
    record(order) {
      reads += 1;
      return table.record(order);
    },
  });
  const store = {
    get: (collection: string, key: string) => (collection === 'actors' && key === 'A' ? actor : undefined),
    each: (_: string, index: string, values: string[], walk: object) => reader.each(index, values, walk),
    page: (_: string, index: string, values: string[], page: { limit: number }) => reader.page(index, values, page),
    countBy: (_: string, index: string, values: string[]) => reader.countBy(index, values),
  } as unknown as ReadView;
  const service = deliveries({ store } as unknown as Parameters<typeof deliveries>[0]);
  return async (query: Parameters<typeof service.list>[1]) => {
    reads = 0;
    const found = await service.list(ana, query, new AbortController().signal);
    return { serials: found.map(({ serial }) => serial), reads };
  };
};

describe('a list of deliveries', () => {
  it.each([{}, { actorId: 'A' }])('of %j reads the newest from the end', async (query) => {
    const list = filled(20_000);
    const { serials, reads } = await list({ ...query, limit: 3 });
    expect(serials).toEqual([19_998, 19_999, 20_000]);
    expect(reads).toBeLessThanOrEqual(4);
    expect((await list({ ...query, limit: 2, failed: true })).serials).toEqual([19_990, 20_000]);
  });

  it('after a cursor reads those that follow', async () => {
    for (const [after, serials] of [
      [0, [1, 2]],
      [12_345, [12_346, 12_347]],
      [19_999, [20_000]],
      [20_000, []],
    ] as const) {
      const found = await filled(20_000)({ after, limit: 2 });
      expect(found.serials).toEqual(serials);
      // The cursor is found in about log2(20 000) reads.
      expect(found.reads).toBeLessThan(20);
    }
  });
});
