// A list that scrolls through all executions that match the filters.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { formatDetail, type Outcome } from '../../../../../src/contract/outcome.ts';
import { ask } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
import { usePolled } from '../../api/poll.ts';
import { ActorName } from '../../parts/actor-name.tsx';
import { Ago, Took } from '../../parts/ago.tsx';
import { idOfName, readNames } from '../../parts/names.ts';
import { hasFailed } from '../../parts/outcome.ts';
import { Problem } from '../../parts/problem.tsx';
import { ExecutionStatus } from '../../parts/status.tsx';
import { safe } from '../../parts/text.ts';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { hashOf } from '../../shell/place.ts';
import { createListing, type ExecutionRow, type Filters, type Search } from './listing.ts';
import { Box, createSelection, SelectionBar } from './selection.tsx';

const EVERY_MS = 3_000;
const AFTER_EVENT_MS = 1_000;

const search: Search = async (query) => {
  const { _metadata, search: rows } = await ask('GET /actors/v2/search/:type', {
    params: { type: 'executions' },
    query,
  });
  return { count: _metadata.totalCount, rows: rows as unknown as readonly ExecutionRow[] };
};

const heads = ['Execution', 'Status', 'Actor', 'Outcome', 'Took', 'Received'] as const;

/** What the status does not say, and the last line that a failed program wrote to stderr. */
export const OutcomeDetail = ({
  row,
}: {
  readonly row: Outcome & { readonly lastStderr?: string | null | undefined };
}) => {
  const text = safe([formatDetail(row), row.lastStderr ?? ''].filter((part) => part !== '').join(': '));
  return (
    <span class={hasFailed(row) ? 'bad' : 'soft'} title={text}>
      {text}
    </span>
  );
};

type Row = Parameters<typeof Box>[0]['row'] &
  Pick<ExecutionRow, 'messageReceivedTime'> & {
    readonly [name in 'startTime' | 'finishTime']?: string | null | undefined;
  };

/** The cells of an execution, with `about` for its outcome or for what a search found in it. */
export const executionCells = (row: Row, selection: ReturnType<typeof createSelection>, about: ComponentChildren) => [
  <>
    <Box row={row} selection={selection} />
    <a class="mono" data-row href={hashOf(['executions', row.id])}>
      {row.id}
    </a>
  </>,
  <ExecutionStatus execution={row} />,
  <ActorName id={row.actorId} />,
  about,
  <Took from={row.startTime} to={row.finishTime} />,
  <Ago time={row.messageReceivedTime} />,
];

const cellsWith = (selection: ReturnType<typeof createSelection>) => (row: ExecutionRow | undefined) =>
  row === undefined ? [<span class="soft">…</span>] : executionCells(row, selection, <OutcomeDetail row={row} />);
export const ExecutionList = ({ filters }: { readonly filters: Filters }) => {
  const { actor } = filters;
  const key = JSON.stringify({ ...filters, actor: actor && idOfName(actor) });
  const listing = useMemo(() => createListing(JSON.parse(key) as Filters, search), [key]);
  const selection = useMemo(() => createSelection(listing), [listing]);
  const cells = useMemo(() => cellsWith(selection), [selection]);
  const { again } = usePolled(key, listing.refresh, { every: EVERY_MS, afterEvents: AFTER_EVENT_MS });
  useEffect(readNames, []);
  const total = listing.total.value;
  const unknown = useSignal<string | undefined>(undefined);
  // A search for an unknown actor finds nothing, as one for an actor without executions.
  useEffect(() => {
    unknown.value = undefined;
    if (!actor || total !== 0) return undefined;
    // The filter may change before the response arrives.
    let gone = false;
    ask('GET /actors/v2/:actorId', { params: { actorId: idOfName(actor) } }).catch((error: unknown) => {
      if (!gone && error instanceof ApiFailure && error.status === 404) unknown.value = actor;
    });
    return () => {
      gone = true;
    };
  }, [actor, total, unknown]);
  // The signal is read here, so that arriving rows are rendered.
  const version = listing.version.value;
  useEffect(() => selection.refresh(listing.loaded()), [version, listing, selection]);
  return (
    <>
      <Problem text={listing.problem.value} />
      {total === undefined ? null : total === 0 ? (
        <p class="panel empty">
          {unknown.value !== undefined
            ? `There is no actor "${safe(unknown.value)}".`
            : filters.status
              ? 'No execution matches.'
              : 'No executions yet. A message starts one.'}
        </p>
      ) : (
        <VirtualRows
          label="Executions"
          heads={heads}
          columns="execution-rows"
          isTall
          total={total}
          rowAt={(at) => listing.row(at)}
          cells={cells}
          onDrawn={listing.draw}
          listing={key}
        />
      )}
      <div class="below-rows">
        <p class="soft" role="status">
          {total === undefined ? '' : `${total.toLocaleString('en')} ${total === 1 ? 'execution' : 'executions'}`}
        </p>
        <SelectionBar selection={selection} total={total ?? 0} listing={listing} onDone={again} />
      </div>
    </>
  );
};
