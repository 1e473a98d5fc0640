// Reduces the URLs of webhooks to their origin for callers who may not change the actor: path and query can be a secret.
import { includesLevel } from '../domain/actors/permission.ts';
import { isOver } from '../domain/events/delivery-status.ts';
import { originOf, withoutPaths } from '../domain/events/webhook-url.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { DeliveryRecord } from '../domain/records/event-records.ts';
import type { Caller } from '../http/route-handler.ts';
import type { ReadView } from '../ports/store.ts';
import { hasLevel } from './access.ts';

type View = Pick<ReadView, 'get'>;

/** True if the caller may update the actor, and so may see its whole webhook. @see docs/http-api.md#events */
const maySeeWebhook = (view: View, caller: Caller, actor: ActorRecord): boolean => {
  if (caller.reach === 'own') return false;
  if (caller.nonceId === undefined) return hasLevel(actor, caller, 'UPDATE');
  return includesLevel(view.get('nonces', caller.nonceId)?.level ?? 'NONE', 'UPDATE');
};

/** The actor as the caller may see it. */
export const withWebhookFor = (view: View, caller: Caller, actor: ActorRecord): ActorRecord =>
  actor.webhook === undefined || actor.webhook === '' || maySeeWebhook(view, caller, actor)
    ? actor
    : { ...actor, webhook: originOf(actor.webhook) };

/** Latest deliveries among which the last finished one is looked for. */
const LATEST = 20;

/**
 * Why the last delivery to the current webhook of an actor failed. Undefined if it arrived, or if none was sent yet.
 */
export const webhookProblemOf = (
  view: Pick<ReadView, 'get' | 'page'>,
  caller: Caller,
  { id, webhook = '' }: ActorRecord,
): string | undefined => {
  if (webhook === '') return undefined;
  const latest = view.page('deliveries', 'actor', id, { limit: LATEST, newestFirst: true });
  const sent = latest.find(({ status, url }) => url === webhook && isOver(status) && status !== 'DROPPED');
  if (sent === undefined || sent.status === 'DELIVERED') return undefined;
  return `the last delivery failed: ${deliverySight(view, caller)(sent).error ?? sent.status}`;
};

/**
 * URL, error and response of a delivery as its reader may see them. The former owner of a deleted actor sees all.
 */
export const deliverySight = (view: View, caller: Caller): ((delivery: DeliveryRecord) => DeliveryRecord) => {
  const seen = new Map<string, boolean>();
  const maySee = (actorId: string): boolean => {
    const actor = view.get('actors', actorId);
    return actor === undefined || maySeeWebhook(view, caller, actor);
  };
  return (delivery) => {
    const { actorId, url, error } = delivery;
    const may = seen.get(actorId) ?? maySee(actorId);
    seen.set(actorId, may);
    if (may) return delivery;
    const { response: _response, ...rest } = delivery;
    return { ...rest, url: originOf(url), ...(error !== undefined && { error: withoutPaths(error) }) };
  };
};
