// Stored records of events and of their webhook deliveries.
import type { ShownResponse } from '../events/response-text.ts';
import type { ExecutionReason, ExecutionStatus } from './actor-records.ts';
import { joinKey } from './record-key.ts';

/** An event of an actor, written in the same transaction as its cause. @see docs/http-api.md#events */
export interface EventRecord {
  /** Serial number within the instance, in transaction order. Gaps have no meaning. Callers never see it. */
  readonly number: number;
  /** Serial number within the tenant. Callers see it as the id and as the cursor. */
  readonly serial: number;
  readonly tenant: string;
  readonly actorId: string;
  /** Owner of the actor at the time of the event. This user may read the event after the actor is deleted. */
  readonly owner: string;
  /** ACTOR_READY, ACTOR_ERROR, EXECUTION_COMPLETE, or the type of an event emitted by hand. */
  readonly type: string;
  readonly at: number;
  readonly statusMessage?: string;
  readonly executionId?: string;
  readonly exitCode?: number;
  readonly status?: ExecutionStatus;
  /** Why the execution ended. The event message does not have it. */
  readonly reason?: ExecutionReason;
  readonly synthetic?: true;
  /** The execution whose token emitted a synthetic event. */
  readonly emittedBy?: string;
  /** The linked actor, and its execution for this event. */
  readonly link?: { readonly actorId: string; readonly executionId: string };
  /** Why the link failed, so that the linked actor got no message. */
  readonly linkProblem?: string;
  readonly deliveryId?: string;
  /**
   * Marks an expired event that is stored only for its pending delivery. Not listed, because newer events may already
   * be deleted.
   */
  readonly retired?: true;
}

/**
 * - `WAITING`: not sent yet
 * - `SENDING`: set before the first byte is sent; at the start of a daemon it becomes UNKNOWN
 * - `DELIVERED`: the receiver responded with 2xx
 * - `FAILED`: the receiver responded with another status, or not at all
 * - `UNKNOWN`: the daemon ended while sending; the receiver may have got the event, and it is not sent again
 * - `DROPPED`: too many deliveries were waiting for this actor's webhook, or the webhook was changed or removed
 */
export type DeliveryStatus = 'WAITING' | 'SENDING' | 'DELIVERED' | 'FAILED' | 'UNKNOWN' | 'DROPPED';

export interface DeliveryRecord {
  readonly id: string;
  /** Serial number within the instance. Callers never see it. */
  readonly sequence: number;
  /** Serial number of the delivery within the tenant. Callers see it as the cursor. */
  readonly serial: number;
  readonly tenant: string;
  readonly actorId: string;
  readonly owner: string;
  readonly eventNumber: number;
  /** Number of the delivered event, as callers see it. */
  readonly eventSerial: number;
  /** The execution that caused the event: by its end, or because its token emitted the event. */
  readonly eventOf?: string;
  /** Webhook URL at the time of the event. */
  readonly url: string;
  readonly status: DeliveryStatus;
  /** Id of the earlier delivery that this one repeats on request. */
  readonly redeliveryOf?: string;
  readonly createdAt: number;
  readonly sentAt?: number;
  readonly finishedAt?: number;
  readonly httpStatus?: number;
  readonly error?: string;
  /** The begin of the response, if it has a body. Records of earlier versions have none. */
  readonly response?: ShownResponse;
}

/** The execution that caused an event. A synthetic event names any execution that its sender likes. */
export const causingExecution = ({
  synthetic,
  emittedBy,
  executionId,
}: Pick<EventRecord, 'synthetic' | 'emittedBy' | 'executionId'>): string | undefined =>
  synthetic ? emittedBy : executionId;

export const eventSerialKey = (tenant: string, serial: number): string => joinKey(tenant, String(serial));

export const eventKey = (number: number): string => String(number);
