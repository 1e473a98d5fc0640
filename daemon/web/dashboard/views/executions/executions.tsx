// The executions: filters and a list that scrolls through all of them, or one execution.
import { useEffect, useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { ActorName } from '../../parts/actor-name.tsx';
import { Ago, Took } from '../../parts/ago.tsx';
import { readNames } from '../../parts/names.ts';
import { formatReason, hasFailed } from '../../parts/outcome.ts';
import { Problem } from '../../parts/problem.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Status } from '../../parts/status.tsx';
import { TerminalLine } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { hashOf, type ViewProps } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { listingCommand } from './command.ts';
import { Detail } from './detail.tsx';
import { createListing, type ExecutionRow, type Filters, type Search } from './listing.ts';

const EVERY_MS = 3_000;
const AFTER_EVENT_MS = 1_000;

const statuses = [
  ['', 'All'],
  ['RUNNING', 'Running'],
  ['SUBMITTED', 'Waiting'],
  ['COMPLETE', 'Complete'],
  ['failed', 'Exit code not 0'],
  ['ERROR', 'Error'],
  ['CANCELLED', 'Cancelled'],
] as const;

const search: Search = async (query) => {
  const { _metadata, search: rows } = await ask('GET /actors/v2/search/:type', {
    params: { type: 'executions' },
    query,
  });
  return { count: _metadata.totalCount, rows: rows as unknown as readonly ExecutionRow[] };
};

const heads = ['Execution', 'Status', 'Actor', 'Outcome', 'Took', 'Received'] as const;

const cells = (row: ExecutionRow | undefined) =>
  row === undefined
    ? [<span class="soft">…</span>]
    : [
        <a class="mono" data-row href={hashOf(['executions', row.id])}>
          {row.id}
        </a>,
        <Status status={row.status} failed={hasFailed(row)} />,
        <ActorName id={row.actorId} />,
        <span class={hasFailed(row) ? 'bad' : 'soft'}>{safe(formatReason(row))}</span>,
        <Took from={row.startTime} to={row.finishTime} />,
        <Ago time={row.messageReceivedTime} />,
      ];

const List = ({ filters }: { readonly filters: Filters }) => {
  const key = JSON.stringify(filters);
  const listing = useMemo(() => createListing(JSON.parse(key) as Filters, search), [key]);
  usePolled(key, listing.refresh, { every: EVERY_MS, afterEvents: AFTER_EVENT_MS });
  useEffect(readNames, []);
  const total = listing.total.value;
  // The signal is read here, so that arriving rows are rendered.
  void listing.version.value;
  return (
    <>
      <Problem text={listing.problem.value} />
      {total === undefined ? null : total === 0 ? (
        <p class="panel empty">No execution matches.</p>
      ) : (
        <VirtualRows
          label="Executions"
          heads={heads}
          columns="execution-rows"
          total={total}
          rowAt={(at) => listing.row(at)}
          cells={cells}
          onDrawn={listing.draw}
          listing={key}
        />
      )}
      <p class="soft" role="status">
        {total === undefined ? '' : `${total.toLocaleString('en')} ${total === 1 ? 'execution' : 'executions'}`}
      </p>
    </>
  );
};

export const Executions = ({ place }: ViewProps) => {
  const [, id] = place.path;
  if (id !== undefined) return <Detail key={id} id={id} />;
  const { status, actor, q } = place.query;
  const filters: Filters = { status, actor, q };
  return (
    <>
      <div class="head">
        <h1>Executions</h1>
        <TerminalLine line={listingCommand(filters)} />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Id, user, outcome" value={q ?? ''} onSearch={(text) => filter({ q: text })} />
        <select
          aria-label="Status"
          value={status ?? ''}
          onChange={(event) => filter({ status: event.currentTarget.value })}
        >
          {statuses.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        <input
          aria-label="Actor, by id or alias"
          placeholder="Actor id or alias"
          value={actor ?? ''}
          onChange={(event) => filter({ actor: event.currentTarget.value })}
        />
      </form>
      <List filters={filters} />
    </>
  );
};
