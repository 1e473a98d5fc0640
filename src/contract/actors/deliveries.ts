// Deliveries: one record per POST of an event to a webhook, with its outcome. Addition to Abaco, which has no such
// records.
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, formInteger, nothing, text, time } from '../wire.ts';

/**
 * Header with the delivery id. If the receiver sends a message with this header, the execution records the delivery
 * as its cause.
 */
export const DELIVERY_HEADER = 'x-delivery-id';

/** Request header with the event number, for a webhook receiver. */
export const EVENT_HEADER = 'x-event-number';

export const WEBHOOK_TEST = 'WEBHOOK_TEST';

/** Default number of deliveries in a listing. The next constant is the maximum. */
export const DELIVERIES_SHOWN = 100;
const DELIVERIES_LIMIT = 1_000;

/**
 * States of a delivery. It goes from WAITING to SENDING and ends as DELIVERED, FAILED or UNKNOWN. UNKNOWN: the daemon
 * stopped during the POST; the event is not sent again. DROPPED: never sent, because too many deliveries were waiting
 * or the webhook was changed or removed.
 */
const deliveryStatuses = ['WAITING', 'SENDING', 'DELIVERED', 'FAILED', 'UNKNOWN', 'DROPPED'] as const;

export const delivery = z.object({
  id: z.string(),
  actorId: z.string(),
  /** Event number, as a decimal string. */
  eventId: z.string(),
  /** Absent if the event has been deleted. */
  eventType: z.optional(z.string()),
  /** Only its origin if the caller may not update the actor. */
  url: z.string(),
  status: z.enum(deliveryStatuses),
  httpStatus: z.optional(z.number()),
  error: z.optional(z.string()),
  redeliveryOf: z.optional(z.string()),
  createTime: time,
  sentTime: z.optional(time),
  finishTime: z.optional(time),
});

/** One POST of the event: the delivery itself, or another one of the same event. */
const attempt = z.object({
  id: z.string(),
  status: z.enum(deliveryStatuses),
  httpStatus: z.optional(z.number()),
  error: z.optional(z.string()),
  createTime: time,
});

const deliveryDetail = z.extend(delivery, {
  /** What was or will be sent. Absent if the event has been deleted. */
  request: z.optional(
    z.object({ headers: z.array(z.object({ name: z.string(), value: z.string() })), body: z.string() }),
  ),
  /**
   * The begin of the response, at most 4096 characters. Keys of the webhook's URL, values of secret configs of the
   * actor and values with the names of secrets are `***`. Absent if there is none, and for callers who may not update the actor.
   */
  response: z.optional(
    z.object({
      type: z.optional(z.string()),
      /** Absent if the response is not UTF-8. */
      text: z.optional(z.string()),
      /** True if the response is longer. */
      isCut: z.optional(z.boolean()),
    }),
  ),
  /** All deliveries of the event, oldest first. */
  attempts: z.array(attempt),
});

export const deliveryOperations = {
  'deliveries.list': operation({
    id: 'deliveries.list',
    method: 'GET',
    path: '/actors/v2/deliveries',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'List deliveries of events to webhooks',
    description:
      'Returns the newest deliveries, or the deliveries after the cursor `after`. The oldest of them comes first.',
    query: z.object({
      /** Id or alias. */
      actorId: z.optional(text(256)),
      /** Only deliveries that failed or have an unknown outcome. */
      failed: z.optional(formBoolean),
      /** The value of `next` in an earlier response. */
      after: z.optional(formInteger(0)),
      limit: z.optional(formInteger(1, DELIVERIES_LIMIT)),
    }),
    input: nothing,
    result: z.object({ deliveries: z.array(delivery), next: z.string() }),
    failures: ['VALIDATION', 'NOT_FOUND'],
  }),
  'deliveries.show': operation({
    id: 'deliveries.show',
    method: 'GET',
    path: '/actors/v2/deliveries/:deliveryId',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Show a delivery with its request and response',
    description: 'The response body is returned to callers who may update the actor.',
    query: nothing,
    input: nothing,
    result: deliveryDetail,
    failures: ['NOT_FOUND'],
  }),
  'deliveries.redeliver': operation({
    id: 'deliveries.redeliver',
    method: 'POST',
    path: '/actors/v2/deliveries/:deliveryId/redeliver',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Deliver an event to the webhook again',
    description: 'Uses the current webhook of the actor. The response waits for the outcome.',
    query: nothing,
    input: nothing,
    result: delivery,
    failures: ['NOT_FOUND', 'FORBIDDEN', 'NO_RECEIVER'],
  }),
  'webhooks.test': operation({
    id: 'webhooks.test',
    method: 'POST',
    path: '/actors/v2/:actorId/webhook/test',
    guard: 'actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Send a test event to the webhook of an actor',
    description:
      'The event is marked `synthetic` and is not sent to the linked actor. The response waits for the outcome.',
    query: nothing,
    input: nothing,
    result: delivery,
    failures: ['VALIDATION', 'ACTOR_BUSY'],
  }),
} as const;
