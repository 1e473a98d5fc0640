// Emptying a mailbox inside a transaction: the messages go, their executions end CANCELLED.
import { nextExecutionStatus } from '../domain/executions/execution-status.ts';
import type { Bodies } from '../ports/bodies.ts';
import type { Logger } from '../ports/logger.ts';
import type { Transaction } from '../ports/store.ts';

/** What left the mailbox. */
export interface Emptied {
  readonly purged: number;
  /** Body files that nothing names any more once the transaction is durable. */
  readonly bodyFiles: readonly string[];
}

/** Takes every waiting message of an actor out; what a worker has claimed already is not there any more and runs on. */
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

/** Removes body files. One that resists is logged and left to the sweep of the next start: its record is gone, so nothing reads it. */
export const dropBodies = async (
  { bodies, logger }: { readonly bodies: Bodies; readonly logger: Logger },
  names: readonly string[],
): Promise<void> => {
  for (const name of names) {
    try {
      await bodies.delete(name);
    } catch (error) {
      logger.warn({ error, body: name }, 'a message body could not be removed');
    }
  }
};
