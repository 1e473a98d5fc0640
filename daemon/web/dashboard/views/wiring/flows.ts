// Counts the events that went along each edge within the last minute.
import type { EventView } from '../../../../../src/contract/actors/events.ts';
import type { Edge } from './graph.ts';

/** Length of the counted period. */
export const WINDOW_MS = 60_000;

export interface Flow {
  readonly sent: number;
  /** Number of events that the link did not pass on, for example because its target does not exist. */
  readonly lost: number;
}

export type Counts = ReadonlyMap<string, number>;

const alongLink = (from: string, to: string): string => `link ${from} ${to}`;
const lostBy = (from: string): string => `lost ${from}`;
const toWebhook = (from: string): string => `webhook ${from}`;

/** The receiver is part of the key, so that a changed link does not show what its last target got. */
const keysOf = ({ actor_id, _svc_link, deliveries, linkProblem }: EventView): readonly string[] => [
  ...(deliveries.link === null ? [] : [alongLink(actor_id, _svc_link)]),
  ...(linkProblem === undefined ? [] : [lostBy(actor_id)]),
  ...(deliveries.webhook === null ? [] : [toWebhook(actor_id)]),
];

export const flowOf = ({ kind, from, to }: Edge, counts: Counts): Flow =>
  kind === 'webhook'
    ? { sent: counts.get(toWebhook(from)) ?? 0, lost: 0 }
    : { sent: counts.get(alongLink(from, to)) ?? 0, lost: counts.get(lostBy(from)) ?? 0 };

/**
 * Text that says why an event has no delivery along the link, although the link reported no problem: it was a test of
 * the webhook, or it occurred before the link was set.
 */
export const formatUnlinked = ({ event_type }: Pick<EventView, 'event_type'>): string =>
  event_type === 'WEBHOOK_TEST' ? 'test of the webhook' : 'before the link';

export const createFlows = () => {
  const kept = new Map<string, { readonly at: number; readonly keys: readonly string[] }>();
  return {
    /** Adds events. An event that was added before is not counted again. */
    add(events: readonly EventView[], now: number): void {
      for (const event of events) {
        const at = event.event_time_utc * 1_000;
        if (at > now - WINDOW_MS && !kept.has(event.id)) kept.set(event.id, { at, keys: keysOf(event) });
      }
    },

    /** Counts the events of the minute before `now`, and drops older ones. */
    at(now: number): Counts {
      const counts = new Map<string, number>();
      for (const [id, { at, keys }] of kept) {
        if (at <= now - WINDOW_MS) kept.delete(id);
        else for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return counts;
    },
  };
};

export const areSame = (one: Counts, other: Counts): boolean =>
  one.size === other.size && [...one].every(([key, count]) => other.get(key) === count);
