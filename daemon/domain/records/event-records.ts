// Stored records of events and of their webhook deliveries.
import type { ExecutionStatus } from './actor-records.ts';
import { joinKey } from './record-key.ts';

/** An event of an actor, written in the same transaction as its cause. @see docs/http-api.md#events */
export interface EventRecord {
  /** Increases within the instance in the order of transactions; gaps have no meaning. Callers never see it. */
  readonly number: number;
  /** Counts the events of the tenant. It is the id and the cursor that callers see. */
  readonly serial: number;
  readonly tenant: string;
  readonly actorId: string;
  /** Owner of the actor at the time of the event; may read the event after the actor is deleted. */
  readonly owner: string;
  /** ACTOR_READY, ACTOR_ERROR, EXECUTION_COMPLETE, or the type of an event emitted by hand. */
  readonly type: string;
  readonly at: number;
  readonly statusMessage?: string;
  readonly executionId?: string;
  readonly exitCode?: number;
  readonly status?: ExecutionStatus;
  readonly synthetic?: true;
  /** The linked actor, and its execution of this event. */
  readonly link?: { readonly actorId: string; readonly executionId: string };
  /** Why the link failed and the event became no message. */
  readonly linkProblem?: string;
  readonly deliveryId?: string;
  /** An expired event that is kept only for its pending delivery. Not listed: newer events may already be deleted. */
  readonly retired?: true;
}

/**
 * - `WAITING`: not sent yet
 * - `SENDING`: set before the first byte is sent; at the start of a daemon it becomes UNKNOWN
 * - `DELIVERED`: the receiver answered 2xx
 * - `FAILED`: the receiver answered another status, or not at all
 * - `UNKNOWN`: the daemon ended while sending; the receiver may have got the event, and it is not sent again
 * - `DROPPED`: too many deliveries were waiting for this actor's webhook, or the webhook was changed or removed
 */
export type DeliveryStatus = 'WAITING' | 'SENDING' | 'DELIVERED' | 'FAILED' | 'UNKNOWN' | 'DROPPED';

export interface DeliveryRecord {
  readonly id: string;
  /** Order within the instance. Callers never see it. */
  readonly sequence: number;
  /** Counts the deliveries of the tenant. It is the cursor that callers see. */
  readonly serial: number;
  readonly tenant: string;
  readonly actorId: string;
  readonly owner: string;
  readonly eventNumber: number;
  /** The number of the event that callers see. */
  readonly eventSerial: number;
  /** At the time of the event. */
  readonly url: string;
  readonly status: DeliveryStatus;
  /** Id of the earlier delivery that this one repeats on request. */
  readonly redeliveryOf?: string;
  readonly createdAt: number;
  readonly sentAt?: number;
  readonly finishedAt?: number;
  readonly httpStatus?: number;
  readonly error?: string;
}

export const eventSerialKey = (tenant: string, serial: number): string => joinKey(tenant, String(serial));

export const eventKey = (number: number): string => String(number);
