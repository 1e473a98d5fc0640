// The content of an event: as a JSON message, and as variables of the linked actor.
import type { EventRecord } from '../records/event-records.ts';

/** Sender of messages created from events, and the value of their variable `_svc_username`. @see docs/http-api.md#events */
export const EVENT_ORIGIN = 'Actor Service Event';

/** The event message; the protocol fixes its fields. @see docs/http-api.md#events */
export interface EventMessage {
  readonly actor_id: string;
  readonly tenant_id: string;
  readonly actor_dbid: string;
  readonly event_type: string;
  /** Time of the event in seconds since the epoch. */
  readonly event_time_utc: number;
  /** Time of the event as ISO 8601. */
  readonly event_time_display: string;
  /** Id of the linked actor that receives the event. Empty if there is none. */
  readonly _svc_link: string;
  readonly _svc_username: string;
  readonly status_message?: string;
  readonly execution_id?: string;
  readonly exit_code?: number;
  readonly status?: string;
  readonly synthetic?: true;
}

/** @see docs/http-api.md#events */
export const eventMessage = (event: EventRecord): EventMessage => ({
  actor_id: event.actorId,
  tenant_id: event.tenant,
  actor_dbid: `${event.tenant}_${event.actorId}`,
  event_type: event.type,
  event_time_utc: event.at / 1_000,
  event_time_display: new Date(event.at).toISOString(),
  _svc_link: event.link?.actorId ?? '',
  _svc_username: EVENT_ORIGIN,
  ...(event.statusMessage !== undefined && { status_message: event.statusMessage }),
  ...(event.executionId !== undefined && { execution_id: event.executionId }),
  ...(event.exitCode !== undefined && { exit_code: event.exitCode }),
  ...(event.status !== undefined && { status: event.status }),
  ...(event.synthetic && { synthetic: true }),
});

/** The hosted platform identifies the receiver of an event by its internal id. @see docs/legacy.md */
export const legacyEventMessage = (
  message: EventMessage,
  receiver: { readonly tenant: string; readonly id: string },
) => ({
  ...message,
  _abaco_link: `${receiver.tenant}_${receiver.id}`,
  _abaco_username: message._svc_username,
});

/**
 * Variables that describe the actor of the event: the fields of the message without the prefix `_svc_`. Variables with
 * this prefix describe the receiver, as in any execution.
 * @see docs/http-api.md#events
 */
export const eventVariables = (message: EventMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(message)
      .filter(([name]) => !name.startsWith('_svc_'))
      .map(([name, value]) => [name, String(value)]),
  );
