// Reads events from the service: stored ones page by page, or live ones, without gaps and duplicates.
import type { Query } from '../../client/transport.ts';
import type { CommandContext } from '../../context.ts';
import type { EventStreamReset, EventView } from '../../contract/actors/events.ts';
import { parseCursor, writeCursor } from '../../contract/event-cursor.ts';
import { parseExact } from '../../contract/exact-json.ts';
import { CliFailure } from '../../failure.ts';

const PAGE = 1_000;

export interface EventQuery {
  /** Cursor of the event to start after. Takes precedence over `since`. */
  readonly after?: string;
  /** ISO 8601 time. */
  readonly since?: string;
  readonly types: readonly string[];
  /** Actor ids. */
  readonly actors: readonly string[];
}

/** The cursor after a step, and its event. The event is absent if the service only advanced the cursor. */
export interface EventStep {
  readonly cursor: string;
  readonly event?: EventView;
}

type Asker = Pick<CommandContext, 'call' | 'output'>;
type Follower = Pick<CommandContext, 'call' | 'output' | 'connection' | 'stream'>;

export const choiceOf = ({ types, actors }: Pick<EventQuery, 'types' | 'actors'>): Query => ({
  ...(types.length > 0 && { type: types }),
  ...(actors.length > 0 && { actorId: actors }),
});

const beginOf = ({ after, since }: EventQuery): Query => ({
  ...(after !== undefined ? { after } : since !== undefined && { since }),
});

/** @param cursor a cursor of the service, which has the present epoch */
const tellReset = (
  { output }: Pick<CommandContext, 'output'>,
  asked: string,
  { cursor, oldest }: { readonly cursor: string; readonly oldest: string | null },
): void => {
  const on = oldest === null ? '' : `; continuing with the oldest, ${oldest}`;
  const { epoch, number = asked } = parseCursor(asked) ?? {};
  const isReplaced = epoch !== undefined && epoch !== parseCursor(cursor)?.epoch;
  const why = isReplaced ? 'is from before the data of the service were replaced' : 'is older than the stored events';
  output.warn(`event ${number} ${why}, so events after it may be missing${on}`);
};

const numberIn = (cursor: string): number => parseCursor(cursor)?.number ?? 0;

/**
 * Prints a note if the oldest stored event is later than the requested start, because earlier events may have been
 * deleted.
 */
export const tellOldest = async ({ call, output }: Asker, since: string): Promise<void> => {
  const { events, oldest } = await call('events.list', { query: { limit: 1 } });
  const [first] = events;
  // If the oldest event belongs to another user, its time is unknown.
  if (first === undefined || first.id !== oldest || first.event_time_display <= since) return;
  output.note(`the oldest stored event is from ${first.event_time_display}`);
};

/**
 * Yields the stored events, oldest first, and at the end the final cursor.
 * @param until ISO 8601; later events are left out
 * @throws CliFailure NOT_FOUND for an unknown actor, VALIDATION for a cursor in the future
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
    if (page.reset === true) tellReset(context, String(begin['after']), { cursor: page.next, oldest: page.oldest });
    const epoch = parseCursor(page.next)?.epoch;
    for (const event of page.events) yield { cursor: writeCursor(epoch, event.id), event };
    if (!page.more) {
      yield { cursor: page.next };
      return;
    }
    begin = { after: page.next };
  }
}

const parse = <T>(data: string): T => {
  try {
    return parseExact(data) as T;
  } catch (error) {
    throw new CliFailure('DAEMON_VERSION', 'the service sent an event stream that this actorctl does not understand', {
      cause: error,
    });
  }
};

/**
 * Counts the events replayed after a reconnect, and prints the count when the replay is complete. The replay is
 * complete at the newest event that exists at the time of the reconnect.
 */
const createReplayTeller = (context: Follower, query: EventQuery) => {
  let goneMs: number | undefined;
  let newest: number | undefined;
  let count = 0;
  const tell = (): void => {
    if (goneMs === undefined) return;
    const events = newest === undefined ? '' : `, ${count} ${count === 1 ? 'event' : 'events'} replayed`;
    context.connection.back(goneMs, events);
    goneMs = undefined;
  };
  return {
    reconnected: (ms: number): void => {
      // If the connection is lost during a replay, one line reports both interruptions.
      goneMs = (goneMs ?? 0) + ms;
      newest = undefined;
    },
    /** Must be called before each step is yielded. */
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
          // An error is ignored here: the service is unreachable again, or will report the error on the stream.
          return;
        }
      }
      if (event !== undefined && numberIn(cursor) <= newest) count += 1;
      if (numberIn(cursor) < newest) return;
      tell();
      count = 0;
    },
  };
};

export interface FollowInput {
  readonly signal: AbortSignal;
  /** Milliseconds without a connection after which the stream fails. Default: 60 s. */
  readonly reconnectMs?: number;
}

/**
 * Yields the events from the start of the query and all further events, until the signal aborts. Without a start: new
 * events only. The first step contains the initial cursor. Reconnects after a disconnect and prints how many events
 * were replayed.
 * @throws CliFailure NOT_FOUND for an unknown actor, VALIDATION for a cursor in the future, NETWORK or
 * DAEMON_NOT_RUNNING when it gives up, CANCELLED when the signal aborts
 */
export async function* followEvents(
  context: Follower,
  query: EventQuery,
  { signal, reconnectMs }: FollowInput,
): AsyncGenerator<EventStep, void, void> {
  const replay = createReplayTeller(context, query);
  let seen = -1;
  const stream = context.stream('events.list', {
    query: { ...choiceOf(query), ...(query.after === undefined && beginOf(query)) },
    ...(query.after !== undefined && { lastEventId: query.after }),
    signal,
    onReconnect: replay.reconnected,
    ...(reconnectMs !== undefined && { reconnectMs }),
  });
  for await (const { event: name, id, data } of stream) {
    if (name === 'reset') {
      const { asked, oldest } = parse<EventStreamReset>(data);
      tellReset(context, asked, { cursor: id ?? '', oldest });
      seen = -1;
    }
    if (id === undefined) continue;
    const step: EventStep = /^[A-Z]/.test(name) ? { cursor: id, event: parse<EventView>(data) } : { cursor: id };
    await replay.step(step);
    if (step.event !== undefined && numberIn(id) <= seen) continue;
    seen = Math.max(seen, numberIn(id));
    yield step;
  }
}
