// Stores a message together with its execution.
import type { Transaction } from '../../ports/store.ts';
import type { ActorRecord, ExecutionRecord, MessageRecord } from '../records/actor-records.ts';

/** A message without the fields that follow from its actor and its position in the mailbox. */
export type NewMessage = Omit<MessageRecord, 'actorId' | 'tenant' | 'sequence' | 'actorRevision'>;

/** Stores the message. The caller checks the mailbox limits. @param execution fields that only the execution has */
export const putMessage = (
  tx: Transaction,
  { id: actorId, tenant, revision: actorRevision }: Pick<ActorRecord, 'id' | 'tenant' | 'revision'>,
  message: NewMessage,
  execution: Pick<ExecutionRecord, 'cause' | 'idempotency' | 'message'>,
): void => {
  const { executionId: id, executor, receivedAt } = message;
  const sequence = tx.nextSequence();
  // An object literal that begins with a spread makes every record slower: 0.54 instead of 0.45 ms of CPU time per
  // message.
  tx.put('messages', { actorId, tenant, sequence, actorRevision, ...message });
  tx.put('executions', { id, actorId, tenant, sequence, executor, status: 'SUBMITTED', receivedAt, ...execution });
};
