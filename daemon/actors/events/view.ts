// Converts an event record to its API representation.
import type { EventView } from '../../../src/contract/actors/events.ts';
import { eventMessage } from '../../domain/events/event.ts';
import type { EventRecord } from '../../domain/records/event-records.ts';

/** @see docs/http-api.md#events */
export const eventView = (event: EventRecord): EventView => ({
  id: String(event.serial),
  ...eventMessage(event),
  ...(event.reason !== undefined && { reason: event.reason }),
  deliveries: { link: event.link?.executionId ?? null, webhook: event.deliveryId ?? null },
  ...(event.linkProblem !== undefined && { linkProblem: event.linkProblem }),
});
