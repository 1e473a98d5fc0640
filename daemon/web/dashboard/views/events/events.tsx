// The events: a live list, deliveries to webhooks, or one event.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { EventView } from '../../../../../src/contract/actors/events.ts';
import { formatEventOutcome } from '../../../../../src/contract/outcome.ts';
import { ask } from '../../api/call.ts';
import { formatReadFailure } from '../../api/failure.ts';
import { KEPT, liveConnected, liveEvents, liveGap } from '../../api/live.ts';
import { ActorName } from '../../parts/actor-name.tsx';
import { commandLine } from '../../parts/command.ts';
import { nameOf } from '../../parts/names.ts';
import { hasFailed } from '../../parts/outcome.ts';
import { Problem } from '../../parts/problem.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { formatClock, formatMoment } from '../../parts/time.ts';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { hashOf, type ViewProps } from '../../shell/place.ts';
import { filter } from '../../shell/router.ts';
import { Deliveries } from './deliveries.tsx';
import { DeliveryPage } from './delivery-page.tsx';
import { EventPage } from './event-page.tsx';
import { type EventFilters, hasGap, isWanted, merged, newerThan, storedQuery } from './merge.ts';

const none: readonly EventView[] = [];

interface Stored {
  readonly events: readonly EventView[];
  /** True if there are older events. */
  readonly more: boolean;
  /** The last live event at the time of the read. */
  readonly after: EventView | undefined;
}

/** Pause (ms) before a failed read is repeated. */
const RETRY_MS = 5_000;

/** Reads the newest stored events, again for each new type or actor. Until a read ends, the previous events stay. */
const useStored = (type: string, actor: string) => {
  const stored = useSignal<Stored | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const reading = useSignal(true);
  const failures = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    const after = liveEvents.peek().at(-1);
    reading.value = true;
    ask('GET /actors/v2/events', { query: storedQuery({ type, actor }), signal: controller.signal })
      .then(
        ({ events, more }) => {
          stored.value = { events, more, after };
          problem.value = undefined;
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          problem.value = formatReadFailure(error);
          retry = setTimeout(() => {
            failures.value += 1;
          }, RETRY_MS);
        },
      )
      .finally(() => {
        if (!controller.signal.aborted) reading.value = false;
      });
    return () => {
      controller.abort();
      clearTimeout(retry);
    };
  }, [type, actor, failures.value, stored, problem, reading, failures]);
  return { stored: stored.value, problem: problem.value, isReading: reading.value };
};

const outcomeOf = (event: EventView): string =>
  [formatEventOutcome(event), event.status_message ?? ''].filter((part) => part !== '').join(': ');

const isFailure = ({ status = 'COMPLETE', exit_code: exitCode, reason }: EventView): boolean =>
  hasFailed({ status, exitCode, reason });

const heads = ['Time', 'Type', 'Actor', 'Outcome', 'Execution'] as const;

const cells = (event: EventView | undefined) => {
  if (event === undefined) return [];
  const time = event.event_time_utc * 1_000;
  const [seconds, fraction] = formatClock(time).split('.');
  return [
    <time title={formatMoment(time)}>
      {seconds}
      <span class="wide">.{fraction}</span>
    </time>,
    <a class="mono" data-row href={hashOf(['events', event.id])}>
      {safe(event.event_type)}
    </a>,
    <ActorName id={event.actor_id} />,
    <span class={isFailure(event) ? 'bad' : 'soft'}>{safe(outcomeOf(event))}</span>,
    event.execution_id === undefined ? (
      ''
    ) : (
      <a class="mono soft" href={hashOf(['executions', event.execution_id])}>
        {safe(event.execution_id)}
      </a>
    ),
  ];
};

const Tail = ({ filters }: { readonly filters: EventFilters }) => {
  const { type, actor, q } = filters;
  const { stored, problem, isReading } = useStored(type, actor);
  const paused = useSignal<readonly EventView[] | undefined>(undefined);
  const live = paused.value ?? liveEvents.value;
  const gap = hasGap(stored?.after, live, KEPT);
  const older = stored === undefined || gap ? none : stored.events;
  const all = useMemo(() => merged(older, live), [older, live]);
  const chosen = useMemo(
    () => all.filter((event) => isWanted(event, { type, actor, q: '' }, nameOf)),
    [all, type, actor],
  );
  const rows = useMemo(
    () => chosen.filter((event) => isWanted(event, { type, actor, q }, nameOf)),
    [chosen, type, actor, q],
  );
  // Types seen before stay selectable while only events of one type are read.
  const seen = useRef(new Set<string>());
  const types = useMemo(() => {
    for (const { event_type } of all) seen.current.add(event_type);
    return [...seen.current].sort();
  }, [all]);
  const isPart = gap || stored?.more === true;
  const count = rows.length.toLocaleString('en');
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField placeholder="Type, actor, execution" value={q} onSearch={(text) => filter({ q: text })} />
        <select aria-label="Type" value={type} onChange={(event) => filter({ type: event.currentTarget.value })}>
          <option value="">All types</option>
          {[...new Set([...types, ...(type === '' ? [] : [type])])].map((each) => (
            <option key={each} value={each}>
              {safe(each)}
            </option>
          ))}
        </select>
        <button
          type="button"
          aria-pressed={paused.value !== undefined}
          onClick={() => {
            paused.value = paused.value === undefined ? liveEvents.value : undefined;
          }}
        >
          {paused.value === undefined ? 'Pause' : `Resume, ${newerThan(paused.value, liveEvents.value)} new`}
        </button>
      </form>
      {liveGap.value ? (
        <p class="problem" role="alert">
          Some events were deleted by retention while this page was away.
        </p>
      ) : null}
      <Problem text={problem} />
      {rows.length === 0 ? (
        <p class="panel empty">
          {isReading
            ? 'Reading the events…'
            : all.length === 0 && `${type}${actor}` === ''
              ? 'No events yet.'
              : 'No event matches.'}
        </p>
      ) : (
        <VirtualRows
          label="Events"
          heads={heads}
          columns="event-rows"
          isTall
          total={rows.length}
          rowAt={(at) => rows[at]}
          cells={cells}
          listing={`${type} ${actor} ${q}`}
        />
      )}
      <p class="soft">
        {q !== '' && isPart
          ? `${count} of the newest ${chosen.length.toLocaleString('en')} that were searched`
          : `${count} shown`}
        , the newest first. The last {KEPT.toLocaleString('en')} stay on the page
        {liveConnected.value ? '' : '; the stream is being connected'}.
      </p>
    </>
  );
};

export const Events = ({ place }: ViewProps) => {
  const [, part, delivery] = place.path;
  const { type = '', actor = '', q = '', failed } = place.query;
  if (part === 'deliveries' && delivery !== undefined) return <DeliveryPage key={delivery} id={delivery} />;
  if (part !== undefined && part !== 'deliveries') return <EventPage key={part} id={part} />;
  const tail = commandLine(
    'events',
    'tail',
    ...(type === '' ? [] : ['--type', type]),
    ...(actor === '' ? [] : ['--actor', actor]),
  );
  return (
    <>
      <div class="head">
        <h1>Events</h1>
        <Command
          line={part === undefined ? tail : commandLine('webhooks', 'deliveries', ...(failed ? ['--failed'] : []))}
        />
      </div>
      <Tabs label="Parts of the events" current={part ?? ''}>
        <a href={hashOf(['events'])} aria-current={part === undefined ? 'page' : undefined}>
          Events
        </a>
        <a href={hashOf(['events', 'deliveries'])} aria-current={part === undefined ? undefined : 'page'}>
          Webhook deliveries
        </a>
      </Tabs>
      {part === undefined ? <Tail filters={{ type, actor, q }} /> : <Deliveries failed={failed === 'true'} />}
    </>
  );
};
