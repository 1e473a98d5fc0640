// How many records a search reads: those of its page where its conditions are values of an index, otherwise all.
import { describe, expect, it } from 'vitest';
import { createSearchGate, searchService } from '../../../daemon/actors/search/service.ts';
import type { ActorRecord, ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Caller } from '../../../daemon/http/route-handler.ts';
import type { ReadView } from '../../../daemon/ports/store.ts';
import { createTable, rules } from '../../../daemon/store/record-table.ts';
import { createReader } from '../../../daemon/store/table/reader.ts';
import { executionRecord } from '../../support/service/records.ts';

const statuses = ['COMPLETE', 'COMPLETE', 'ERROR', 'COMPLETE'] as const;
const actorIds = ['Aaaaaaaaaaaaa', 'Abbbbbbbbbbbb', 'Asecretsecret'] as const;
const ana: Caller = { tenant: 'DEV', username: 'ana', roles: [] };

const actor = (id: string): ActorRecord =>
  ({ id, tenant: 'DEV', owner: 'ana', permissions: id === actorIds[2] ? {} : { ana: 'READ' } }) as ActorRecord;

/** A service over `count` executions of three actors in turn, of which ana may read two. Searches change nothing in it. */
const filled = (count: number) => {
  const known = services.get(count) ?? fill(count);
  services.set(count, known);
  return known;
};
const services = new Map<number, ReturnType<typeof fill>>();

const fill = (count: number) => {
  const table = createTable(rules.executions);
  const made: ExecutionRecord[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = `E${String(n).padStart(12, '0')}`;
    const status = statuses[n % statuses.length] ?? 'ERROR';
    const fields = { status, actorId: actorIds[n % actorIds.length] ?? '', sequence: n, exitCode: n % 5 };
    made.push(executionRecord(id, fields));
    table.set(id, { order: n, record: executionRecord(id, fields) });
  }
  let reads = 0;
  const reader = createReader<ExecutionRecord>({
    ...table,
    get: (id) => table.get(id)?.record,
    record(order) {
      reads += 1;
      return table.record(order);
    },
  });
  const actors = actorIds.map(actor);
  const store = {
    get: (collection: string, id: string) =>
      collection === 'actors' ? actors.find((each) => each.id === id) : reader.get(id),
    by: () => actors,
    each: (_: string, index: string, value: string, walk: object) => reader.each(index, value, walk),
    countBy: (_: string, index: string, value: string) => reader.countBy(index, value),
  } as unknown as ReadView;
  const service = searchService(
    {
      store,
      baseUrl: () => 'http://127.0.0.1',
      clock: { now: () => 1 },
    } as unknown as Parameters<typeof searchService>[0],
    createSearchGate(),
  );
  const find = async (query: Record<string, string>) => {
    reads = 0;
    const { signal } = new AbortController();
    const { _metadata, search } = await service.find({ caller: ana, type: 'executions', query, signal });
    return { total: _metadata.totalCount, ids: search.map(({ id }) => id), reads };
  };
  const readable = made.filter(({ actorId }) => actorId !== actorIds[2]);
  return { find, readable };
};

const inAll = () => true;
const isComplete = ({ status }: ExecutionRecord) => status === 'COMPLETE';
const isOfFirst = ({ actorId }: ExecutionRecord) => actorId === actorIds[0];

describe('a search of executions', () => {
  it.each<[Record<string, string>, (record: ExecutionRecord) => boolean]>([
    [{}, inAll],
    [{ status: 'COMPLETE' }, isComplete],
    [{ 'status.in': '["COMPLETE","RUNNING","COMPLETE"]' }, isComplete],
    [{ status: 'none' }, () => false],
    [{ actor_id: actorIds[0] }, isOfFirst],
    [{ actorId: actorIds[2] }, () => false],
    [{ actorId: actorIds[0], status: 'COMPLETE' }, (record) => isOfFirst(record) && isComplete(record)],
  ])('%j reads the page only, wherever it begins', async (query, matches) => {
    for (const count of [120, 12_000]) {
      const { find, readable } = filled(count);
      const all = readable.filter(matches).map(({ id }) => id);
      for (const skip of [0, Math.max(0, all.length - 5)]) {
        const ids = all.slice(skip, skip + 10);
        const found = await find({ ...query, skip: String(skip), limit: '10' });
        expect(found).toEqual({ total: all.length, ids, reads: ids.length });
      }
    }
  });

  it('for ids reads these records, in the order of their creation, and none of an actor that is not readable', async () => {
    const { find, readable } = filled(120);
    const [first, second] = readable.map(({ id }) => id);
    const secret = 'E000000000002';
    expect(await find({ id: String(second) })).toEqual({ total: 1, ids: [second], reads: 0 });
    expect(await find({ 'id.in': JSON.stringify([second, secret, first, second]) })).toMatchObject({
      total: 2,
      ids: [first, second],
    });
    expect(await find({ id: String(first), status: 'ERROR' })).toMatchObject({ total: 0 });
  });

  it('reads the remaining records of the index if there are further conditions', async () => {
    const { find, readable } = filled(12_000);
    const complete = readable.filter(isComplete);
    const found = await find({ status: 'COMPLETE', exit_code: '3', limit: '2' });
    expect(found).toMatchObject({
      total: complete.filter(({ exitCode }) => exitCode === 3).length,
      reads: complete.length,
    });
    expect(await find({ exactsearch: 'complete', limit: '1' })).toMatchObject({
      total: complete.length,
      reads: readable.length,
    });
    expect(await find({ 'status.neq': 'ERROR', limit: '1' })).toMatchObject({ total: complete.length });
  });
});
