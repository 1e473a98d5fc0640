// A search of executions that continues by itself through the cursors of the service.
import { signal } from '@preact/signals';
import { formatReadFailure } from '../../api/failure.ts';
import type { Answer, Query } from '../../api/routes.ts';
import type { Filters } from './listing.ts';

export type FoundPage = Answer<'GET /actors/v2/executions'>;
export type FoundRow = FoundPage['executions'][number];

/** Executions after which the search waits to be continued. */
const STEP = 200;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time of the address: `24h` before now, or itself. Undefined if it is empty. */
export const timeOf = (text: string | undefined, now: number): string | undefined => {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text ?? '') ?? [];
  return count === undefined ? text || undefined : new Date(now - Number(count) * (UNITS[unit] ?? 0)).toISOString();
};

const tookOf = ({ startTime, finishTime }: FoundRow, now: number): number =>
  startTime === undefined ? -1 : (finishTime === undefined ? now : Date.parse(finishTime)) - Date.parse(startTime);

/** @param read throws ApiFailure */
export const createFound = (
  { q, in: within, actor, status, since, until, order }: Filters,
  read: (query: Query, signal: AbortSignal) => Promise<FoundPage>,
  now: number,
) => {
  const query: Query = {
    text: q || undefined,
    in: q && (within === 'message' || within === 'log') ? within : undefined,
    actorId: actor || undefined,
    outcome: status || undefined,
    since: timeOf(since, now),
    until: timeOf(until, now),
    order: order === 'oldest' ? 'asc' : undefined,
    limit: STEP,
  };
  const rows = signal<readonly FoundRow[]>([]);
  const phase = signal<'searching' | 'stopped' | 'complete'>('searching');
  const searchedTo = signal<string | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  const seen = new Set<string>();
  let after: string | undefined;
  let controller: AbortController | undefined;

  const stop = (): void => {
    controller?.abort();
    controller = undefined;
    if (phase.value === 'searching') phase.value = 'stopped';
  };

  const add = (found: readonly FoundRow[]): void => {
    const fresh = found.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    if (fresh.length === 0) return;
    const all = [...rows.value, ...fresh];
    rows.value = order === 'longest' ? all.toSorted((a, b) => tookOf(b, now) - tookOf(a, now)) : all;
  };

  /** Searches until the end, until it is stopped, or until it has found a number of further executions. */
  const search = async (): Promise<void> => {
    const own = new AbortController();
    controller?.abort();
    controller = own;
    phase.value = 'searching';
    problem.value = undefined;
    const enough = rows.value.length + STEP;
    try {
      while (rows.value.length < enough) {
        const page = await read({ ...query, after }, own.signal);
        if (own.signal.aborted) return;
        add(page.executions);
        searchedTo.value = page.searchedTo ?? searchedTo.value;
        if (page.next === null) {
          phase.value = 'complete';
          return;
        }
        after = page.next;
      }
    } catch (error) {
      if (own.signal.aborted) return;
      problem.value = formatReadFailure(error);
    }
    phase.value = 'stopped';
  };

  return {
    rows,
    phase,
    searchedTo,
    problem,
    search,
    stop,
    /** Searches from the start, because executions do not change in a list of found ones. */
    again: (): void => {
      rows.value = [];
      seen.clear();
      after = undefined;
      searchedTo.value = undefined;
      void search();
    },
    positionOf: (id: string): number | undefined => {
      const at = rows.value.findIndex((row) => row.id === id);
      return at === -1 ? undefined : at;
    },
    range: async (from: number, to: number): Promise<readonly FoundRow[]> => rows.value.slice(from, to + 1),
  };
};
