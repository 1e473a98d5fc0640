// Lists, shows, emits and redelivers events.
import { EVENTS_PAGE, type EventView } from '../../../src/contract/actors/events.ts';
import { parseCursor, writeCursor } from '../../../src/contract/event-cursor.ts';
import type { InputOf, QueryOf, ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { emit, type Happening } from '../../domain/events/emission.ts';
import { type Redelivered, type Redelivery, redeliver } from '../../domain/events/redelivery.ts';
import { mailboxLimitsOf } from '../../domain/executions/mailbox.ts';
import { Failure } from '../../domain/failure.ts';
import type { EventRecord } from '../../domain/records/event-records.ts';
import { lastSerial } from '../../domain/records/next-serial.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Caller } from '../../http/route-handler.ts';
import { demandActor, demandRunning, resourceAccess } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { createPause, type Pause } from '../pause.ts';
import { type EventFilter, eventAccess, readableActorIds } from './access.ts';
import type { EventLog } from './log.ts';
import type { Start } from './tail.ts';
import { eventView } from './view.ts';

type Query = QueryOf<Operations['events.list']>;
type Page = ResultOf<Operations['events.list']>;

export interface Events {
  /** @throws Failure VALIDATION for a cursor beyond the latest event, SHUTTING_DOWN if the signal fires */
  list(caller: Caller, query: Query, signal: AbortSignal): Promise<Page>;
  filter(caller: Caller, query: Query): EventFilter;
  /** @throws Failure VALIDATION for a cursor beyond the latest event */
  start(caller: Caller, query: Query, lastEventId: string | undefined): Start;
  show(caller: Caller, eventNumber: string): EventRecord;
  /** Resolves once the event is durable. The linked actor does not receive the event if its mailbox is full. */
  emit(caller: Caller, actorId: string, input: InputOf<Operations['events.emit']>): Promise<EventView>;
  /**
   * Resolves once the redelivery is durable.
   * @throws Failure NO_RECEIVER, THROTTLED if the mailbox of the linked actor is full
   */
  redeliver(caller: Caller, eventNumber: string, to: Redelivery): Promise<Redelivered>;
}

const EVERYTHING = Number.POSITIVE_INFINITY;

interface TenantEvents {
  readonly log: EventLog;
  readonly last: number;
}

interface EventQuery {
  readonly kept: TenantEvents;
  readonly query: Query;
  readonly filter: () => (event: EventRecord) => boolean;
  readonly pause: Pause;
}

/** The filter is created again after each pause, because permissions may have changed. */
const checked = async function* (events: Iterable<EventRecord>, { filter, pause }: EventQuery) {
  let takes = filter();
  for (const record of events) {
    if (pause.isDue()) {
      await pause.take();
      takes = filter();
    }
    yield { record, isTaken: takes(record) };
  }
};

export const events = (deps: ActorsDependencies, logOf: (tenant: string) => EventLog): Events => {
  const { store, ids, clock } = deps;
  const access = resourceAccess(deps);
  const given = () => ({ now: clock.now(), id: () => ids.id(), mailbox: mailboxLimitsOf(deps) });

  const eventsOf = ({ tenant }: Caller): TenantEvents => {
    const log = logOf(tenant);
    return { log, last: Math.max(lastSerial(store, tenant, 'events'), log.latest()?.serial ?? 0) };
  };

  const show: Events['show'] = (caller, eventNumber) => {
    const [event] = store.by('events', 'serial', joinKey(caller.tenant, eventNumber));
    if (event !== undefined && eventAccess(store, caller, false)(event)) return event;
    throw new Failure(
      'NOT_FOUND',
      'There is no such event, or it is no longer stored. The list of events shows the stored events.',
    );
  };

  const filter: Events['filter'] = (caller, { type, actorId }) => {
    const types = type && new Set(type);
    const actors = actorId && readableActorIds(store, caller, actorId);
    return (reader) => {
      const mayRead = eventAccess(store, reader, actors === undefined);
      return (event) =>
        (types === undefined || types.has(event.type)) &&
        (actors === undefined || actors.has(event.actorId)) &&
        mayRead(event);
    };
  };

  const isForeign = ({ epoch }: EventLog, cursor: string | undefined): boolean => {
    const asked = cursor === undefined ? undefined : parseCursor(cursor);
    return asked?.epoch !== undefined && asked.epoch !== epoch;
  };

  const startAfter = ({ log, last }: TenantEvents, cursor: string, name: string): Start => {
    if (isForeign(log, cursor)) return { serial: 0, asked: cursor };
    const asked = parseCursor(cursor)?.number ?? 0;
    if (asked > last && log.latest() !== undefined) {
      throw new Failure(
        'VALIDATION',
        `${name} ${asked} is beyond the latest event, ${last}. If it came from another instance, leave it out.`,
        { field: name, latest: String(last) },
      );
    }
    const oldest = log.oldest();
    const isKept = asked === 0 || (oldest !== undefined && asked >= oldest.serial);
    return isKept ? { serial: asked } : { serial: 0, asked: cursor };
  };

  const since = (log: EventLog, time: string | undefined): number =>
    time === undefined ? 0 : log.positionAt(Date.parse(time));

  /** Events after the cursor `from` and before the cursor `end`. */
  const rangeOf = (from: TenantEvents, { after, before, since: time, until }: Query) => {
    const { log } = from;
    const start: Start = after === undefined ? { serial: 0 } : startAfter(from, after, 'after');
    const isReset = start.asked !== undefined || isForeign(log, before);
    const bounds = [
      (isForeign(log, before) ? undefined : parseCursor(before ?? '')?.number) ?? EVERYTHING,
      until === undefined ? EVERYTHING : log.positionAt(Date.parse(until) + 1) + 1,
    ];
    return { isReset, from: Math.max(start.serial, since(log, time)), end: Math.min(...bounds) };
  };

  const ascending = async (asked: EventQuery): Promise<Page> => {
    const { kept, query } = asked;
    const { limit = EVENTS_PAGE } = query;
    const { isReset, from, end } = rangeOf(kept, query);
    const found: EventRecord[] = [];
    let next = from;
    let more = false;
    for await (const { record, isTaken } of checked(kept.log.eachAfter(from), asked)) {
      if (record.serial >= end) break;
      if (isTaken) {
        more = found.length === limit;
        if (more) break;
        found.push(record);
      }
      next = record.serial;
    }
    return page(kept, found, { next, more, isReset });
  };

  const descending = async (asked: EventQuery): Promise<Page> => {
    const { kept, query } = asked;
    const { limit = EVENTS_PAGE } = query;
    const { isReset, from, end } = rangeOf(kept, query);
    const found: EventRecord[] = [];
    let more = false;
    for await (const { record, isTaken } of checked(kept.log.before(end), asked)) {
      if (record.serial <= from) break;
      if (!isTaken) continue;
      more = found.length === limit;
      if (more) break;
      found.push(record);
    }
    return page(kept, found, { next: found.at(-1)?.serial ?? from, more, isReset });
  };

  const page = (
    { log }: TenantEvents,
    found: readonly EventRecord[],
    { next, more, isReset }: { readonly next: number; readonly more: boolean; readonly isReset: boolean },
  ): Page => {
    const oldest = log.oldest();
    return {
      events: found.map(eventView),
      next: writeCursor(log.epoch, next),
      more,
      oldest: oldest === undefined ? null : String(oldest.serial),
      ...(isReset && { reset: true as const }),
    };
  };

  return {
    async list(caller, query, signal) {
      const select = filter(caller, query);
      const asked: EventQuery = {
        kept: eventsOf(caller),
        query,
        filter: () => select(caller),
        pause: createPause(signal),
      };
      return query.order === 'desc' ? descending(asked) : ascending(asked);
    },

    filter,

    start(caller, query, lastEventId) {
      const kept = eventsOf(caller);
      const { log } = kept;
      if (lastEventId !== undefined) return startAfter(kept, lastEventId, 'Last-Event-ID');
      if (query.after === undefined) {
        return { serial: query.since === undefined ? (log.latest()?.serial ?? 0) : since(log, query.since) };
      }
      const start = startAfter(kept, query.after, 'after');
      return { ...start, serial: Math.max(start.serial, since(log, query.since)) };
    },

    show,

    async emit({ executionId: emittedBy }, actorId, input) {
      const {
        event_type: type,
        status_message: statusMessage,
        execution_id: executionId,
        exit_code: exitCode,
        status,
      } = input;
      const happening: Happening = {
        type,
        synthetic: true,
        statusMessage,
        executionId,
        exitCode,
        status,
        ...(emittedBy !== undefined && { emittedBy }),
      };
      return eventView(
        await store.transact((tx) => {
          demandRunning(tx, emittedBy);
          return emit(tx, demandActor(tx, actorId), happening, given());
        }),
      );
    },

    async redeliver(caller, eventNumber, to) {
      const event = show(caller, eventNumber);
      if (store.get('actors', event.actorId) === undefined) {
        throw new Failure(
          'NO_RECEIVER',
          'The actor of this event was deleted, together with its link and webhook. Nothing was sent.',
        );
      }
      access.actor(caller, event.actorId, 'UPDATE');
      return store.transact((tx) => redeliver(tx, demandActor(tx, event.actorId), event, to, given()));
    },
  };
};
