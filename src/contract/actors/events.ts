// Events: listing, stream, manual emission and redelivery, and the links between actors. @see docs/http-api.md#events
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { cursor, formInteger, moment, nothing, several, text } from '../wire.ts';
import { EVENT_STREAM, executionReasons } from './executions.ts';

/**
 * Event types emitted by the service. Later versions may add types, and users may emit other types.
 * @see docs/http-api.md#events
 */
export const eventTypes = ['ACTOR_READY', 'ACTOR_ERROR', 'EXECUTION_COMPLETE'] as const;

/** Syntax of an event type. The notices of a stream have lower-case names, so that no event type equals a notice. */
const TYPE_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

export const EVENTS_PAGE = 100;
export const EVENTS_PAGE_MAX = 1_000;

const typeName = z.string().check(z.regex(TYPE_NAME, 'must look like EXECUTION_COMPLETE'));

export const orders = ['asc', 'desc'] as const;

export const event = z.object({
  /** Grows with each event of the tenant. */
  id: z.string(),
  actor_id: z.string(),
  tenant_id: z.string(),
  actor_dbid: z.string(),
  event_type: z.string(),
  /** Seconds since the epoch. */
  event_time_utc: z.number(),
  event_time_display: z.string(),
  /** The linked actor that received the event. Empty: no actor received it. */
  _svc_link: z.string(),
  _svc_username: z.string(),
  status_message: z.optional(z.string()),
  execution_id: z.optional(z.string()),
  exit_code: z.optional(z.number()),
  status: z.optional(z.string()),
  /** Why the execution ended, as in the execution. The messages to linked actors and webhooks do not have it. */
  reason: z.optional(z.enum(executionReasons)),
  /** True if the event was emitted by hand. Absent otherwise. */
  synthetic: z.optional(z.literal(true)),
  deliveries: z.object({
    /** Id of the execution that the linked actor started for the event. */
    link: z.nullable(z.string()),
    webhook: z.nullable(z.string()),
  }),
  linkProblem: z.optional(z.string()),
});
export type EventView = z.output<typeof event>;

const eventPage = z.object({
  events: z.array(event),
  /**
   * Cursor of the next page: a value for `after` in ascending order (even for an empty page), for `before` in
   * descending order.
   */
  next: z.string(),
  more: z.boolean(),
  /** The oldest stored event of the tenant, even if the caller may not read it. Null: there is none. */
  oldest: z.nullable(z.string()),
  /**
   * True if the cursor is older than the oldest stored event, or from another epoch. Events may be missing, and the
   * page starts at the oldest stored event, in descending order at the newest.
   */
  reset: z.optional(z.literal(true)),
});

/** Fields of an event that is emitted by hand. They have the same meaning as the fields of the event message. */
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
      'Returns the events of actors that the caller may read, oldest first. With `Accept: text/event-stream` the response streams new events.',
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
    description:
      'The event is marked `synthetic` and is sent to the linked actor, the webhook and the event streams. `linkProblem` says why the linked actor did not receive it, for example because its mailbox is full.',
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
    description:
      'Uses the current link or webhook of the actor. Requires UPDATE on the actor. If the mailbox of the linked actor is full, nothing is sent and the response is 429.',
    query: nothing,
    input: z.object({ to: z.enum(['link', 'webhook']) }),
    result: z.object({
      event: z.string(),
      to: z.enum(['link', 'webhook']),
      /** For a link: the actor that received the event, and its execution. */
      actorId: z.optional(z.string()),
      executionId: z.optional(z.string()),
      deliveryId: z.optional(z.string()),
    }),
    failures: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION', 'NO_RECEIVER', 'THROTTLED'],
  }),
  'links.show': operation({
    id: 'links.show',
    method: 'GET',
    path: '/actors/v2/:actorId/links',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show the links to and from an actor',
    description:
      'Of the actors that link to this actor, lists those that the caller may read. With a nonce it lists none of them.',
    query: nothing,
    input: nothing,
    result: z.object({
      /** The link as it was set: an id or an alias. Null: the actor has no link. */
      link: z.nullable(z.string()),
      /** The actor that currently receives the events through the link. */
      out: z.nullable(z.string()),
      problem: z.optional(z.string()),
      /** Why the last delivery to the webhook failed. */
      webhookProblem: z.optional(z.string()),
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
    description: 'The check changes nothing. `target` is an actor id or an alias.',
    query: z.object({ target: text(1_024).check(z.minLength(1, 'must not be empty')) }),
    input: nothing,
    result: z.object({
      allowed: z.boolean(),
      /** The loop of links that the new link would close. */
      path: z.optional(z.array(z.string())),
      why: z.optional(z.string()),
      /** The failure code that setting the link would return. */
      code: z.optional(z.string()),
    }),
    failures: ['VALIDATION'],
  }),
} as const;

// The event stream.
//
// The operation events.list streams each event as SSE `event: <event_type>`, `id: <cursor>`, `data:` the event as JSON.
// A cursor is EPOCH.NUMBER.
// - Start: `Last-Event-ID`, else `after` or `since`, else now. `before`, `until`, `limit` and `order` are refused.
// - End: the service does not end the stream. After a lost connection a client resumes with `Last-Event-ID: <the last
//   id>`; no event is lost or repeated.
// - The service disconnects a client that reads nothing for a minute. A comment every 15 s shows that the connection
//   is alive.
//
// Notices have lower-case names. A client ignores unknown notices:
// - `open` is always first. Its `id` is a cursor to resume from before any event has arrived.
// - `reset` follows `open` if the cursor is older than the oldest stored event, or from another epoch. Events may be
//   missing; the stream continues with the oldest event.
// - `cursor` arrives occasionally while there are no events for this client. Its id is a cursor to resume from.

export interface EventStreamOpen {
  /** The stream starts after this event. */
  readonly cursor: string;
  /** The oldest stored event. Null: there is none. */
  readonly oldest: string | null;
}

export interface EventStreamReset {
  /** The cursor of the client. */
  readonly asked: string;
  readonly oldest: string | null;
}
