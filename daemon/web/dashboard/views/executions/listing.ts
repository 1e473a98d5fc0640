// The executions that meet the filters, read in blocks when they are drawn.
import { signal } from '@preact/signals';
import { ApiFailure, wordFailure } from '../../api/failure.ts';
import type { Query } from '../../api/routes.ts';
import { BLOCK, blocksOf, positionOf } from '../../parts/row-blocks.ts';

export interface ExecutionRow {
  readonly id: string;
  readonly actorId: string;
  readonly status: string;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly statusMessage: string | null;
  readonly trigger: string;
  readonly messageReceivedTime: string;
  readonly startTime: string | null;
  readonly finishTime: string | null;
}

export interface Filters {
  /** A status, or `failed` for an exit code other than 0. */
  readonly status?: string | undefined;
  /** Id or alias. */
  readonly actor?: string | undefined;
  /** Words. With words the best match is first. */
  readonly q?: string | undefined;
}

/** The conditions of a search. */
const conditionsOf = ({ status, actor, q }: Filters): Query => ({
  ...(status === 'failed' ? { status: 'COMPLETE', 'exitCode.gt': 0 } : { status: status || undefined }),
  actorId: actor || undefined,
  search: q || undefined,
});

/** Reads executions: how many meet the conditions, and some of them. */
export type Search = (query: Query) => Promise<{ readonly count: number; readonly rows: readonly ExecutionRow[] }>;

/** Creates the listing. `draw` reads what is missing, `refresh` reads the drawn rows again. */
export const createListing = (filters: Filters, search: Search) => {
  const conditions = conditionsOf(filters);
  const newestFirst = !filters.q;
  const total = signal<number | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  /** Changes whenever rows arrive. */
  const version = signal(0);
  const blocks = new Map<number, readonly ExecutionRow[]>();
  let filling = false;
  let drawn = { first: 0, last: 40 };

  const page = (skip: number, limit: number) => search({ ...conditions, skip, limit });

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      problem.value = undefined;
    } catch (error) {
      problem.value =
        error instanceof ApiFailure && error.status === 404 ? 'There is no such actor.' : wordFailure(error);
      if (error instanceof ApiFailure && (error.status === 404 || error.status === 400)) total.value = 0;
    }
    version.value += 1;
  };

  /** The blocks of the drawn rows among `count` rows. */
  const needed = (count: number): readonly number[] =>
    count === 0 ? [] : blocksOf(drawn.first, drawn.last, count, newestFirst);

  const missing = (): number | undefined => needed(total.value ?? 0).find((block) => !blocks.has(block));

  /** Reads what is drawn, one block after the other: a block that was scrolled past meanwhile is left out. */
  const fill = async (): Promise<void> => {
    if (filling) return;
    filling = true;
    for (let block = missing(); block !== undefined; block = missing()) {
      const at = block;
      await attempt(async () => {
        blocks.set(at, (await page(at * BLOCK, BLOCK)).rows);
      });
      // The next refresh tries again.
      if (problem.value !== undefined) break;
    }
    filling = false;
  };

  return {
    total,
    problem,
    version,
    row: (at: number): ExecutionRow | undefined => {
      if (total.value === undefined) return undefined;
      const position = positionOf(at, total.value, newestFirst);
      return blocks.get(Math.floor(position / BLOCK))?.[position % BLOCK];
    },
    draw: (first: number, last: number): void => {
      drawn = { first, last };
      void fill();
    },
    // Rows and their number change together. A number alone would show rows that are not there yet.
    refresh: (): Promise<void> =>
      attempt(async () => {
        const { count } = await page(0, 1);
        const read = needed(count).map(async (block) => [block, (await page(block * BLOCK, BLOCK)).rows] as const);
        const pages = await Promise.all(read);
        // What is not drawn is read again when it is.
        const drawnNow = needed(count);
        for (const block of blocks.keys()) if (!drawnNow.includes(block)) blocks.delete(block);
        for (const [block, rows] of pages) blocks.set(block, rows);
        total.value = count;
      }),
  };
};
