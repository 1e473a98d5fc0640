// Events: listed, streamed, emitted by hand, delivered once more; and the links along which they go. @see spec 6, wire.md "Events"
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formInteger, nothing, text } from '../wire.ts';
import { EVENT_STREAM } from './executions.ts';

/** The types that the service emits; more may come, and people may emit others. @see spec 6 */
export const eventTypes = ['ACTOR_READY', 'ACTOR_ERROR', 'EXECUTION_COMPLETE'] as const;

/** How the name of any type looks; the notices of a stream are written small and so are never mistaken for one. */
const TYPE_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Events of a page when nothing else is asked for, and at most. */
export const EVENTS_PAGE = 100;
export const EVENTS_PAGE_MAX = 1_000;

/**
 * The place of an event in the order of all events: its id. What comes behind it is asked for with `after`; `0` is before the
 * oldest.
 */
const cursor = z.string().check(z.regex(/^\d{1,15}$/, 'must be the id of an event, or 0'));

/** Repeated, or with commas between; without what is empty. */
const several = (name: z.ZodMiniString) =>
  z.pipe(
    z.transform((value: unknown) =>
      (Array.isArray(value) ? value : [value]).flatMap((part: unknown) =>
        typeof part === 'string' ? part.split(',').filter((each) => each !== '') : [part],
      ),
    ),
    z.array(name).check(z.maxLength(1_000, 'must have at most 1000 entries')),
  );

const typeName = z.string().check(z.regex(TYPE_NAME, 'must look like EXECUTION_COMPLETE'));

/** ISO 8601 with a time zone. */
const moment = z
  .string()
  .check(
    z.refine(
      (value: string) =>
        /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i.test(value) &&
        !Number.isNaN(Date.parse(value)),
      'must be a time like 2026-01-31T12:00:00Z',
    ),
  );

const orders = ['asc', 'desc'] as const;

/** An event as it is listed and streamed: its message, exactly as spec 6 has it, and what became of it. */
export const event = z.object({
  /** Increases with every event of the instance; the cursor to go on behind it. */
  id: z.string(),
  actor_id: z.string(),
  tenant_id: z.string(),
  actor_dbid: z.string(),
  event_type: z.string(),
  /** Seconds. */
  event_time_utc: z.number(),
  event_time_display: z.string(),
  /** The actor that received it by the link; empty: none. */
  _svc_link: z.string(),
  _svc_username: z.string(),
  status_message: z.optional(z.string()),
  execution_id: z.optional(z.string()),
  exit_code: z.optional(z.number()),
  status: z.optional(z.string()),
  /** Emitted by hand; never there otherwise. */
  synthetic: z.optional(z.literal(true)),
  deliveries: z.object({
    /** The execution that it became at the linked actor. */
    link: z.nullable(z.string()),
    /** The id of its delivery to the webhook. */
    webhook: z.nullable(z.string()),
  }),
  /** Why the actor has a link and the event did not go along it. */
  linkProblem: z.optional(z.string()),
});
export type EventView = z.output<typeof event>;

const eventPage = z.object({
  events: z.array(event),
  /** Where the next page begins: `after` it when ascending (nothing is missed, also when this page is empty), `before` it when descending. */
  next: z.string(),
  /** Whether there is more at this moment. */
  more: z.boolean(),
  /** The oldest event of all that are kept, whoever may read it; null: none. */
  oldest: z.nullable(z.string()),
  /** `after` is older than what is kept: events may have been missed, and the page begins at the oldest. */
  reset: z.optional(z.literal(true)),
});

/** What a person may say of an event that is emitted by hand, in the words of the event message. */
const emission = z.object({
  event_type: typeName,
  status_message: z.optional(text(8_192)),
  execution_id: z.optional(text(64)),
  exit_code: z.optional(formInteger(-2_147_483_648, 4_294_967_295)),
  status: z.optional(z.enum(['SUBMITTED', 'RUNNING', 'COMPLETE', 'ERROR', 'CANCELLED'])),
});

export const eventOperations = {
  'events.list': operation({
    id: 'events.list',
    method: 'GET',
    path: '/actors/v2/events',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'List or stream the events of actors',
    description:
      'Returns events of actors that the caller may read, oldest first. With `Accept: text/event-stream` new events are streamed.',
    query: z.object({
      after: z.optional(cursor),
      before: z.optional(cursor),
      since: z.optional(moment),
      until: z.optional(moment),
      type: z.optional(several(typeName)),
      /** Ids or aliases. */
      actorId: z.optional(several(text(1_024))),
      limit: z.optional(formInteger(1, EVENTS_PAGE_MAX)),
      order: z.optional(z.enum(orders)),
    }),
    input: nothing,
    result: eventPage,
    media: [EVENT_STREAM],
    failures: ['VALIDATION', 'NOT_FOUND'],
  }),
  'events.show': operation({
    id: 'events.show',
    method: 'GET',
    path: '/actors/v2/events/:eventNumber',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Show an event',
    query: nothing,
    input: nothing,
    result: event,
    failures: ['NOT_FOUND'],
  }),
  'events.emit': operation({
    id: 'events.emit',
    method: 'POST',
    path: '/actors/v2/:actorId/events',
    guard: 'actor:UPDATE',
    body: 'json',
    answer: 'envelope',
    summary: 'Emit an event of an actor by hand',
    description: 'The event is marked `synthetic` and goes to the link, the webhook and the event streams.',
    query: nothing,
    input: emission,
    result: event,
    failures: ['VALIDATION'],
  }),
  'events.redeliver': operation({
    id: 'events.redeliver',
    method: 'POST',
    path: '/actors/v2/events/:eventNumber/redeliver',
    guard: 'caller',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Deliver an event again',
    description: 'Uses the current link or webhook of the actor. Needs UPDATE on the actor.',
    query: nothing,
    input: z.object({ to: z.enum(['link', 'webhook']) }),
    result: z.object({
      /** The id of the event. */
      event: z.string(),
      to: z.enum(['link', 'webhook']),
      /** Of the link: the actor that receives it, and the execution that it became there. */
      actorId: z.optional(z.string()),
      executionId: z.optional(z.string()),
      /** Of the webhook: the new delivery. */
      deliveryId: z.optional(z.string()),
    }),
    failures: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION', 'NO_RECEIVER'],
  }),
  'links.show': operation({
    id: 'links.show',
    method: 'GET',
    path: '/actors/v2/:actorId/links',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show the links to and from an actor',
    description: 'Lists only linking actors that the caller may read.',
    query: nothing,
    input: nothing,
    result: z.object({
      /** The link as it was set, an id or an alias; null: none. */
      link: z.nullable(z.string()),
      /** The actor to which events go along it now. */
      out: z.nullable(z.string()),
      /** Why events do not go along the link at present. */
      problem: z.optional(z.string()),
      in: z.array(z.string()),
    }),
    failures: [],
  }),
  'links.check': operation({
    id: 'links.check',
    method: 'GET',
    path: '/actors/v2/:actorId/links/check',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Check whether an actor can be linked to a target',
    description: 'Changes nothing. `target` is an actor id or an alias.',
    query: z.object({ target: text(1_024).check(z.minLength(1, 'must not be empty')) }),
    input: nothing,
    result: z.object({
      allowed: z.boolean(),
      /** The loop that the link would close. */
      path: z.optional(z.array(z.string())),
      why: z.optional(z.string()),
      /** The failure code that setting the link would answer. */
      code: z.optional(z.string()),
    }),
    failures: ['VALIDATION'],
  }),
} as const;

/**
 * The stream of events.list: per event SSE `event: <event_type>`, `id: <id>`, `data:` the event as JSON. Without `after`, `since` or
 * `Last-Event-ID` (which counts before the others) it begins with what happens from now on; `before`, `until`, `limit` and `order` are
 * refused. It has no end of its own; one that ends is taken up again with `Last-Event-ID: <the last id>`: nothing is missed and
 * nothing comes twice. A reader that takes nothing for a minute is cut off. Comments every 15 s show that it lives.
 *
 * Beside events there are notices, written small; a client passes over those that it does not know:
 * - `open` comes first, always, with an `id` to resume from even before the first event
 * - `reset` comes behind it when the cursor is older than what is kept: events may have been missed, and it goes on at the oldest
 * - `cursor`, whose data is its id, comes now and then while nothing that happens is for this reader: to resume from there is as good
 */
export interface EventStreamOpen {
  /** Behind this the stream begins. */
  readonly cursor: string;
  /** The oldest event that is kept; null: none. */
  readonly oldest: string | null;
}

/** Data of `event: reset`. */
export interface EventStreamReset {
  /** The cursor that was asked for. */
  readonly asked: string;
  readonly oldest: string | null;
}
