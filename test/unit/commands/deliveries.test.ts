// How many deliveries `webhooks deliveries` reads: the shown ones, and all of them if it filters or sorts.
import { expect, it } from 'vitest';
import { webhooksCommand } from '../../../src/commands/events/webhooks.ts';
import type { Selection } from '../../../src/ui/format/view.ts';

const STORED = 2_500;
const start = Date.parse('2026-11-23T12:00:00Z');
/** Delivery `n` was created `n` seconds after the start. */
const stored = Array.from({ length: STORED }, (_, n) => ({
  id: String(n),
  createTime: new Date(start + n * 1_000).toISOString(),
}));

interface Query {
  readonly limit: number;
  readonly after?: number;
}

/** Runs the command, and returns its queries and the ids that it hands to the output. */
const listed = async (selection: Partial<Selection>, options: Readonly<Record<string, readonly string[]>> = {}) => {
  const asked: Query[] = [];
  let ids: readonly string[] = [];
  const call = async (_id: string, { query }: { readonly query: Query }) => {
    asked.push(query);
    const { limit, after } = query;
    const deliveries = after === undefined ? stored.slice(-limit) : stored.slice(after, after + limit);
    return { deliveries, next: String(after === undefined ? STORED : after + deliveries.length) };
  };
  const context = {
    call,
    output: {
      selection: { filters: [], limit: 50, offset: 0, all: false, ...selection },
      rows: (rows: readonly { readonly id: string }[]) => {
        ids = rows.map(({ id }) => id);
      },
    },
    // Names of actors are not requested with a nonce.
    settings: { nonce: { value: 'n' } },
    serviceClock: { ask: async () => start },
  };
  const action = await webhooksCommand.find(({ name }) => name === 'deliveries')?.load();
  await action?.bind({}, options)(context as never);
  return { asked, ids };
};

it.each<[string, Partial<Selection>]>([
  ['all', { all: true }],
  ['a filter', { filters: ['status=FAILED'] }],
  ['an order', { sort: 'url' }],
  ['a high limit', { limit: 5_000 }],
])('for %s, every page of deliveries is read, newest first', async (_name, selection) => {
  const { asked, ids } = await listed(selection);
  expect(asked.slice(1).map(({ after }) => after)).toEqual([0, 1_000, 2_000]);
  expect(ids).toEqual(stored.map(({ id }) => id).reverse());
});

it('by default one request reads the displayed deliveries plus one to detect more', async () => {
  const { asked, ids } = await listed({ byDefault: true });
  expect(asked).toEqual([{ limit: 51 }]);
  expect(ids).toHaveLength(51);
  expect(ids[0]).toBe(String(STORED - 1));
});

it('deliveries since a time within the newest page need one request', async () => {
  const since = stored[STORED - 10]?.createTime ?? '';
  const { asked, ids } = await listed({ all: true }, { since: [since] });
  expect(asked).toEqual([{ limit: 1_000 }]);
  expect(ids).toHaveLength(10);
});

it('deliveries since an earlier time are all read', async () => {
  const { ids } = await listed({ all: true }, { since: [stored[100]?.createTime ?? ''] });
  expect(ids).toHaveLength(STORED - 100);
  expect(ids.at(-1)).toBe('100');
});

it('with --newest only the newest deliveries are read', async () => {
  const { asked, ids } = await listed({ all: true }, { newest: ['3'] });
  expect(asked).toEqual([{ limit: 3 }]);
  expect(ids).toEqual(['2499', '2498', '2497']);
});
