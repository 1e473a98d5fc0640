// Sending an event once more, because a person asked for it: to the link or the webhook that its actor has now.
import type { Transaction } from '../ports/store.ts';
import { type Given, putDelivery, putMessage, receiverOf } from './emission.ts';
import { eventMessage } from './event.ts';
import { type EventRecord, eventKey } from './event-records.ts';
import { Failure } from './failure.ts';
import type { ActorRecord } from './records.ts';

/** Where it is sent. */
export type Redelivery = 'link' | 'webhook';

/** What became of it. */
export type Redelivered =
  | { readonly event: string; readonly to: 'link'; readonly actorId: string; readonly executionId: string }
  | { readonly event: string; readonly to: 'webhook'; readonly deliveryId: string };

const noReceiver = (why: string): Failure =>
  new Failure('NO_RECEIVER', `${why}. Nothing was sent. Update the actor, then send the event again.`);

const toLink = (tx: Transaction, actor: ActorRecord, event: EventRecord, given: Given): Redelivered => {
  const receiver = receiverOf(tx, actor);
  if (receiver === undefined) throw noReceiver(`actor ${actor.id} has no link`);
  if ('problem' in receiver) throw noReceiver(`the link of actor ${actor.id} leads nowhere: ${receiver.problem}`);
  const executionId = given.id();
  const message = eventMessage({ ...event, link: { actorId: receiver.id, executionId } });
  putMessage(tx, receiver, { ...event, at: given.now }, executionId, message);
  return { event: eventKey(event.number), to: 'link', actorId: receiver.id, executionId };
};

const toWebhook = (tx: Transaction, actor: ActorRecord, event: EventRecord, given: Given): Redelivered => {
  const { id: actorId, tenant, owner, webhook: url } = actor;
  if (url === undefined || url === '') throw noReceiver(`actor ${actorId} has no webhook`);
  const { number: eventNumber, deliveryId } = event;
  const repeats = deliveryId === undefined ? {} : { redeliveryOf: deliveryId };
  const { id } = putDelivery(tx, { tenant, actorId, owner, eventNumber, url, ...repeats }, given);
  return { event: eventKey(eventNumber), to: 'webhook', deliveryId: id };
};

/**
 * Writes the message or the delivery of an event that is there already; the event itself stays as it is.
 * @throws Failure NO_RECEIVER when the actor has no such thing now, or its link leads nowhere
 */
export const redeliver = (
  tx: Transaction,
  actor: ActorRecord,
  event: EventRecord,
  to: Redelivery,
  given: Given,
): Redelivered => (to === 'link' ? toLink(tx, actor, event, given) : toWebhook(tx, actor, event, given));
