// Lists, shows, emits and redelivers events.
import { EVENTS_PAGE, type EventView } from '../../../src/contract/actors/events.ts';
import type { InputOf, QueryOf, ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { emit, type Happening } from '../../domain/events/emission.ts';
import { type Redelivered, type Redelivery, redeliver } from '../../domain/events/redelivery.ts';
import { Failure } from '../../domain/failure.ts';
import { type EventRecord, eventKey } from '../../domain/records/event-records.ts';
import type { Caller } from '../../http/route-handler.ts';
import { demandActor, resourceAccess } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { mayReadEvent, readableActorIds } from './access.ts';
import type { EventLog } from './log.ts';
import type { Start } from './tail.ts';
import { eventView } from './view.ts';

type Query = QueryOf<Operations['events.list']>;
type Page = ResultOf<Operations['events.list']>;

/** True for events that the query selects and the caller may read. */
export type EventFilter = (caller: Caller, event: EventRecord) => boolean;

export interface Events {
  /**
   * @throws Failure NOT_FOUND for an actor that the caller may not read, VALIDATION for a cursor beyond the latest
   * event
   */
  list(caller: Caller, query: Query): Page;
  /** The filter of a stream with that query. @throws Failure NOT_FOUND as `list` */
  filter(caller: Caller, query: Query): EventFilter;
  /**
   * The start of a stream with that query.
   * @throws Failure VALIDATION for a cursor beyond the latest event
   */
  start(query: Query, lastEventId: string | undefined): Start;
  /** @throws Failure NOT_FOUND, also for an event that the caller may not read */
  show(caller: Caller, eventNumber: string): EventRecord;
  /** Resolves once the event is durable. */
  emit(actorId: string, input: InputOf<Operations['events.emit']>): Promise<EventView>;
  /**
   * Resolves once the new delivery or message is durable.
   * @throws Failure NOT_FOUND, FORBIDDEN, NO_RECEIVER
   */
  redeliver(caller: Caller, eventNumber: string, to: Redelivery): Promise<Redelivered>;
}

const EVERYTHING = Number.POSITIVE_INFINITY;

export const events = (deps: ActorsDependencies, log: EventLog): Events => {
  const { store, ids, clock } = deps;
  const access = resourceAccess(deps);
  const given = () => ({ now: clock.now(), id: () => ids.id() });

  const show: Events['show'] = (caller, eventNumber) => {
    const event = store.get('events', eventNumber);
    if (event !== undefined && mayReadEvent(store, caller, event, false)) return event;
    throw new Failure(
      'NOT_FOUND',
      'There is no such event, or it is no longer kept. The list of events shows the kept events.',
    );
  };

  const filter: Events['filter'] = (caller, { type, actorId }) => {
    const types = type && new Set(type);
    const actors = actorId && readableActorIds(store, caller, actorId);
    return (reader, event) =>
      (types === undefined || types.has(event.type)) &&
      (actors === undefined || actors.has(event.actorId)) &&
      mayReadEvent(store, reader, event, actors === undefined);
  };

  /** The start after a cursor. */
  const startAfter = (cursor: string, name: string): Start => {
    const asked = Number(cursor);
    const latest = log.latest();
    if (latest !== undefined && asked > latest.number) {
      throw new Failure(
        'VALIDATION',
        `${name} ${asked} is beyond the latest event, ${latest.number}. If it came from another instance, leave it out.`,
        { field: name, latest: eventKey(latest.number) },
      );
    }
    const oldest = log.oldest();
    const isKept = asked === 0 || (oldest !== undefined && asked >= oldest.number);
    return isKept ? { number: asked } : { number: 0, asked };
  };

  const since = (time: string | undefined): number => (time === undefined ? 0 : log.positionAt(Date.parse(time)));

  /** The range of a query: events after `from` and before `end`. */
  const rangeOf = ({ after, before, since: time, until }: Query) => {
    const start: Start = after === undefined ? { number: 0 } : startAfter(after, 'after');
    const bounds = [
      before === undefined ? EVERYTHING : Number(before),
      until === undefined ? EVERYTHING : log.positionAt(Date.parse(until) + 1) + 1,
    ];
    return { start, from: Math.max(start.number, since(time)), end: Math.min(...bounds) };
  };

  const ascending = (query: Query, takes: (event: EventRecord) => boolean): Page => {
    const { limit = EVENTS_PAGE } = query;
    const { start, from, end } = rangeOf(query);
    const found: EventRecord[] = [];
    let next = from;
    let more = false;
    for (const { record } of log.after(from, EVERYTHING)) {
      if (record.number >= end) break;
      if (takes(record)) {
        more = found.length === limit;
        if (more) break;
        found.push(record);
      }
      next = record.number;
    }
    return { ...page(found, next, more), ...(start.asked !== undefined && { reset: true as const }) };
  };

  const descending = (query: Query, takes: (event: EventRecord) => boolean): Page => {
    const { limit = EVENTS_PAGE } = query;
    const { from, end } = rangeOf(query);
    const found: EventRecord[] = [];
    let more = false;
    for (const { record } of log.before(end)) {
      if (record.number <= from) break;
      if (!takes(record)) continue;
      more = found.length === limit;
      if (more) break;
      found.push(record);
    }
    return page(found, found.at(-1)?.number ?? from, more);
  };

  const page = (found: readonly EventRecord[], next: number, more: boolean): Page => {
    const oldest = log.oldest();
    return {
      events: found.map(eventView),
      next: eventKey(next),
      more,
      oldest: oldest === undefined ? null : eventKey(oldest.number),
    };
  };

  return {
    list(caller, query) {
      const takes = filter(caller, query);
      const wanted = (event: EventRecord): boolean => takes(caller, event);
      return query.order === 'desc' ? descending(query, wanted) : ascending(query, wanted);
    },

    filter,

    start(query, lastEventId) {
      if (lastEventId !== undefined) return startAfter(lastEventId, 'Last-Event-ID');
      if (query.after === undefined) {
        return { number: query.since === undefined ? (log.latest()?.number ?? 0) : since(query.since) };
      }
      const start = startAfter(query.after, 'after');
      return { ...start, number: Math.max(start.number, since(query.since)) };
    },

    show,

    async emit(actorId, input) {
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
        ...(statusMessage !== undefined && { statusMessage }),
        ...(executionId !== undefined && { executionId }),
        ...(exitCode !== undefined && { exitCode }),
        ...(status !== undefined && { status }),
      };
      return eventView(await store.transact((tx) => emit(tx, demandActor(tx, actorId), happening, given())));
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
