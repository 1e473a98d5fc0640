// The executions that match the filters, read in blocks on demand.
import { signal } from '@preact/signals';
import { ApiFailure, formatReadFailure } from '../../api/failure.ts';
import type { Query } from '../../api/routes.ts';
import { BLOCK, blocksOf, positionOf } from '../../parts/row-blocks.ts';

export interface ExecutionRow {
  readonly id: string;
  readonly actorId: string;
  readonly status: string;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly statusMessage: string | null;
  readonly lastStderr: string | null;
  readonly trigger: string;
  readonly messageReceivedTime: string;
  readonly startTime: string | null;
  readonly finishTime: string | null;
}

/** The filters of the address. */
export interface Filters {
  /** A status of the service, or an outcome in words: `failed`, `timed_out`. */
  readonly status?: string | undefined;
  /** Id, alias or name of an actor. */
  readonly actor?: string | undefined;
  /** A text in messages and logs, in any case. */
  readonly q?: string | undefined;
  /** `message` or `log`: where to look for the text. Everywhere if absent. */
  readonly in?: string | undefined;
  /** An ISO time, or `1h`, `7d`: that long before now. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** `oldest`, or `longest` for the duration. The newest first if absent. */
  readonly order?: string | undefined;
}

/** True if the live list shows these executions. Everything else needs a search. */
export const isLive = ({ q, since, until, order }: Filters): boolean => !(q || since || until || order);

const NOT_ENDED_BY = JSON.stringify(['halted', 'timed_out', 'out_of_memory', 'out_of_disk']);

/** The same outcomes as `outcome` of the search. */
const statusConditions = (status: string): Query => {
  if (status === '' || status === status.toUpperCase()) return { status: status || undefined };
  const ended = { status: 'COMPLETE', 'reason.nin': NOT_ENDED_BY };
  if (status === 'failed') return { ...ended, 'exitCode.gt': 0 };
  if (status === 'complete') return { ...ended, 'exitCode.in': '[0,null]' };
  return { status: 'COMPLETE', reason: status };
};

const conditionsOf = ({ status = '', actor }: Filters): Query => ({
  ...statusConditions(status),
  actorId: actor || undefined,
});

export type Search = (query: Query) => Promise<{ readonly count: number; readonly rows: readonly ExecutionRow[] }>;

/** The rows of a response. An unchanged row stays the same object, so it is not rendered again. */
const unchanged = (before: readonly ExecutionRow[] = [], rows: readonly ExecutionRow[]): readonly ExecutionRow[] =>
  rows.map((row, at) => {
    const old = before[at];
    return old !== undefined && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });

/** Creates the listing. `draw` reads missing rows, `refresh` reads the rendered rows again. */
export const createListing = (filters: Filters, search: Search) => {
  const conditions = conditionsOf(filters);
  const total = signal<number | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  /** Changes whenever rows arrive. */
  const version = signal(0);
  const blocks = new Map<number, readonly ExecutionRow[]>();
  let filling = false;
  let drawn = { first: 0, last: 40 };

  const page = (skip: number, limit: number) => search({ ...conditions, skip, limit });
  const pageOf = (block: number) => page(block * BLOCK, BLOCK);

  /** Resolves with false if the work failed. */
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    let isDone = false;
    try {
      await work();
      problem.value = undefined;
      isDone = true;
    } catch (error) {
      problem.value =
        error instanceof ApiFailure && error.status === 404 ? 'There is no such actor.' : formatReadFailure(error);
      if (error instanceof ApiFailure && (error.status === 404 || error.status === 400)) total.value = 0;
    }
    version.value += 1;
    return isDone;
  };

  const needed = (count: number): readonly number[] => (count === 0 ? [] : blocksOf(drawn.first, drawn.last, count));

  const missing = (): number | undefined => needed(total.value ?? 0).find((block) => !blocks.has(block));

  /** Reads the rendered rows, one block after another. A block that was scrolled past meanwhile is skipped. */
  const fill = async (): Promise<void> => {
    if (filling) return;
    filling = true;
    for (let block = missing(); block !== undefined; block = missing()) {
      const at = block;
      const isDone = await attempt(async () => {
        blocks.set(at, (await pageOf(at)).rows);
      });
      // The next refresh tries again.
      if (!isDone) break;
    }
    filling = false;
  };

  return {
    total,
    problem,
    version,
    row: (at: number): ExecutionRow | undefined => {
      if (total.value === undefined) return undefined;
      const position = positionOf(at, total.value);
      return blocks.get(Math.floor(position / BLOCK))?.[position % BLOCK];
    },
    loaded: (): readonly ExecutionRow[] => [...blocks.values()].flat(),
    /** The position of a loaded execution in the order of the service. */
    positionOf: (id: string): number | undefined => {
      for (const [block, rows] of blocks) {
        const at = rows.findIndex((row) => row.id === id);
        if (at !== -1) return block * BLOCK + at;
      }
      return undefined;
    },
    /** Reads the rows from one position to another, both included. */
    range: async (from: number, to: number): Promise<readonly ExecutionRow[]> => {
      const rows: ExecutionRow[] = [];
      for (let skip = from; skip <= to; skip += BLOCK)
        rows.push(...(await page(skip, Math.min(BLOCK, to - skip + 1))).rows);
      return rows;
    },
    draw: (first: number, last: number): void => {
      drawn = { first, last };
      void fill();
    },
    // Rows and their number change together, because a number alone would show rows that are not loaded yet.
    refresh: (): Promise<boolean> =>
      attempt(async () => {
        const { first, last } = drawn;
        const before = needed(total.value ?? 0);
        const read = new Map<number, readonly ExecutionRow[]>();
        // Every page contains the total number, so a separate request for it is needed only before the first page.
        let count = before.length === 0 ? (await page(0, 1)).count : (total.value ?? 0);
        for (;;) {
          const wanted = count === 0 ? [] : blocksOf(first, last, count);
          const pages = wanted
            .filter((block) => !read.has(block))
            .map(async (block) => [block, await pageOf(block)] as const);
          if (pages.length === 0) break;
          for (const [block, found] of await Promise.all(pages)) {
            read.set(block, found.rows);
            count = found.count;
          }
        }
        // Rows that are not rendered are read again when they are. Rendered rows may have moved, but still exist.
        const kept = new Set([...before, ...needed(count), ...read.keys()]);
        for (const block of blocks.keys()) if (!kept.has(block)) blocks.delete(block);
        for (const [block, rows] of read) blocks.set(block, unchanged(blocks.get(block), rows));
        total.value = count;
      }),
  };
};
