// Stored and live events as one list.
import type { EventView } from '../../../../../src/contract/actors/events.ts';

export interface EventFilters {
  readonly type: string;
  /** Id of an actor. */
  readonly actor: string;
  /** Words. */
  readonly q: string;
}

/** Both lists without duplicates, newest first. */
export const merged = (stored: readonly EventView[], live: readonly EventView[]): readonly EventView[] => {
  const byId = new Map([...stored, ...live].map((event) => [event.id, event]));
  return [...byId.values()].sort((left, right) => Number(right.id) - Number(left.id));
};

/** @param nameOf the name of an actor */
export const isWanted = (
  event: EventView,
  { type, actor, q }: EventFilters,
  nameOf: (id: string) => string,
): boolean => {
  if (type !== '' && event.event_type !== type) return false;
  if (actor !== '' && event.actor_id !== actor) return false;
  const text = [event.id, event.event_type, event.actor_id, nameOf(event.actor_id), event.execution_id, event.status]
    .join('\n')
    .toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};
