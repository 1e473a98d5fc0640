// Adds messages to mailboxes, counts and purges them.

import { mayChooseCode } from '../../domain/actors/permission.ts';
import { type PermittedVariables, permittedVariables } from '../../domain/actors/sender-variables.ts';
import { hasRoom, mailboxLimitsOf, mailboxUse } from '../../domain/executions/mailbox.ts';
import type { Message } from '../../domain/executions/message.ts';
import { KEPT_MESSAGE_LIMIT, putMessage } from '../../domain/executions/put-message.ts';
import { mayChooseCodeWith } from '../../domain/executions/token-reach.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, Cause, MessageRecord } from '../../domain/records/actor-records.ts';
import { joinKey } from '../../domain/records/record-key.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { Transaction } from '../../ports/store.ts';
import { demandLiveActor, demandRunning, hasLevel } from '../access.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { refuseEventLoop } from '../link-loops.ts';
import { cancelMessage, dropBodies, purgeMailbox } from '../purge-mailbox.ts';
import { storeBody } from './store-body.ts';

type Dependencies = Pick<
  ActorsDependencies,
  'store' | 'bodies' | 'clock' | 'ids' | 'vault' | 'logger' | 'queueLimit' | 'mailboxLimit'
>;

/** Synchronous messages are refused if more messages than this wait. @see docs/http-api.md#messages */
const SYNCHRONOUS_QUEUE_LIMIT = 3;

export interface Submission {
  readonly message: Message;
  /** The variables that were sent. Those that the author may not set are left out. */
  readonly variables: Readonly<Record<string, string>>;
  /** The author of the variables, if it differs from the caller. */
  readonly author?: Author;
  /** The execution whose message is sent again. */
  readonly rerunOf?: string;
  /** True if the sender waits for the end of the execution. */
  readonly synchronous: boolean;
  /** Idempotency key. A second message with the same key is not accepted again. */
  readonly key?: string | undefined;
  /** Id of the webhook delivery that carries the message. */
  readonly deliveryId?: string;
}

/** The identity that decides which variables may be set. */
export type Author = Pick<Caller, 'tenant' | 'username' | 'roles' | 'nonceId' | 'reach'>;

export interface Accepted extends Pick<PermittedVariables, 'ignored'> {
  readonly executionId: string;
}

/**
 * Checks the mailbox limits. An empty mailbox accepts a message of any size.
 * @throws Failure VALIDATION for a synchronous message behind too many others, THROTTLED if the mailbox is full
 */
const demandRoom = (
  tx: Transaction,
  actorId: string,
  { size, synchronous }: { readonly size: number; readonly synchronous: boolean },
  given: Pick<Dependencies, 'queueLimit' | 'mailboxLimit'>,
): void => {
  const use = mailboxUse(tx, actorId);
  const { messages: waiting, bytes } = use;
  if (synchronous && waiting > SYNCHRONOUS_QUEUE_LIMIT) {
    throw new Failure(
      'VALIDATION',
      `${waiting} messages wait for this actor. Synchronous messages are refused above ${SYNCHRONOUS_QUEUE_LIMIT}. Send it without _svc_synchronous.`,
      { waiting },
    );
  }
  const limits = mailboxLimitsOf(given);
  if (hasRoom(use, size, limits)) return;
  throw new Failure(
    'THROTTLED',
    `The mailbox of this actor is full: ${waiting} messages with ${bytes} bytes wait. The limits are ${limits.messages} messages and ${limits.bytes} bytes. Send it again after some are done, or purge them.`,
    { waiting, limit: limits.messages, bytes, byteLimit: limits.bytes, retryAfter: 1 },
  );
};

/** Identifies a message when two messages are compared. Large content is identified by its hash. */
const contentKey = (content: Message['content']): string => {
  if (typeof content === 'string') return content;
  return 'name' in content ? content.sha256 : Buffer.from(content).toString('base64');
};

const digestOf = (
  { vault }: Pick<Dependencies, 'vault'>,
  { contentType, content }: Message,
  variables: object,
  rerunOf: string | undefined,
): string =>
  vault.digest(
    JSON.stringify([contentType, contentKey(content), variables, ...(rerunOf === undefined ? [] : [rerunOf])]),
  );

/** Each nonce has its own idempotency keys, because its holder is not its owner. */
const idempotencyKey = (actorId: string, { username, nonceId }: Caller, key: string): string =>
  nonceId === undefined ? joinKey(actorId, username, key) : joinKey(actorId, username, nonceId, key);

/**
 * Id of the execution of the earlier message with the same key and content.
 * @throws Failure KEY_REUSED if the earlier message was different
 */
const earlierExecution = (tx: Transaction, { key, digest }: { readonly key: string; readonly digest: string }) => {
  const before = tx.by('executions', 'idempotency', key)[0];
  if (before !== undefined && before.idempotency?.digest !== digest) {
    throw new Failure(
      'KEY_REUSED',
      `Another message was already sent with this idempotency key. Its execution is ${before.id}. Use a new key for each message.`,
      { executionId: before.id },
    );
  }
  return before?.id;
};

/**
 * The cause of an execution. A delivery id counts only while that delivery is being sent, and only within its tenant.
 */
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
      executionId,
      nonceId,
      ...(sent && { deliveryId: sent.id, event: sent.eventSerial }),
      ...(sent?.eventOf !== undefined && { eventOf: sent.eventOf }),
    },
  };
};

/**
 * True if the author may set names that the owner did not declare. Such a name can make the actor run other code, so
 * setting it requires the same rights as updating the actor. A nonce never counts as UPDATE, because its holder is not
 * its owner. Neither does the token of an execution that cannot update actors.
 */
const maySetAny = (actor: ActorRecord, author: Author): boolean =>
  author.nonceId === undefined &&
  mayChooseCodeWith(author.reach, actor) &&
  hasLevel(actor, author, 'UPDATE') &&
  mayChooseCode(actor, author.roles);

export const messages = (deps: Dependencies) => {
  const { store, clock, ids } = deps;
  return {
    /**
     * Accepts a message. Resolves once message and execution are durable. If the sender already sent this message under
     * the same key, the execution of the first one is returned while it is still stored. The file of a message that is
     * not accepted is deleted.
     * @throws Failure NOT_FOUND, ACTOR_BUSY if the actor is being deleted, THROTTLED if its mailbox is full, VALIDATION
     * if too many messages wait for a synchronous one, KEY_REUSED if the key was used for another message, AUTH_FAILED,
     * LINK_CYCLE if a webhook returns an event to an actor that caused it, STORE_UNAVAILABLE
     */
    async send(
      { id: actorId }: ActorRecord,
      caller: Caller,
      { message, variables: sent, author, rerunOf, synchronous, key, deliveryId }: Submission,
    ): Promise<Accepted> {
      const { username: executor } = caller;
      const idempotency =
        key === undefined
          ? undefined
          : { key: idempotencyKey(actorId, caller, key), digest: digestOf(deps, message, sent, rerunOf) };
      const { beginning, ...body } = await storeBody(deps, message);
      const executionId = ids.id();
      let taken: Accepted = { executionId, ignored: [] };
      try {
        taken = await store.transact((tx) => {
          demandRunning(tx, caller.executionId);
          const actor = demandLiveActor(tx, actorId, 'The message was not accepted: the actor is being deleted.');
          const { variables, ignored } = permittedVariables(actor, sent, maySetAny(actor, author ?? caller));
          const before = idempotency === undefined ? undefined : earlierExecution(tx, idempotency);
          if (before !== undefined) return { executionId: before, ignored };
          demandRoom(tx, actorId, { size: body.size, synchronous }, deps);
          const { contentType } = message;
          const caused = causeOf(tx, actor, caller, deliveryId);
          refuseEventLoop(tx, actor, caused.cause);
          putMessage(
            tx,
            actor,
            { executionId, contentType, ...body, variables, executor, receivedAt: clock.now() },
            {
              ...caused,
              ...(rerunOf !== undefined && { rerunOf }),
              ...(idempotency !== undefined && { idempotency }),
              ...(body.text !== null &&
                body.size <= KEPT_MESSAGE_LIMIT && { message: { contentType, text: body.text, variables } }),
            },
            beginning,
          );
          return { executionId, ignored };
        });
      } catch (error) {
        if (body.bodyFile !== null) await dropBodies(deps, [body.bodyFile]);
        throw error;
      }
      if (taken.executionId !== executionId && body.bodyFile !== null) await dropBodies(deps, [body.bodyFile]);
      return taken;
    },

    /** Number of waiting messages, without the messages that are being executed. */
    count: (actorId: string): number => store.countBy('messages', 'actor', actorId),

    /** The waiting messages, oldest first, at most `limit`. */
    waiting: (actorId: string, limit: number): readonly MessageRecord[] =>
      store
        .by('messages', 'actor', actorId)
        .toSorted((a, b) => a.sequence - b.sequence)
        .slice(0, limit),

    /**
     * Deletes the messages that are waiting at the time of the call and resolves with their number. Their executions
     * become CANCELLED. Other requests are served meanwhile.
     * @throws Failure STORE_UNAVAILABLE, possibly after some messages were deleted
     */
    purge: (actorId: string): Promise<number> => purgeMailbox(deps, actorId, 'the message was purged'),

    /** Deletes the message of one execution if it waits. Resolves with the number of deleted messages. */
    cancel: (actorId: string, executionId: string): Promise<number> => cancelMessage(deps, actorId, executionId),
  };
};
