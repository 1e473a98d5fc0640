// The search of executions on the page: it follows the cursors, can be stopped and continued, and sorts what it found.
import { describe, expect, it } from 'vitest';
import type { Query } from '../../../daemon/web/dashboard/api/routes.ts';
import { createFound, type FoundPage, timeOf } from '../../../daemon/web/dashboard/views/executions/found.ts';
import type { Filters } from '../../../daemon/web/dashboard/views/executions/listing.ts';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();

const page = (ids: readonly string[], next: string | null): FoundPage => ({
  executions: ids.map((id, index) => ({
    id,
    actorId: 'A',
    actorName: '',
    executor: 'dev',
    status: 'COMPLETE',
    trigger: 'message',
    messageReceivedTime: at(0),
    startTime: at(0),
    finishTime: at(index + id.length),
  })),
  next,
  searchedTo: at(-60),
  examined: ids.length,
});

/** A search whose service answers with these pages, one for each call of `answer`. */
const search = (filters: Filters, pages: readonly (FoundPage | Error)[]) => {
  const asked: Query[] = [];
  const open: (() => void)[] = [];
  const left = [...pages];
  const found = createFound(
    filters,
    async (query) => {
      asked.push(query);
      await new Promise<void>((resolve) => open.push(resolve));
      const next = left.shift();
      if (next === undefined || next instanceof Error) throw next ?? new Error('no page');
      return next;
    },
    NOW,
  );
  const answer = async (): Promise<void> => {
    open.shift()?.();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { found, asked, answer, ids: () => found.rows.value.map(({ id }) => id) };
};

describe('a search of executions on the page', () => {
  it('follows the cursors to the end, and shows an execution once', async () => {
    const { found, asked, answer, ids } = search({ q: 'disk' }, [page(['a'], 'c1'), page(['a', 'b'], null)]);
    void found.search();
    await answer();
    expect([ids(), found.phase.value, found.searchedTo.value]).toEqual([['a'], 'searching', at(-60)]);
    await answer();
    expect([ids(), found.phase.value]).toEqual([['a', 'b'], 'complete']);
    expect(asked.map(({ text, after }) => [text, after])).toEqual([
      ['disk', undefined],
      ['disk', 'c1'],
    ]);
  });

  it('continues where it was stopped', async () => {
    const { found, asked, answer, ids } = search({ q: 'disk' }, [
      page(['a'], 'c1'),
      page(['b'], 'c2'),
      page(['b'], null),
    ]);
    void found.search();
    await answer();
    found.stop();
    await answer();
    expect([ids(), found.phase.value]).toEqual([['a'], 'stopped']);
    void found.search();
    await answer();
    expect([ids(), found.phase.value]).toEqual([['a', 'b'], 'complete']);
    expect(asked.at(-1)).toMatchObject({ after: 'c1' });
  });

  it('stops after 200 executions, and after an error, which it shows', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `e${index}`);
    const { found, answer } = search({ q: 'disk' }, [page(many, 'c1'), new Error('The service is away.')]);
    void found.search();
    await answer();
    expect([found.rows.value.length, found.phase.value]).toEqual([200, 'stopped']);
    void found.search();
    await answer();
    expect([found.problem.value, found.phase.value]).toEqual(['The service is away.', 'stopped']);
  });

  it('sends the filters, with relative times as instants, and sorts by duration itself', async () => {
    const { found, asked, answer, ids } = search({ status: 'failed', actor: 'A', since: '1h', order: 'longest' }, [
      page(['a', 'bbbb', 'cc'], null),
    ]);
    void found.search();
    await answer();
    expect(asked).toEqual([
      {
        text: undefined,
        actorId: 'A',
        outcome: 'failed',
        since: at(-3_600),
        until: undefined,
        order: undefined,
        limit: 200,
        after: undefined,
      },
    ]);
    expect(ids()).toEqual(['bbbb', 'cc', 'a']);
    const oldest = search({ order: 'oldest' }, [page([], null)]);
    void oldest.found.search();
    expect(oldest.asked).toMatchObject([{ order: 'asc' }]);
  });

  it.each([
    ['7d', at(-7 * 86_400)],
    ['30m', at(-1_800)],
    ['', undefined],
    ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z'],
    ['soon', 'soon'],
  ])('reads the time "%s" of an address', (text, expected) => {
    expect(timeOf(text, NOW)).toBe(expected);
  });
});
