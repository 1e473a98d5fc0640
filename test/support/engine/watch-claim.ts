// Watches in which order an engine claims the messages of an actor.
import type { ExecutionRecord } from '../../../daemon/domain/records/actor-records.ts';
import type { Transaction } from '../../../daemon/ports/store.ts';

/** Records the message that the transaction claims, and complains if an earlier one of the same actor waits. */
export const watchClaim = (tx: Transaction, claims: string[], complaints: string[]): Transaction => ({
  ...tx,
  put(collection, record) {
    const { id } = record as ExecutionRecord;
    const before = collection === 'executions' ? tx.get('executions', id) : undefined;
    if (before?.status === 'SUBMITTED' && (record as ExecutionRecord).status === 'RUNNING') {
      const earlier = tx.by('messages', 'actor', before.actorId).filter(({ sequence }) => sequence < before.sequence);
      if (earlier.length > 0) complaints.push(`${id} was claimed before ${earlier[0]?.executionId}`);
      claims.push(id);
    }
    tx.put(collection, record);
  },
});
