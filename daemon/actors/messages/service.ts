// Taking messages into mailboxes, counting and purging them.

import type { Message } from '../../domain/executions/message.ts';
import { putMessage } from '../../domain/executions/put-message.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, Cause, MessageRecord } from '../../domain/records/actor-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Caller } from '../../http/route-handler.ts';
import { INLINE_BODY_LIMIT } from '../../ports/bodies.ts';
import type { Transaction } from '../../ports/store.ts';
import { unknownActor } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { dropBodies, emptyMailbox } from '../purge-mailbox.ts';

type Dependencies = Pick<
  ActorsDependencies,
  'store' | 'engine' | 'bodies' | 'clock' | 'ids' | 'vault' | 'logger' | 'queueLimit'
>;

/** Messages that may wait for one actor when nothing else is set. */
const QUEUE_LIMIT = 10_000;

/** A message of at most so many bytes stays with its execution, to be sent again: execution records are held in memory. */
const KEPT_LIMIT = 4_096;

/** More waiting messages than this, and nobody waits for an answer. @see facts 4.7 */
const SYNCHRONOUS_QUEUE_LIMIT = 3;

/** A message and what goes with it. */
export interface Sent {
  readonly message: Message;
  readonly variables: Readonly<Record<string, string>>;
  /** The sender waits for the end of the execution. */
  readonly synchronous: boolean;
  /** What the sender calls this message: sent again under the same name it is not taken again. */
  readonly key?: string;
  /** The delivery to a webhook by which it says that it comes. */
  readonly deliveryId?: string;
}

export interface Messages {
  /**
   * Takes a message; resolves with the id of its execution once both are durable. A message that this sender sent before under
   * the same key is not taken again: the id is that of its execution, for as long as that is kept.
   * @throws Failure NOT_FOUND, ACTOR_BUSY when the actor is being deleted, THROTTLED when its mailbox is full,
   * VALIDATION when the sender would wait behind too many, KEY_REUSED when another message was sent under that key, STORE_UNAVAILABLE
   */
  send(actor: ActorRecord, caller: Caller, sent: Sent): Promise<string>;
  /** How many wait; the ones being executed are not counted. */
  count(actorId: string): number;
  /** The ones that wait, oldest first, at most `limit`. */
  waiting(actorId: string, limit: number): readonly MessageRecord[];
  /** Drops the ones that wait and resolves with their number; their executions end CANCELLED. */
  purge(actorId: string): Promise<number>;
}

const checkRoom = (tx: Transaction, actorId: string, limit: number, synchronous: boolean): void => {
  const waiting = tx.countBy('messages', 'actor', actorId);
  if (synchronous && waiting > SYNCHRONOUS_QUEUE_LIMIT) {
    throw new Failure(
      'VALIDATION',
      `${waiting} messages wait for this actor; with more than ${SYNCHRONOUS_QUEUE_LIMIT} it takes no synchronous one. Send it without _svc_synchronous.`,
      { waiting },
    );
  }
  if (waiting < limit) return;
  throw new Failure(
    'THROTTLED',
    `The mailbox of this actor is full: ${waiting} messages wait. Send it again when some are done, or purge them.`,
    { waiting, limit, retryAfter: 1 },
  );
};

/** Text up to the limit stands in the record; longer text, and bytes of any number, in a file of their own. */
const place = async (
  { bodies }: Pick<Dependencies, 'bodies'>,
  { content }: Message,
): Promise<Pick<MessageRecord, 'text' | 'bodyFile' | 'size'>> => {
  const size = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  if (typeof content === 'string' && size <= INLINE_BODY_LIMIT) return { text: content, bodyFile: null, size };
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { text: null, bodyFile: await bodies.put(bytes), size };
};

const digestOf = (
  { vault }: Pick<Dependencies, 'vault'>,
  { contentType, content }: Message,
  variables: object,
): string =>
  vault.digest(
    JSON.stringify([
      contentType,
      typeof content === 'string' ? content : Buffer.from(content).toString('base64'),
      variables,
    ]),
  );

/** The execution of the same message sent before. @throws Failure KEY_REUSED when it was another message */
const sentBefore = (tx: Transaction, { key, digest }: { readonly key: string; readonly digest: string }) => {
  const before = tx.by('executions', 'idempotency', key)[0];
  if (before !== undefined && before.idempotency?.digest !== digest) {
    throw new Failure(
      'KEY_REUSED',
      `Another message was sent under this key; its execution is ${before.id}. Give each message a key of its own.`,
      { executionId: before.id },
    );
  }
  return before?.id;
};

/** What the message comes of. A delivery is believed only while it is being sent, and only to an actor of its own tenant. */
const causeOf = (
  tx: Transaction,
  { tenant }: ActorRecord,
  { executionId, nonceId }: Caller,
  deliveryId: string | undefined,
): { readonly cause?: Cause } => {
  const delivery = deliveryId === undefined ? undefined : tx.get('deliveries', deliveryId);
  const sent = delivery?.status === 'SENDING' && delivery.tenant === tenant ? delivery : undefined;
  if (executionId === undefined && nonceId === undefined && sent === undefined) return {};
  return {
    cause: {
      ...(executionId !== undefined && { executionId }),
      ...(nonceId !== undefined && { nonceId }),
      ...(sent && { deliveryId: sent.id, event: sent.eventNumber }),
    },
  };
};

export const messages = (deps: Dependencies): Messages => {
  const { store, engine, clock, ids } = deps;
  return {
    async send({ id: actorId }, caller, { message, variables, synchronous, key, deliveryId }) {
      const { username: executor } = caller;
      const idempotency =
        key === undefined
          ? undefined
          : { key: joinKey(actorId, executor, key), digest: digestOf(deps, message, variables) };
      const placed = await place(deps, message);
      const executionId = ids.id();
      let taken = executionId;
      try {
        taken = await store.transact((tx) => {
          const actor = tx.get('actors', actorId);
          if (actor === undefined) throw unknownActor();
          if (actor.status === 'SHUTTING_DOWN') {
            throw new Failure('ACTOR_BUSY', 'The actor takes no message: it is being deleted.');
          }
          const before = idempotency === undefined ? undefined : sentBefore(tx, idempotency);
          if (before !== undefined) return before;
          checkRoom(tx, actorId, deps.queueLimit ?? QUEUE_LIMIT, synchronous);
          const { contentType } = message;
          putMessage(
            tx,
            actor,
            { executionId, contentType, ...placed, variables, executor, receivedAt: clock.now() },
            {
              ...causeOf(tx, actor, caller, deliveryId),
              ...(idempotency !== undefined && { idempotency }),
              ...(placed.text !== null &&
                placed.size <= KEPT_LIMIT && { message: { contentType, text: placed.text, variables } }),
            },
          );
          return executionId;
        });
      } catch (error) {
        if (placed.bodyFile !== null) await dropBodies(deps, [placed.bodyFile]);
        throw error;
      }
      if (taken !== executionId && placed.bodyFile !== null) await dropBodies(deps, [placed.bodyFile]);
      engine.wake(actorId);
      return taken;
    },

    count: (actorId) => store.countBy('messages', 'actor', actorId),

    waiting: (actorId, limit) =>
      store
        .by('messages', 'actor', actorId)
        .toSorted((a, b) => a.sequence - b.sequence)
        .slice(0, limit),

    async purge(actorId) {
      const { purged, bodyFiles } = await store.transact((tx) =>
        emptyMailbox(tx, actorId, clock.now(), 'its message was purged'),
      );
      // Who waits for one of these executions learns its end from the engine.
      engine.wake(actorId);
      await dropBodies(deps, bodyFiles);
      return purged;
    },
  };
};
