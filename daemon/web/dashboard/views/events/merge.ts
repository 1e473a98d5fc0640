// Stored and live events as one list.
import type { EventView } from '../../../../../src/contract/actors/events.ts';
import type { Query } from '../../api/routes.ts';
import { hasWords } from '../../parts/search/has-words.ts';

export interface EventFilters {
  readonly type: string;
  readonly actor: string;
  readonly q: string;
}

const STORED = 500;

/** The request for the newest stored events. The service filters by type and actor, the page by search terms. */
export const storedQuery = ({ type, actor }: Pick<EventFilters, 'type' | 'actor'>): Query => ({
  order: 'desc',
  limit: STORED,
  type: type || undefined,
  actorId: actor || undefined,
});

const numberOf = ({ id }: EventView): number => Number(id);

/**
 * Merges stored events (newest first) and live events (oldest first) into one list without duplicates, newest first.
 * The live events have no gaps, so stored events are needed only from before the first or after the last live event.
 */
export const merged = (stored: readonly EventView[], live: readonly EventView[]): readonly EventView[] => {
  const [oldest, newest] = [live[0], live.at(-1)];
  if (oldest === undefined || newest === undefined) return stored;
  return [
    ...stored.filter((event) => numberOf(event) > numberOf(newest)),
    ...live.toReversed(),
    ...stored.filter((event) => numberOf(event) < numberOf(oldest)),
  ];
};

/** True if the page dropped live events that came after `last`. Stored events read at `last` then leave a gap. */
export const hasGap = (last: EventView | undefined, live: readonly EventView[], kept: number): boolean => {
  const [oldest] = live;
  return oldest !== undefined && live.length >= kept && (last === undefined || numberOf(oldest) > numberOf(last));
};

export const newerThan = (list: readonly EventView[], live: readonly EventView[]): number => {
  const last = list.at(-1);
  if (last === undefined) return live.length;
  return live.length - 1 - live.findLastIndex((event) => numberOf(event) <= numberOf(last));
};

export const isWanted = (
  event: EventView,
  { type, actor, q }: EventFilters,
  nameOf: (id: string) => string,
): boolean => {
  if (type !== '' && event.event_type !== type) return false;
  if (actor !== '' && event.actor_id !== actor) return false;
  if (q === '') return true;
  const { id, event_type, actor_id, execution_id, status } = event;
  return hasWords([id, event_type, actor_id, nameOf(actor_id), execution_id, status], q);
};
