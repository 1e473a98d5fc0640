// Empties a mailbox: deletes the messages and cancels their executions.
import { nextExecutionStatus } from '../domain/executions/execution-status.ts';
import { Failure } from '../domain/failure.ts';
import type { MessageRecord } from '../domain/records/actor-records.ts';
import { slicesOf } from '../domain/records/slices.ts';
import type { Bodies } from '../ports/bodies.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store, Transaction } from '../ports/store.ts';

interface BodyFiles {
  readonly bodies: Bodies;
  readonly logger: Logger;
}

interface Dependencies extends BodyFiles {
  readonly store: Store;
  readonly clock: Clock;
}

const cancelMessages = (
  tx: Transaction,
  executionIds: readonly string[],
  now: number,
  statusMessage: string,
): readonly MessageRecord[] =>
  executionIds.flatMap((executionId) => {
    const message = tx.get('messages', executionId);
    if (message === undefined) return [];
    tx.delete('messages', executionId);
    const execution = tx.get('executions', executionId);
    const status = execution === undefined ? null : nextExecutionStatus(execution.status, 'cancel');
    if (execution !== undefined && status !== null) {
      tx.put('executions', { ...execution, status, statusMessage, finishedAt: now });
    }
    return [message];
  });

const cutShort = (error: Failure, purged: number, waiting: number): Failure =>
  new Failure(
    error.code,
    `${purged} of ${waiting} messages were purged, and the others still wait. Check the disk of the daemon and purge again.`,
    { ...error.detail, purged },
  );

/** Iterates the messages of an actor up to this sequence number, oldest first, reading each one on demand. */
const waitingUntil = function* (store: Store, actorId: string, last: number): Generator<string, void> {
  for (const { executionId, sequence } of store.each('messages', 'actor', actorId)) {
    if (sequence <= last) yield executionId;
  }
};

/**
 * Deletes the messages of an actor that wait at the time of the call, oldest first, and cancels their executions.
 * Resolves with their number once all are deleted durably. A message that a worker claims before its turn is not
 * deleted, and neither is a later message.
 * @throws Failure STORE_UNAVAILABLE, possibly after some messages were deleted
 * @see docs/http-api.md#messages
 */
export const purgeMailbox = async (
  { store, clock, ...deps }: Dependencies,
  actorId: string,
  statusMessage: string,
): Promise<number> => {
  const { waiting, last } = await store.transact((tx) => ({
    waiting: tx.countBy('messages', 'actor', actorId),
    // A message shares the sequence number of its execution, and the newest execution is never deleted before it ends.
    last: tx.page('executions', 'actor', actorId, { limit: 1, newestFirst: true })[0]?.sequence ?? 0,
  }));
  let purged = 0;
  for (const slice of slicesOf(waitingUntil(store, actorId, last))) {
    try {
      const messages = await store.transact((tx) => cancelMessages(tx, slice, clock.now(), statusMessage));
      purged += messages.length;
      await dropBodies(deps, bodyFilesOf(messages));
    } catch (error) {
      throw error instanceof Failure && purged > 0 ? cutShort(error, purged, waiting) : error;
    }
  }
  return purged;
};

/**
 * Deletes one message of an actor if it still waits, and cancels its execution. Resolves with the number of deleted
 * messages.
 * @throws Failure STORE_UNAVAILABLE
 */
export const cancelMessage = async (
  { store, clock, ...deps }: Dependencies,
  actorId: string,
  executionId: string,
): Promise<number> => {
  const messages = await store.transact((tx) =>
    tx.get('messages', executionId)?.actorId === actorId
      ? cancelMessages(tx, [executionId], clock.now(), 'the message was cancelled')
      : [],
  );
  await dropBodies(deps, bodyFilesOf(messages));
  return messages.length;
};

/** Names of the body files of messages or results. */
export const bodyFilesOf = (records: readonly { readonly bodyFile: string | null }[]): readonly string[] =>
  records.flatMap(({ bodyFile }) => (bodyFile === null ? [] : [bodyFile]));

/** Deletes body files. A failure is only logged: the next start deletes files that no record names. */
export const dropBodies = async ({ bodies, logger }: BodyFiles, names: readonly string[]): Promise<void> => {
  for (const name of names) {
    try {
      await bodies.delete(name);
    } catch (error) {
      logger.warn({ error, body: name }, 'cannot remove a message body');
    }
  }
};
