// Asking the service's search, page by page, for as many rows as are going to be shown.
import type { CommandContext } from '../../context.ts';
import { isFound, SEARCH_PAGE_MAX, type SearchType } from '../../contract/actors/search.ts';
import { CliFailure } from '../../failure.ts';
import type { ExecutionRow } from './views.ts';

/** A row of a search, as the service gave it: every field of its kind, null where there is no value. */
export type FoundRow = Readonly<Record<string, unknown>>;

/** Conditions on fields, as the wire has them: `status.neq` → `ERROR`. */
export type Conditions = Readonly<Record<string, string>>;

type Asker = Pick<CommandContext, 'call'>;

interface Page {
  readonly total: number;
  readonly rows: readonly FoundRow[];
}

/** Asks for the rows from `skip` on, at most `limit` of them. */
type AskPage = (paging: { readonly skip: number; readonly limit: number }) => Promise<Page>;

const pageOf = (answer: unknown): Page => {
  if (!isFound(answer)) throw new CliFailure('DAEMON_VERSION', 'the service does not search as this actorctl expects');
  return { total: answer._metadata.totalCount, rows: answer.search };
};

const everywhere =
  ({ call }: Asker, type: SearchType, conditions: Conditions): AskPage =>
  async (paging) =>
    pageOf(await call('search.find', { params: { type }, query: { ...conditions, ...paging } }));

/** Through the listing of one actor, which also answers who may read that actor without an entry: admins, a nonce. */
const executionsOfActor =
  ({ call }: Asker, actorId: string, conditions: Conditions): AskPage =>
  async (paging) =>
    pageOf(await call('executions.list', { params: { actorId }, query: { ...conditions, ...paging } }));

/** How many rows of a list can be shown at most: all where something but the service chooses or orders them. */
export const wanted = ({ output }: Pick<CommandContext, 'output'>): number => {
  const { selection } = output;
  if (selection === undefined || selection.all || selection.filters.length > 0 || selection.sort !== undefined) {
    return Number.MAX_SAFE_INTEGER;
  }
  return selection.offset + selection.limit;
};

/**
 * The first `most` rows of a search, in the order of the service.
 * @param enough asked after each page; true ends it early
 * @throws CliFailure VALIDATION and whatever else the service refuses
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

const textOf = (row: FoundRow, name: string): string => {
  const value = row[name];
  return typeof value === 'string' ? value : '';
};

const textOrNull = (row: FoundRow, name: string): string | null => textOf(row, name) || null;

/** Statuses and reasons are those of the contract: the row came from the service that keeps it. */
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
});

/**
 * The newest `most` executions that meet the conditions, newest first: of one actor, or of all that the caller may read. The
 * service answers oldest first, so more than one page of them is read from the end; what comes meanwhile may be missing.
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
    // Of what stands at the beginning only the part that is wanted as well is kept.
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
