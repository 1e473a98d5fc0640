// The executions that a search has found so far, each with the line that matches.
import { useEffect, useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { serviceNow } from '../../api/service-time.ts';
import { idOfName } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { safe } from '../../parts/text.ts';
import { formatMoment } from '../../parts/time.ts';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { hashOf } from '../../shell/place.ts';
import { executionCells, OutcomeDetail } from './execution-list.tsx';
import { createFound, type FoundRow } from './found.ts';
import type { Filters } from './listing.ts';
import { createSelection, SelectionBar } from './selection.tsx';

/** Time for which nothing is typed before the search begins. */
const TYPING_MS = 250;
/** Characters before the hit. A narrow column shows the last of them. */
const BEFORE = 40;

const headsWith = (column: string) => ['Execution', 'Status', 'Actor', column, 'Took', 'Received'] as const;
const textHeads = headsWith('Found');
/** Without a text, the column has the outcome, as in the list of all executions. */
const outcomeHeads = headsWith('Outcome');

const words = { id: 'id', statusMessage: 'status', message: 'message', log: 'log' } as const;

const Match = ({ id, match }: { readonly id: string; readonly match: NonNullable<FoundRow['match']> }) => {
  const { in: place, line, text, start, end } = match;
  const from = Math.max(0, start - BEFORE);
  return (
    <span class="match" title={safe(text)}>
      <a class="link" href={hashOf(['executions', id], { line: place === 'log' ? String(line) : undefined })}>
        {place === 'log' ? `log ${line}` : words[place]}
      </a>
      <span class="before mono">
        <span>{safe(`${from > 0 ? '…' : ''}${text.slice(from, start)}`)}</span>
      </span>
      <mark class="mono">{safe(text.slice(start, end))}</mark>
      <span class="after mono">{safe(text.slice(end))}</span>
    </span>
  );
};

const cellsWith = (selection: ReturnType<typeof createSelection>) => (row: FoundRow | undefined) =>
  row === undefined
    ? []
    : executionCells(
        row,
        selection,
        row.match === undefined ? <OutcomeDetail row={row} /> : <Match id={row.id} match={row.match} />,
      );

const foundText = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'execution' : 'executions'} found`;

export const FoundList = ({ filters }: { readonly filters: Filters }) => {
  const key = JSON.stringify({ ...filters, actor: filters.actor && idOfName(filters.actor) });
  const found = useMemo(
    () =>
      createFound(
        JSON.parse(key) as Filters,
        (query, signal) => ask('GET /actors/v2/executions', { query, signal }),
        serviceNow(),
      ),
    [key],
  );
  const selection = useMemo(() => createSelection(found), [found]);
  const cells = useMemo(() => cellsWith(selection), [selection]);
  useEffect(() => {
    const timer = setTimeout(() => void found.search(), TYPING_MS);
    return () => {
      clearTimeout(timer);
      found.stop();
    };
  }, [found]);
  const rows = found.rows.value;
  const rowAt = useMemo(() => (at: number) => rows[at], [rows]);
  const phase = found.phase.value;
  const to = found.searchedTo.value;
  const count = foundText(rows.length);
  const reached =
    to === undefined
      ? phase === 'searching'
        ? 'Searching'
        : 'The search has stopped.'
      : `Searched ${filters.order === 'oldest' ? 'up' : 'back'} to ${formatMoment(Date.parse(to))}, ${count}`;
  return (
    <>
      <Problem text={found.problem.value} />
      {rows.length > 0 ? (
        <VirtualRows
          label="Executions found"
          heads={filters.q ? textHeads : outcomeHeads}
          columns="execution-rows found-rows"
          isTall
          total={rows.length}
          rowAt={rowAt}
          cells={cells}
          listing={key}
        />
      ) : phase === 'complete' ? (
        <p class="panel empty">No execution matches.</p>
      ) : null}
      <div class="below-rows">
        {/* Said once at the end: the visible text changes with each response. */}
        <p class="visually-hidden" role="status">
          {phase === 'searching' ? '' : phase === 'complete' ? `${count}.` : `The search has stopped. ${count}.`}
        </p>
        <p class="soft">
          {phase === 'complete' ? count : reached}
          {filters.order === 'longest' ? ', sorted by duration among those found. The command sorts by time only.' : ''}
        </p>
        {phase === 'searching' ? (
          <button type="button" onClick={found.stop}>
            Stop
          </button>
        ) : (
          <>
            {phase === 'stopped' && to !== undefined ? (
              <button type="button" onClick={() => void found.search()}>
                Continue
              </button>
            ) : null}
            <button type="button" class="quiet" onClick={found.again}>
              Search again
            </button>
          </>
        )}
        <SelectionBar selection={selection} total={rows.length} listing={found} onDone={found.again} />
      </div>
    </>
  );
};
