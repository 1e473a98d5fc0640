// Reads search results from the service page by page, and only as many as are shown.
import type { CommandContext } from '../../context.ts';
import type { SearchType } from '../../contract/actors/search.ts';
import { SEARCH_PAGE_MAX } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import type { ExecutionRow } from './views.ts';

/** A search result: every field of its kind, null where there is no value. */
export type FoundRow = Readonly<Record<string, unknown>>;

/** Conditions on fields, as query parameters: `status.neq` → `ERROR`. */
export type Conditions = Readonly<Record<string, string>>;

type Asker = Pick<CommandContext, 'call'>;

interface Page {
  readonly total: number;
  readonly rows: readonly FoundRow[];
}

type AskPage = (paging: { readonly skip: number; readonly limit: number }) => Promise<Page>;

const isPage = (answer: unknown): answer is ResultOf<Operations['search.find']> =>
  typeof answer === 'object' && answer !== null && '_metadata' in answer && 'search' in answer;

const pageOf = (answer: unknown): Page => {
  if (!isPage(answer))
    throw new CliFailure(
      'DAEMON_VERSION',
      'the service returned a search result that this actorctl does not understand',
    );
  return { total: answer._metadata.totalCount, rows: answer.search };
};

const everywhere =
  ({ call }: Asker, type: SearchType, conditions: Conditions): AskPage =>
  async (paging) =>
    pageOf(await call('search.find', { params: { type }, query: { ...conditions, ...paging } }));

/** Unlike the search, the list of one actor also serves admins and nonces that have no permission entry. */
const executionsOfActor =
  ({ call }: Asker, actorId: string, conditions: Conditions): AskPage =>
  async (paging) =>
    pageOf(await call('executions.list', { params: { actorId }, query: { ...conditions, ...paging } }));

/**
 * Returns how many rows to request: offset plus limit, or no limit (MAX_SAFE_INTEGER) if all rows are shown or actorctl
 * itself filters or sorts them. If the limit was not given, it is one row more, so that the output can say that more
 * rows exist.
 */
export const wanted = ({ output }: Pick<CommandContext, 'output'>): number => {
  const { selection } = output;
  if (selection === undefined || selection.all || selection.filters.length > 0 || selection.sort !== undefined) {
    return Number.MAX_SAFE_INTEGER;
  }
  return selection.offset + selection.limit + (selection.byDefault ? 1 : 0);
};

/**
 * Returns the first `most` rows, in the order of the service. @param enough called after each page; true stops
 * reading
 */
export const searchRows = async (
  context: Asker,
  type: SearchType,
  conditions: Conditions,
  most: number,
  enough: (rows: readonly FoundRow[]) => boolean = () => false,
): Promise<readonly FoundRow[]> => {
  const ask = everywhere(context, type, conditions);
  const found: FoundRow[] = [];
  for (;;) {
    const limit = Math.min(SEARCH_PAGE_MAX, most - found.length);
    const { total, rows } = await ask({ skip: found.length, limit });
    found.push(...rows);
    if (rows.length === 0 || found.length >= Math.min(most, total) || enough(rows)) return found;
  }
};

export const countExecutions = async (context: Asker, actorId: string, conditions: Conditions = {}): Promise<number> =>
  (await executionsOfActor(context, actorId, conditions)({ skip: 0, limit: 1 })).total;

const textOf = (row: FoundRow, name: string): string => {
  const value = row[name];
  return typeof value === 'string' ? value : '';
};

const textOrNull = (row: FoundRow, name: string): string | null => textOf(row, name) || null;

/**
 * Converts a search result to a row of an execution list. The casts are safe: the service checks statuses and reasons
 * against the same contract.
 */
const executionRowOf = (row: FoundRow): ExecutionRow => ({
  id: textOf(row, 'id'),
  actorId: textOf(row, 'actorId'),
  status: textOf(row, 'status') as ExecutionRow['status'],
  ...(typeof row['exitCode'] === 'number' && { exitCode: row['exitCode'] }),
  ...(typeof row['reason'] === 'string' && { reason: row['reason'] as NonNullable<ExecutionRow['reason']> }),
  ...(typeof row['trigger'] === 'string' && { trigger: row['trigger'] as NonNullable<ExecutionRow['trigger']> }),
  messageReceivedTime: textOrNull(row, 'messageReceivedTime'),
  startTime: textOrNull(row, 'startTime'),
  finishTime: textOrNull(row, 'finishTime'),
  ...(typeof row['runtimeMs'] === 'number' && { runtimeMs: row['runtimeMs'] }),
});

/**
 * Returns the newest `most` executions that meet the conditions, newest first, of one actor or of all that the caller
 * may read. The service lists the oldest first, so further pages are read from the end. Executions that start during
 * the read may be missing.
 */
export const newestExecutions = async (
  context: Asker,
  { actorId, conditions = {} }: { readonly actorId?: string; readonly conditions?: Conditions },
  most: number,
): Promise<readonly ExecutionRow[]> => {
  const ask =
    actorId === undefined
      ? everywhere(context, 'executions', conditions)
      : executionsOfActor(context, actorId, conditions);
  const first = await ask({ skip: 0, limit: Math.min(SEARCH_PAGE_MAX, most) });
  const found = [...first.rows];
  if (first.total > found.length) {
    const begin = Math.max(0, first.total - most);
    // Drops the rows of the first page that are older than the wanted ones.
    found.splice(0, begin);
    for (let skip = begin + found.length; skip < first.total; ) {
      const { rows } = await ask({ skip, limit: Math.min(SEARCH_PAGE_MAX, first.total - skip) });
      if (rows.length === 0) break;
      found.push(...rows);
      skip += rows.length;
    }
  }
  return found.map(executionRowOf).reverse();
};
