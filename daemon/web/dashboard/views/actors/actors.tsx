// The actors: a list with the current activity of each, or one actor.
import { useMemo } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { Ago } from '../../parts/ago.tsx';
import { commandLine } from '../../parts/command.ts';
import { knownOf, wordIn } from '../../parts/known-names.ts';
import { Problem } from '../../parts/problem.tsx';
import { FoundRows } from '../../parts/search/found-rows.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Status } from '../../parts/status.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf, type ViewProps } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { ActorPage } from './actor-page.tsx';
import { ActorForm } from './edit/actor-form.tsx';
import {
  type ActorRow,
  formatRate,
  imageParts,
  matches,
  type Order,
  orderOf,
  orders,
  type Statistics,
  sorted,
} from './rows.ts';
import { sparkPath } from './spark-path.ts';

const SPARK_WIDTH = 84;
const SPARK_HEIGHT = 20;

const Spark = ({ values, label }: { readonly values: readonly number[]; readonly label: string }) => {
  if (values.every((value) => value === 0)) return <span class="soft">–</span>;
  return (
    <svg class="spark" viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} role="img" aria-label={label}>
      <path d={sparkPath(values, SPARK_WIDTH, SPARK_HEIGHT)} fill="none" stroke="currentColor" stroke-width="1.25" />
    </svg>
  );
};

const EVERY_MS = 5_000;
const AFTER_EVENT_MS = 1_000;

/** Sorts actors, newest first. */
const readActors = async (signal: AbortSignal): Promise<readonly Omit<ActorRow, 'now' | 'address'>[]> => {
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

const counted = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`;

const Count = ({ count }: { readonly count: number | undefined }) =>
  count === undefined || count === 0 ? <span class="soft">–</span> : <span>{count}</span>;

const heads = [
  ...(['Actor', 'Status', 'Image', 'Owner', 'Schedule'] as const),
  ...(['Running', 'Waiting', 'Last hour', 'Failed', 'Last run'] as const),
];

const cells = (row: ActorRow | undefined) => {
  if (row === undefined) return [];
  const { id, name, address, status, stateless, image, owner, cronSchedule, cronOn, now, lastExecutionTime } = row;
  const recent = now?.recent ?? [];
  const [start, end] = imageParts(image);
  return [
    <a data-row href={hashOf(['actors', address])}>
      {safe(name === '' ? id : name)}
    </a>,
    <>
      <Status status={status} />
      <span class="soft">{stateless ? '' : ' stateful'}</span>
    </>,
    <span class="soft ends" title={safe(image)}>
      <span>{safe(start)}</span>
      <span>{safe(end)}</span>
    </span>,
    <span class="soft">{safe(owner)}</span>,
    cronSchedule === undefined ? (
      ''
    ) : (
      <span class="soft" title={safe(`${cronSchedule} in ${row.cronTimeZone ?? 'UTC'}`)}>
        {safe(cronOn ? cronSchedule : `off: ${cronSchedule}`)}
      </span>
    ),
    <Count count={now?.running} />,
    <Count count={now?.waiting} />,
    <Spark values={recent} label={`${counted(recent.reduce((sum, count) => sum + count, 0))} in the last hour`} />,
    now === undefined || now.ended === 0 ? (
      <span class="soft">–</span>
    ) : (
      <span class={now.failed > 0 ? 'bad' : 'soft'} title={`${now.failed} of ${now.ended} executions of the last hour`}>
        {formatRate(now)}
      </span>
    ),
    <Ago time={lastExecutionTime} />,
  ];
};

const List = ({ q, by }: { readonly q: string; readonly by: Order }) => {
  const { value, problem } = usePolled('actors', readActors, {
    every: EVERY_MS,
    afterEvents: AFTER_EVENT_MS,
    concerns: ({ event_type }) => event_type === 'ACTOR_READY' || event_type === 'ACTOR_ERROR',
  });
  const { value: busy } = usePolled('busy', readNow, { every: EVERY_MS, afterEvents: AFTER_EVENT_MS });
  const all = value.value;
  const now = busy.value;
  const known = useMemo(
    () =>
      knownOf(
        all ?? [],
        (all ?? []).flatMap(({ aliases = [] }) => aliases),
      ),
    [all],
  );
  const rows = useMemo(
    () =>
      sorted(
        (all ?? [])
          .filter((row) => matches(row, q))
          .map((row): ActorRow => ({ ...row, now: now?.get(row.id), address: wordIn(known, row.id) })),
        by,
      ),
    [all, now, q, by, known],
  );
  return (
    <>
      <Problem text={problem.value} />
      <FoundRows
        label="Actors"
        heads={heads}
        columns="actor-rows"
        isTall
        cells={cells}
        listing={`${by} ${q}`}
        of={all?.length}
        rows={rows}
        none="There is no actor yet. Create one here, or with:"
        command="actorctl actors init my-actor"
        noMatch="No actor matches."
      />
    </>
  );
};

export const Actors = ({ place }: ViewProps) => {
  const [, id] = place.path;
  if (id !== undefined) return <ActorPage key={id} id={id} tab={place.query['tab'] ?? ''} from={place.query['from']} />;
  if (place.query['create'] !== undefined)
    return (
      <>
        <div class="head">
          <h1>
            <a class="crumb" href={hashOf(['actors'])}>
              Actors /
            </a>{' '}
            New
          </h1>
        </div>
        <ActorForm />
      </>
    );
  const q = place.query['q'] ?? '';
  const by = orderOf(place.query['sort']);
  return (
    <>
      <div class="head">
        <h1>Actors</h1>
        <a class="button" href={hashOf(['actors'], { create: 'yes' })}>
          New actor
        </a>
        <Command line={commandLine('actors', 'list')} />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Name, id, image, owner" value={q} onSearch={(text) => filter({ q: text })} />
        <select aria-label="Sort by" value={by} onChange={(event) => filter({ sort: event.currentTarget.value })}>
          {Object.entries(orders).map(([order, word]) => (
            <option key={order} value={order}>
              {word}
            </option>
          ))}
        </select>
      </form>
      <List q={q} by={by} />
    </>
  );
};
