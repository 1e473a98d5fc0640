// Writes an event and its consequences in one transaction: the message to the linked actor and the webhook delivery.
import type { ReadView, Transaction } from '../../ports/store.ts';
import { findActor } from '../actors/actor-reference.ts';
import { actorsInLoops, loopFrom } from '../actors/link-graph.ts';
import { effectiveLevel, includesLevel, passesChecks } from '../actors/permission.ts';
import { hasRoom, type MailboxLimits, mailboxUse } from '../executions/mailbox.ts';
import { type NewMessage, putMessage } from '../executions/put-message.ts';
import type { ActorRecord } from '../records/actor-records.ts';
import { causingExecution, type DeliveryRecord, type EventRecord } from '../records/event-records.ts';
import { nextSerial } from '../records/next-serial.ts';
import { joinKey } from '../records/record-key.ts';
import { EVENT_ORIGIN, eventMessage, eventVariables, legacyEventMessage } from './event.ts';

export type Happening = Pick<EventRecord, 'type'> &
  Partial<
    Pick<EventRecord, 'statusMessage' | 'executionId' | 'exitCode' | 'status' | 'reason' | 'synthetic' | 'emittedBy'>
  >;

export interface TimeAndIds {
  readonly now: number;
  readonly id: () => string;
}

export interface EmissionInputs extends TimeAndIds {
  /** The limits of the receiver's mailbox. If absent, no limits apply, so that the event is not lost. */
  readonly mailbox?: MailboxLimits;
}

/** Maximum number of deliveries waiting for the webhook of one actor. Further deliveries are recorded as DROPPED. */
export const DELIVERY_BACKLOG = 1_000;

/**
 * True if the links lead from the actor back to it. Every change of a link or an alias refuses such a loop. This check
 * also covers records of another origin, for example a data folder that was edited by hand: events must never
 * circulate.
 */
const isInLoop = (tx: ReadView, { id, tenant, link }: ActorRecord): boolean => {
  const loop = loopFrom(id, (at) => {
    const next = at === id ? link : tx.get('actors', at)?.link;
    return next ? findActor(tx, tenant, next)?.id : undefined;
  });
  return loop?.[0] === id;
};

/**
 * The actor that receives the events of an actor now, or why its link fails. Undefined without a link. The reason
 * quotes the link as written, because its reader may not be allowed to know which actor an alias points to.
 */
type Receiver = ActorRecord | { readonly problem: string } | undefined;

/** The actors whose links lead back to them. Used to call `receiverOf` for many actors. */
export const loopedAmong = (tx: ReadView, actors: readonly ActorRecord[]): ReadonlySet<string> =>
  actorsInLoops(
    actors.map(({ id }) => id),
    (at) => {
      const actor = tx.get('actors', at);
      return actor?.link ? findActor(tx, actor.tenant, actor.link)?.id : undefined;
    },
  );

/** @param looped the result of `loopedAmong`, if the receivers of many actors are wanted */
export const receiverOf = (tx: ReadView, actor: ActorRecord, looped?: ReadonlySet<string>): Receiver => {
  if (actor.link === undefined || actor.link === '') return undefined;
  const linked = findActor(tx, actor.tenant, actor.link);
  if (linked === undefined) return { problem: `there is no actor "${actor.link}"` };
  if (linked.id === actor.id) return { problem: 'the link leads to the actor itself' };
  if (looped?.has(actor.id) ?? isInLoop(tx, actor))
    return { problem: `the link to "${actor.link}" leads back to the actor` };
  if (linked.status === 'SHUTTING_DOWN') return { problem: `actor "${actor.link}" is being deleted` };
  const setter = actor.linkSetBy ?? actor.owner;
  const user = tx.get('users', joinKey(actor.tenant, setter));
  const may =
    user !== undefined &&
    (passesChecks(user.roles) || includesLevel(effectiveLevel(linked.permissions, setter), 'EXECUTE'));
  return may
    ? linked
    : { problem: `user "${setter}", who set the link, no longer holds EXECUTE on actor "${actor.link}"` };
};

/**
 * The message that the linked actor gets for an event. `receivedAt` is the current time (ms), `event.at` the time of
 * the event.
 */
const linkMessage = (
  receiver: ActorRecord,
  event: EventRecord,
  { executionId, receivedAt }: Pick<NewMessage, 'executionId' | 'receivedAt'>,
): NewMessage => {
  const message = eventMessage({ ...event, link: { actorId: receiver.id, executionId } });
  const text = JSON.stringify(receiver.dialect === 'legacy' ? legacyEventMessage(message, receiver) : message);
  return {
    executionId,
    executor: EVENT_ORIGIN,
    receivedAt,
    contentType: 'application/json',
    text,
    bodyFile: null,
    size: new TextEncoder().encode(text).length,
    variables: eventVariables(message),
  };
};

/** Returns the id of the execution, or undefined if the mailbox is full. */
export const sendAlongLink = (
  tx: Transaction,
  receiver: ActorRecord,
  event: EventRecord,
  { now, id, mailbox }: EmissionInputs,
): string | undefined => {
  const message = linkMessage(receiver, event, { executionId: id(), receivedAt: now });
  if (mailbox !== undefined && !hasRoom(mailboxUse(tx, receiver.id), message.size, mailbox)) return undefined;
  const eventOf = causingExecution(event);
  putMessage(tx, receiver, message, { cause: { event: event.serial, ...(eventOf !== undefined && { eventOf }) } });
  return message.executionId;
};

type Sending = Pick<DeliveryRecord, 'tenant' | 'actorId' | 'owner' | 'eventNumber' | 'eventSerial' | 'url'> &
  Partial<Pick<DeliveryRecord, 'redeliveryOf' | 'eventOf'>>;

/**
 * Writes a delivery of an existing event, or of an event written in the same transaction. It is sent after the earlier
 * deliveries of its actor, or recorded as DROPPED if too many are waiting.
 */
export const putDelivery = (tx: Transaction, sending: Sending, given: TimeAndIds): DeliveryRecord => {
  const full = tx.countBy('deliveries', 'waiting', sending.actorId) >= DELIVERY_BACKLOG;
  const delivery: DeliveryRecord = {
    id: given.id(),
    sequence: tx.nextSequence(),
    serial: nextSerial(tx, sending.tenant, 'deliveries'),
    ...sending,
    status: full ? 'DROPPED' : 'WAITING',
    createdAt: given.now,
    ...(full && {
      finishedAt: given.now,
      error: `${DELIVERY_BACKLOG} deliveries are already waiting for this receiver`,
    }),
  };
  tx.put('deliveries', delivery);
  return delivery;
};

const numberEvent = (tx: Transaction, { tenant }: ActorRecord): Pick<EventRecord, 'number' | 'serial'> => ({
  number: tx.nextSequence(),
  serial: nextSerial(tx, tenant, 'events'),
});

const newEvent = (
  { tenant, id: actorId, owner }: ActorRecord,
  { number, serial }: Pick<EventRecord, 'number' | 'serial'>,
  happening: Happening,
  at: number,
): EventRecord => ({ number, serial, tenant, actorId, owner, at, ...happening });

const deliver = (tx: Transaction, actor: ActorRecord, url: string, event: EventRecord, given: TimeAndIds): string => {
  const { id: actorId, tenant, owner } = actor;
  const { number: eventNumber, serial: eventSerial } = event;
  const eventOf = causingExecution(event);
  const sending = { tenant, actorId, owner, eventNumber, eventSerial, url, ...(eventOf !== undefined && { eventOf }) };
  return putDelivery(tx, sending, given).id;
};

/** Writes an event that goes only to the webhook and not to the linked actor. */
export const emitToWebhook = (
  tx: Transaction,
  actor: ActorRecord,
  url: string,
  happening: Happening,
  given: TimeAndIds,
): EventRecord => {
  const happened = newEvent(actor, numberEvent(tx, actor), happening, given.now);
  const event = { ...happened, deliveryId: deliver(tx, actor, url, happened, given) };
  tx.put('events', event);
  return event;
};

/** Returns the new execution, or the reason why the link fails. */
const followLink = (
  tx: Transaction,
  actor: ActorRecord,
  event: EventRecord,
  given: EmissionInputs,
): Pick<EventRecord, 'link' | 'linkProblem'> => {
  const receiver = receiverOf(tx, actor);
  if (receiver === undefined) return {};
  if ('problem' in receiver) return { linkProblem: receiver.problem };
  const executionId = sendAlongLink(tx, receiver, event, given);
  return executionId === undefined
    ? { linkProblem: `the mailbox of actor "${actor.link}" is full` }
    : { link: { actorId: receiver.id, executionId } };
};

/**
 * Writes an event, the message to the linked actor and the delivery to the webhook. Call it in the transaction that
 * causes the event. The link is resolved at this moment. Events of the platform are emitted without `mailbox` limits.
 * Events that a caller emits have these limits, because a caller can emit any number of them.
 * @see docs/http-api.md#events
 */
export const emit = (tx: Transaction, actor: ActorRecord, happening: Happening, given: EmissionInputs): EventRecord => {
  const { webhook: url } = actor;
  const happened = newEvent(actor, numberEvent(tx, actor), happening, given.now);
  const event = {
    ...happened,
    ...followLink(tx, actor, happened, given),
    ...(url !== undefined && url !== '' && { deliveryId: deliver(tx, actor, url, happened, given) }),
  };
  tx.put('events', event);
  return event;
};
