// Sends an event again on request, to the current link or webhook of its actor.
import type { Transaction } from '../../ports/store.ts';
import { Failure } from '../failure.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import { causingExecution, type DeliveryRecord, type EventRecord } from '../records/event-records.ts';
import { type EmissionInputs, putDelivery, receiverOf, sendAlongLink, type TimeAndIds } from './emission.ts';

export type Redelivery = 'link' | 'webhook';

export type Redelivered =
  | { readonly event: string; readonly to: 'link'; readonly actorId: string; readonly executionId: string }
  | { readonly event: string; readonly to: 'webhook'; readonly deliveryId: string };

const noReceiver = (why: string): Failure =>
  new Failure('NO_RECEIVER', `${why}. Nothing was sent. Update the actor, then send the event again.`);

/**
 * The inputs for a redelivery. Mailbox limits always apply, because a caller can repeat an event any number of times.
 */
type RedeliveryInputs = Required<EmissionInputs>;

const toLink = (tx: Transaction, actor: ActorRecord, event: EventRecord, given: RedeliveryInputs): Redelivered => {
  const receiver = receiverOf(tx, actor);
  if (receiver === undefined) throw noReceiver(`Actor "${actor.id}" has no link`);
  if ('problem' in receiver) throw noReceiver(`The link of actor "${actor.id}" fails: ${receiver.problem}`);
  const executionId = sendAlongLink(tx, receiver, event, given);
  if (executionId !== undefined) return { event: String(event.serial), to: 'link', actorId: receiver.id, executionId };
  throw new Failure(
    'THROTTLED',
    `The mailbox of actor "${actor.link}" is full. Nothing was sent. Send the event again after some of its messages are done.`,
    { retryAfter: 1 },
  );
};

/** @param repeated id of the delivery that is repeated */
export const deliverAgain = (
  tx: Transaction,
  actor: ActorRecord,
  {
    repeated,
    eventOf,
    ...event
  }: Pick<DeliveryRecord, 'eventNumber' | 'eventSerial'> & {
    readonly repeated: string | undefined;
    readonly eventOf: string | undefined;
  },
  given: TimeAndIds,
): DeliveryRecord => {
  const { id: actorId, tenant, owner, webhook: url } = actor;
  if (url === undefined || url === '') throw noReceiver(`Actor "${actorId}" has no webhook`);
  const causes = {
    ...(repeated !== undefined && { redeliveryOf: repeated }),
    ...(eventOf !== undefined && { eventOf }),
  };
  return putDelivery(tx, { tenant, actorId, owner, ...event, url, ...causes }, given);
};

const toWebhook = (tx: Transaction, actor: ActorRecord, event: EventRecord, given: TimeAndIds): Redelivered => {
  const { number: eventNumber, serial: eventSerial, deliveryId: repeated } = event;
  const sent = { eventNumber, eventSerial, repeated, eventOf: causingExecution(event) };
  const { id } = deliverAgain(tx, actor, sent, given);
  return { event: String(eventSerial), to: 'webhook', deliveryId: id };
};

/**
 * Sends an event again. The event itself stays unchanged.
 * @throws Failure NO_RECEIVER when the actor has no link or webhook, or its link fails; THROTTLED when the mailbox of
 * the linked actor is full
 */
export const redeliver = (
  tx: Transaction,
  actor: ActorRecord,
  event: EventRecord,
  to: Redelivery,
  given: RedeliveryInputs,
): Redelivered => (to === 'link' ? toLink(tx, actor, event, given) : toWebhook(tx, actor, event, given));
