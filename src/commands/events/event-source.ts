// Events for the command line: page by page as they are kept, or as they happen, without a gap and none twice.
import type { Query } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import type { EventStreamReset, EventView } from '../../contract/actors/events.ts';
import { CliFailure } from '../../failure.ts';
import { wordDuration } from '../../ui/format/time.ts';

/** Events of a page. */
const PAGE = 1_000;

/** Where to begin, and of which events. */
export interface EventQuery {
  /** Behind this event; decides where both are given. */
  readonly after?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly types: readonly string[];
  /** Ids. */
  readonly actors: readonly string[];
}

/** How far a reader has come, and the event that it came to; there is none where nothing that happened is for him. */
export interface EventStep {
  readonly cursor: string;
  readonly event?: EventView;
}

type Asker = Pick<CommandContext, 'call' | 'output'>;

/** The choice of events, as the wire asks for it. */
export const choiceOf = ({ types, actors }: Pick<EventQuery, 'types' | 'actors'>): Query => ({
  ...(types.length > 0 && { type: types }),
  ...(actors.length > 0 && { actorId: actors }),
});

const beginOf = ({ after, since }: EventQuery): Query => ({
  ...(after !== undefined ? { after } : since !== undefined && { since }),
});

const tellReset = ({ output }: Pick<CommandContext, 'output'>, asked: string, oldest: string | null): void => {
  const on = oldest === null ? '' : `; going on with the oldest, ${oldest}`;
  output.warn(`event ${asked} is older than what is kept, so events behind it may be missing${on}`);
};

/**
 * Says from when on events are kept, where they are asked for from an earlier time on: what is not there may have been dropped.
 * @see cli.md R20
 */
export const tellOldest = async ({ call, output }: Asker, since: string): Promise<void> => {
  const { events, oldest } = await call('events.list', { query: { limit: 1 } });
  const [first] = events;
  // Of somebody else's event the time is not known.
  if (first === undefined || first.id !== oldest || first.event_time_display <= since) return;
  output.note(`the oldest event that is kept is of ${first.event_time_display}`);
};

/**
 * The events that are there now, oldest first, and at the end how far that is.
 * @param until ISO 8601; later ones are left out
 * @throws CliFailure NOT_FOUND for an unknown actor, VALIDATION for a cursor from the future
 */
export async function* storedEvents(
  context: Asker,
  query: EventQuery & { readonly until?: string },
): AsyncGenerator<EventStep, void, void> {
  const { until } = query;
  let begin = beginOf(query);
  for (;;) {
    const page = await context.call('events.list', {
      query: { ...choiceOf(query), ...begin, limit: PAGE, ...(until !== undefined && { until }) },
    });
    if (page.reset === true) tellReset(context, String(begin['after']), page.oldest);
    for (const event of page.events) yield { cursor: event.id, event };
    if (!page.more) {
      yield { cursor: page.next };
      return;
    }
    begin = { after: page.next };
  }
}

const parse = <T>(data: string): T => {
  try {
    return JSON.parse(data) as T;
  } catch (error) {
    throw new CliFailure('DAEMON_VERSION', 'the stream of events is not the JSON this actorctl expects', {
      cause: error,
    });
  }
};

/**
 * Counts what is replayed after a connection was lost, and says so once it has come: the newest event there is at the
 * reconnect tells when that is.
 */
const createReplayTeller = (context: Asker, query: EventQuery) => {
  let goneMs: number | undefined;
  let newest: number | undefined;
  let count = 0;
  const tell = (): void => {
    if (goneMs === undefined) return;
    const events = newest === undefined ? '' : `, ${count} ${count === 1 ? 'event' : 'events'} replayed`;
    context.output.note(`-- reconnected after ${wordDuration(goneMs)}${events} --`);
    goneMs = undefined;
  };
  return {
    reconnected: (ms: number): void => {
      // Lost again before the last replay was over: one line tells of both.
      goneMs = (goneMs ?? 0) + ms;
      newest = undefined;
    },
    /** Call it before each step is handed out. */
    step: async ({ cursor, event }: EventStep): Promise<void> => {
      if (goneMs === undefined) return;
      if (newest === undefined) {
        try {
          const { events } = await context.call('events.list', {
            query: { ...choiceOf(query), order: 'desc', limit: 1 },
          });
          newest = Number(events[0]?.id ?? 0);
        } catch (error) {
          if (!(error instanceof CliFailure)) throw error;
          // It is gone again, or says so by itself in a moment; the count is not worth a failure.
          return;
        }
      }
      if (event !== undefined && Number(cursor) <= newest) count += 1;
      if (Number(cursor) < newest) return;
      tell();
      count = 0;
    },
  };
};

export interface FollowInput {
  readonly signal: AbortSignal;
  /** Milliseconds without the service after which it gives up; 60 s unless given. */
  readonly patienceMs?: number;
}

/**
 * The events from where the query begins, and all that happen, until the signal fires. Without a beginning: from now on. The first
 * step tells where that is. Connections that break are taken up again, and what was missed meanwhile is told by count.
 * @throws CliFailure NOT_FOUND for an unknown actor, VALIDATION for a cursor from the future, NETWORK or DAEMON_NOT_RUNNING when
 * the service stays away, CANCELLED when the signal fires
 */
export async function* followEvents(
  context: Asker & Pick<CommandContext, 'stream'>,
  query: EventQuery,
  { signal, patienceMs }: FollowInput,
): AsyncGenerator<EventStep, void, void> {
  const replay = createReplayTeller(context, query);
  let seen = -1;
  const stream = context.stream('events.list', {
    query: { ...choiceOf(query), ...(query.after === undefined && beginOf(query)) },
    ...(query.after !== undefined && { lastEventId: query.after }),
    signal,
    onReconnect: replay.reconnected,
    ...(patienceMs !== undefined && { patienceMs }),
  });
  for await (const { event: name, id, data } of stream) {
    if (name === 'reset') {
      const { asked, oldest } = parse<EventStreamReset>(data);
      tellReset(context, asked, oldest);
    }
    if (id === undefined) continue;
    const step: EventStep = /^[A-Z]/.test(name) ? { cursor: id, event: parse<EventView>(data) } : { cursor: id };
    await replay.step(step);
    if (step.event !== undefined && Number(id) <= seen) continue;
    seen = Math.max(seen, Number(id));
    yield step;
  }
}
