// Empties a mailbox: deletes the messages and cancels their executions.
import { nextExecutionStatus } from '../domain/executions/execution-status.ts';
import type { Bodies } from '../ports/bodies.ts';
import type { Logger } from '../ports/logger.ts';
import type { Transaction } from '../ports/store.ts';

/** The outcome of emptying a mailbox. */
export interface Emptied {
  readonly purged: number;
  /** Body files to delete once the transaction is durable. */
  readonly bodyFiles: readonly string[];
}

/** Deletes every waiting message of an actor. A message that a worker has already claimed is not affected. */
export const emptyMailbox = (tx: Transaction, actorId: string, now: number, statusMessage: string): Emptied => {
  const messages = tx.by('messages', 'actor', actorId);
  for (const { executionId } of messages) {
    tx.delete('messages', executionId);
    const execution = tx.get('executions', executionId);
    const status = execution === undefined ? null : nextExecutionStatus(execution.status, 'cancel');
    if (execution !== undefined && status !== null) {
      tx.put('executions', { ...execution, status, statusMessage, finishedAt: now });
    }
  }
  return { purged: messages.length, bodyFiles: bodyFilesOf(messages) };
};

/** Names of the body files of messages or results. */
export const bodyFilesOf = (records: readonly { readonly bodyFile: string | null }[]): readonly string[] =>
  records.flatMap(({ bodyFile }) => (bodyFile === null ? [] : [bodyFile]));

/** Deletes body files. A failure is only logged: the next start deletes files without a record. */
export const dropBodies = async (
  { bodies, logger }: { readonly bodies: Bodies; readonly logger: Logger },
  names: readonly string[],
): Promise<void> => {
  for (const name of names) {
    try {
      await bodies.delete(name);
    } catch (error) {
      logger.warn({ error, body: name }, 'cannot remove a message body');
    }
  }
};
