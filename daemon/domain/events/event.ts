// What an event says, in the words of the wire, and as variables of the linked actor.
import type { EventRecord } from '../records/event-records.ts';

/** The executor of messages that events became, and `_svc_username` in them. @see wire.md "Events" */
export const EVENT_ORIGIN = 'Actor Service Event';

/** The event message, exactly as spec 6 has it. */
export interface EventMessage {
  readonly actor_id: string;
  readonly tenant_id: string;
  readonly actor_dbid: string;
  readonly event_type: string;
  /** Seconds. */
  readonly event_time_utc: number;
  /** ISO 8601. */
  readonly event_time_display: string;
  /** The actor id of the receiving linked actor; empty when no actor receives it. */
  readonly _svc_link: string;
  readonly _svc_username: string;
  readonly status_message?: string;
  readonly execution_id?: string;
  readonly exit_code?: number;
  readonly status?: string;
  /** Emitted by hand; never there otherwise. */
  readonly synthetic?: true;
}

/** The message of an event. @see spec 6 */
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

/**
 * The variables without the prefix `_svc_`, which describe the actor that the event is about; the prefixed ones describe the
 * receiver, as in any execution.
 * @see spec 6 rule 1
 */
export const eventVariables = (message: EventMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(message)
      .filter(([name]) => !name.startsWith('_svc_'))
      .map(([name, value]) => [name, String(value)]),
  );
