// The executions that meet the filters, read in blocks when they are drawn.
import { signal } from '@preact/signals';
import { ask } from '../../api/call.ts';
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

/** Creates the listing. `draw` reads what is missing, `refresh` reads the drawn rows again. */
export const createListing = (filters: Filters) => {
  const conditions = conditionsOf(filters);
  const newestFirst = !filters.q;
  const total = signal<number | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  /** Changes whenever rows arrive. */
  const version = signal(0);
  const blocks = new Map<number, readonly ExecutionRow[]>();
  const reading = new Set<number>();
  let drawn = { first: 0, last: 40 };

  const page = async (skip: number, limit: number): Promise<readonly ExecutionRow[]> => {
    const answer = await ask('GET /actors/v2/search/:type', {
      params: { type: 'executions' },
      query: { ...conditions, skip, limit },
    });
    total.value = answer._metadata.totalCount;
    problem.value = undefined;
    return answer.search as unknown as readonly ExecutionRow[];
  };

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problem.value =
        error instanceof ApiFailure && error.status === 404 ? 'There is no such actor.' : wordFailure(error);
      if (error instanceof ApiFailure && (error.status === 404 || error.status === 400)) total.value = 0;
    }
    version.value += 1;
  };

  const read = async (block: number): Promise<void> => {
    if (reading.has(block)) return;
    reading.add(block);
    await attempt(async () => {
      blocks.set(block, await page(block * BLOCK, BLOCK));
    });
    reading.delete(block);
  };

  const needed = (): readonly number[] =>
    total.value === undefined || total.value === 0 ? [] : blocksOf(drawn.first, drawn.last, total.value, newestFirst);

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
      for (const block of needed()) if (!blocks.has(block)) void read(block);
    },
    refresh: async (): Promise<void> => {
      await attempt(async () => {
        await page(0, 1);
      });
      const now = needed();
      await Promise.all(now.map(read));
      // What is not drawn is read again when it is.
      for (const block of blocks.keys()) if (!now.includes(block)) blocks.delete(block);
    },
  };
};
