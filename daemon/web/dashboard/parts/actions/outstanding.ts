// The failed deliveries that nobody has sent again.
import type { Answer } from '../../api/routes.ts';

type Delivery = Answer<'GET /actors/v2/deliveries'>['deliveries'][number];

const FAILED: readonly string[] = ['FAILED', 'UNKNOWN'];

/** The events whose newest delivery failed or has an unknown outcome, oldest first. Test events are left out. */
export const outstandingOf = (
  oldestFirst: readonly Pick<Delivery, 'id' | 'actorId' | 'eventId' | 'eventType' | 'status'>[],
): readonly string[] => {
  const newest = new Map<string, { readonly id: string; readonly status: string }>();
  for (const { id, actorId, eventId, eventType, status } of oldestFirst)
    if (eventType !== 'WEBHOOK_TEST') newest.set(`${actorId} ${eventId}`, { id, status });
  return [...newest.values()].flatMap(({ id, status }) => (FAILED.includes(status) ? [id] : []));
};
