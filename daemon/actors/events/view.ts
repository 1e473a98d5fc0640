// Events as the wire shows them.
import type { EventView } from '../../../src/contract/actors/events.ts';
import { eventMessage } from '../../domain/events/event.ts';
import { type EventRecord, eventKey } from '../../domain/records/event-records.ts';

/** The message of an event, and what became of it. @see spec 6 */
export const eventView = (event: EventRecord): EventView => ({
  id: eventKey(event.number),
  ...eventMessage(event),
  deliveries: { link: event.link?.executionId ?? null, webhook: event.deliveryId ?? null },
  ...(event.linkProblem !== undefined && { linkProblem: event.linkProblem }),
});
