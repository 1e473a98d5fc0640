// Deliveries: each POST of an event to the webhook of an actor, and what came of it. Ours; the real service tells nothing of them.
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, formInteger, nothing, text, time } from '../wire.ts';

/** Names the delivery in the request that a receiver gets; what its sender sends on to an actor in answer says so by it. */
export const DELIVERY_HEADER = 'x-delivery-id';

/** Names the event in the request that a receiver gets. */
export const EVENT_HEADER = 'x-event-number';

/** Type of the event that `webhooks.test` sends. */
export const WEBHOOK_TEST = 'WEBHOOK_TEST';

/** Deliveries of one answer when nobody says how many, and at most. */
export const DELIVERIES_SHOWN = 100;
const DELIVERIES_LIMIT = 1_000;

/** In this order but for the last: it is decided at once. UNKNOWN: the daemon ended in between, and it is not sent again. */
const deliveryStatuses = ['WAITING', 'SENDING', 'DELIVERED', 'FAILED', 'UNKNOWN', 'DROPPED'] as const;

export const delivery = z.object({
  id: z.string(),
  actorId: z.string(),
  /** Number of the event, as text. */
  eventId: z.string(),
  /** Left out when the event is no longer kept. */
  eventType: z.optional(z.string()),
  url: z.string(),
  status: z.enum(deliveryStatuses),
  /** What the receiver answered. */
  httpStatus: z.optional(z.number()),
  /** Why it was not delivered, or not known to be. */
  error: z.optional(z.string()),
  redeliveryOf: z.optional(z.string()),
  createTime: time,
  sentTime: z.optional(time),
  finishTime: z.optional(time),
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
    description: 'Oldest first. Returns the newest deliveries, or those after the cursor `after`.',
    query: z.object({
      /** Id or alias. */
      actorId: z.optional(text(256)),
      /** Only those that did not arrive or may not have. */
      failed: z.optional(formBoolean),
      /** `next` of an earlier answer. */
      after: z.optional(formInteger(0)),
      limit: z.optional(formInteger(1, DELIVERIES_LIMIT)),
    }),
    input: nothing,
    result: z.object({ deliveries: z.array(delivery), next: z.string() }),
    failures: ['VALIDATION', 'NOT_FOUND'],
  }),
  'deliveries.redeliver': operation({
    id: 'deliveries.redeliver',
    method: 'POST',
    path: '/actors/v2/deliveries/:deliveryId/redeliver',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Deliver an event to the webhook again',
    description: 'Uses the current webhook of the actor and waits for the outcome.',
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
    description: 'The event is marked `synthetic` and does not go to the link. Waits for the outcome.',
    query: nothing,
    input: nothing,
    result: delivery,
    failures: ['VALIDATION', 'ACTOR_BUSY'],
  }),
} as const;
