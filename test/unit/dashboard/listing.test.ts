// How the dashboard reads a long list of executions while it is scrolled and while executions arrive.
import { expect, it } from 'vitest';
import type { Query } from '../../../daemon/web/dashboard/api/routes.ts';
import { createListing, type ExecutionRow } from '../../../daemon/web/dashboard/views/executions/listing.ts';

const rowsOf = (skip: number, limit: number, count: number): readonly ExecutionRow[] =>
  Array.from({ length: Math.max(0, Math.min(limit, count - skip)) }, (_, at) => ({
    id: `E${skip + at}`,
    actorId: 'A',
    status: 'COMPLETE',
    exitCode: 0,
    reason: null,
    statusMessage: null,
    lastStderr: null,
    trigger: 'message',
    messageReceivedTime: '2026-01-01T00:00:00.000Z',
    startTime: null,
    finishTime: null,
  }));

/** A service whose responses wait until `answer` is called. */
const service = (first: number) => {
  let count = first;
  const asked: number[] = [];
  const open: (() => void)[] = [];
  const listing = createListing({}, async ({ skip, limit }) => {
    if (limit !== 1) asked.push(Number(skip));
    await new Promise<void>((resolve) => open.push(resolve));
    return { count, rows: rowsOf(Number(skip), Number(limit), count) };
  });
  const answer = async (): Promise<void> => {
    for (const resolve of open.splice(0)) resolve();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  const refreshed = async (): Promise<void> => {
    const refresh = listing.refresh();
    await answer();
    await answer();
    await refresh;
  };
  return { listing, asked, answer, refreshed, grow: (by: number) => (count += by) };
};

it('a fast scroll loads the block where it stops, not every block on the way', async () => {
  const { listing, asked, answer, refreshed } = service(10_000);
  await refreshed();
  asked.length = 0;
  for (let at = 200; at <= 9_000; at += 50) listing.draw(at, at + 40);
  await answer();
  await answer();
  expect(asked).toEqual([9_700, 900]);
  expect(listing.row(9_020)?.id).toBe('E979');
});

it('rendered rows stay while more executions arrive', async () => {
  const { listing, answer, refreshed, grow } = service(150);
  await refreshed();
  grow(20);
  const refresh = listing.refresh();
  expect(listing.row(0)?.id).toBe('E149');
  await answer();
  await refresh;
  expect(listing.row(0)?.id).toBe('E169');
});

it('a refresh is one request, and one more for rows beyond the block', async () => {
  const { listing, asked, answer, refreshed, grow } = service(150);
  await refreshed();
  asked.length = 0;
  await refreshed();
  expect(asked).toEqual([100]);
  grow(60);
  asked.length = 0;
  await refreshed();
  expect(asked).toEqual([100, 200]);
  expect([0, 9, 10, 40].map((at) => listing.row(at)?.id)).toEqual(['E209', 'E200', 'E199', 'E169']);
  listing.draw(0, 40);
  await answer();
  expect(asked).toEqual([100, 200]);
});

it('a row that did not change stays the same object', async () => {
  const { listing, refreshed, grow } = service(150);
  await refreshed();
  const row = listing.row(0);
  grow(3);
  await refreshed();
  expect(listing.row(3)).toBe(row);
});

it('rendered rows are still there after others arrived above them', async () => {
  const { listing, refreshed, grow } = service(10_000);
  await refreshed();
  const row = listing.row(30);
  grow(300);
  await refreshed();
  expect(listing.row(330)).toBe(row);
});

it('a refresh keeps rows rendered meanwhile', async () => {
  const { listing, answer, refreshed } = service(10_000);
  await refreshed();
  const refresh = listing.refresh();
  await answer();
  listing.draw(5_000, 5_040);
  await answer();
  await answer();
  await refresh;
  expect(listing.row(5_020)?.id).toBe('E4979');
});

it.each([
  ['ERROR', { status: 'ERROR' }],
  ['', { status: undefined }],
  ['failed', { status: 'COMPLETE', 'exitCode.gt': 0, 'reason.nin': expect.stringContaining('timed_out') }],
  ['timed_out', { status: 'COMPLETE', reason: 'timed_out' }],
])('the outcome "%s" filters, and the newest match is first', async (status, conditions) => {
  const asked: Query[] = [];
  const listing = createListing({ status }, async (query) => {
    asked.push(query);
    return { count: 150, rows: rowsOf(Number(query['skip']), Number(query['limit']), 150) };
  });
  await listing.refresh();
  expect(asked).toContainEqual({ ...conditions, actorId: undefined, skip: 100, limit: 100 });
  expect(listing.row(0)?.id).toBe('E149');
});
