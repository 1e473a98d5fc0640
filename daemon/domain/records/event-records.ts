// What the store keeps of events: the events themselves, and what became of each at a webhook.
import type { ExecutionStatus } from './actor-records.ts';

/** An event of an actor; written in the same decision as what caused it. @see spec 6 */
export interface EventRecord {
  /** Increasing within the instance, in the order of the decisions; gaps mean nothing. */
  readonly number: number;
  readonly tenant: string;
  readonly actorId: string;
  /** Who owned the actor: may read its events when the actor is gone. */
  readonly owner: string;
  /** ACTOR_READY, ACTOR_ERROR, EXECUTION_COMPLETE, or what a person emitted by hand. */
  readonly type: string;
  readonly at: number;
  readonly statusMessage?: string;
  readonly executionId?: string;
  readonly exitCode?: number;
  readonly status?: ExecutionStatus;
  /** Emitted by hand. */
  readonly synthetic?: true;
  /** The linked actor, and the execution that the event became there. */
  readonly link?: { readonly actorId: string; readonly executionId: string };
  /** Why the actor has a link and the event did not become a message. */
  readonly linkProblem?: string;
  /** The delivery to the webhook, if there was one. */
  readonly deliveryId?: string;
  /** Has had its time and is kept only until it is delivered: newer ones may be gone already, so that it is listed no more. */
  readonly retired?: true;
}

/**
 * - `WAITING`: not sent yet
 * - `SENDING`: marked before the first byte goes out; found at a start it becomes UNKNOWN
 * - `DELIVERED`: the receiver answered 2xx
 * - `FAILED`: it answered something else, or not at all
 * - `UNKNOWN`: the daemon ended in between; it may have been sent and is not sent again
 * - `DROPPED`: too many waited for this actor's receiver, or its webhook was changed or taken away
 */
export type DeliveryStatus = 'WAITING' | 'SENDING' | 'DELIVERED' | 'FAILED' | 'UNKNOWN' | 'DROPPED';

/** One POST of one event to one webhook. */
export interface DeliveryRecord {
  readonly id: string;
  /** Order within the instance. */
  readonly sequence: number;
  readonly tenant: string;
  readonly actorId: string;
  readonly owner: string;
  readonly eventNumber: number;
  /** Of the moment of the event. */
  readonly url: string;
  readonly status: DeliveryStatus;
  /** The delivery that a person had repeated with this one. */
  readonly redeliveryOf?: string;
  readonly createdAt: number;
  readonly sentAt?: number;
  readonly finishedAt?: number;
  readonly httpStatus?: number;
  readonly error?: string;
}

/** What an event is found by. */
export const eventKey = (number: number): string => String(number);
