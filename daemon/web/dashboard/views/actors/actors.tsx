// The actors: a list with the current activity of each, or one actor.
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { Ago } from '../../parts/ago.tsx';
import { commandLine } from '../../parts/command.ts';
import { Problem } from '../../parts/problem.tsx';
import { FoundRows } from '../../parts/search/found-rows.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Spark } from '../../parts/spark.tsx';
import { Status } from '../../parts/status.tsx';
import { TerminalLine } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf, type ViewProps } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { ActorPage } from './actor-page.tsx';
import { type ActorRow, matches, type Statistics } from './rows.ts';

const EVERY_MS = 5_000;
const AFTER_EVENT_MS = 1_000;

/** Sorts actors, newest first. */
const readActors = async (signal: AbortSignal): Promise<readonly Omit<ActorRow, 'now'>[]> => {
  const actors = await ask('GET /actors/v2', { query: { details: true }, signal });
  return Array.isArray(actors) ? actors.toReversed() : [];
};

/**
 * Current activity by actor id. It is read more often than the actors, because actor descriptions are many and large.
 */
const readNow = async (signal: AbortSignal): Promise<ReadonlyMap<string, Statistics>> => {
  const { busy } = await ask('GET /actors/v2/utilization/activity', { signal });
  return new Map(busy.map((row) => [row.id, row]));
};

const Count = ({ count }: { readonly count: number | undefined }) =>
  count === undefined || count === 0 ? <span class="soft">–</span> : <span>{count}</span>;

const heads = ['Actor', 'Status', 'Kind', 'Running', 'Waiting', 'Last hour', 'Last run'] as const;

const cells = (row: ActorRow | undefined) => {
  if (row === undefined) return [];
  const { id, name, status, stateless, now, lastExecutionTime } = row;
  const recent = now?.recent ?? [];
  return [
    <a data-row href={hashOf(['actors', id])}>
      {safe(name === '' ? id : name)}
    </a>,
    <Status status={status} />,
    <span class="soft">{stateless ? '' : 'stateful'}</span>,
    <Count count={now?.running} />,
    <Count count={now?.waiting} />,
    <Spark values={recent} label={`${recent.reduce((sum, count) => sum + count, 0)} messages in the last hour`} />,
    <Ago time={lastExecutionTime} />,
  ];
};

const List = ({ q }: { readonly q: string }) => {
  const { value, problem } = usePolled('actors', readActors, {
    every: EVERY_MS,
    afterEvents: AFTER_EVENT_MS,
    concerns: ({ event_type }) => event_type === 'ACTOR_READY' || event_type === 'ACTOR_ERROR',
  });
  const { value: busy } = usePolled('busy', readNow, { every: EVERY_MS, afterEvents: AFTER_EVENT_MS });
  const all = value.value;
  const now = busy.value;
  const rows = useMemo(
    () => (all ?? []).filter((row) => matches(row, q)).map((row): ActorRow => ({ ...row, now: now?.get(row.id) })),
    [all, now, q],
  );
  return (
    <>
      <Problem text={problem.value} />
      <FoundRows
        label="Actors"
        heads={heads}
        columns="actor-rows"
        cells={cells}
        listing={q}
        of={all?.length}
        rows={rows}
        none="There is no actor yet. This creates one:"
        command="actorctl actors init my-actor"
        noMatch="No actor matches."
      />
    </>
  );
};

export const Actors = ({ place }: ViewProps) => {
  const [, id] = place.path;
  if (id !== undefined) return <ActorPage key={id} id={id} tab={place.query['tab'] ?? ''} />;
  const q = place.query['q'] ?? '';
  return (
    <>
      <div class="head">
        <h1>Actors</h1>
        <TerminalLine line={commandLine('actors', 'list')} />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Name, id, image, owner" value={q} onSearch={(text) => filter({ q: text })} />
      </form>
      <List q={q} />
    </>
  );
};
