// A store whose decisions write events by themselves: whoever makes an actor READY or ERROR, or ends an execution, need not think of it.

import { emit, type Given } from '../domain/events/emission.ts';
import type { ActorRecord, ExecutionRecord } from '../domain/records/actor-records.ts';
import type { Store, Transaction } from '../ports/store.ts';

const afterActor = (tx: Transaction, before: ActorRecord | undefined, actor: ActorRecord, given: () => Given): void => {
  if (before?.status === actor.status) return;
  if (actor.status === 'READY') emit(tx, actor, { type: 'ACTOR_READY' }, given());
  if (actor.status === 'ERROR') {
    emit(tx, actor, { type: 'ACTOR_ERROR', statusMessage: actor.statusMessage }, given());
  }
};

/** A message that was purged or whose actor is gone ends its execution too, but nothing was executed: no event. */
const afterExecution = (
  tx: Transaction,
  before: ExecutionRecord | undefined,
  execution: ExecutionRecord,
  given: () => Given,
): void => {
  const { id, actorId, status, exitCode } = execution;
  if (before?.status === status || (status !== 'COMPLETE' && status !== 'ERROR')) return;
  const actor = tx.get('actors', actorId);
  if (actor === undefined) return;
  emit(
    tx,
    actor,
    { type: 'EXECUTION_COMPLETE', executionId: id, status, ...(exitCode !== undefined && { exitCode }) },
    given(),
  );
};

/**
 * The same store; in its decisions every `put` that changes the status of an actor to READY or ERROR, or of an execution to
 * COMPLETE or ERROR, also writes the event with all that follows from it. @see spec 6, facts 3.1
 */
export const emittingStore = (
  store: Store,
  { ids, clock }: { readonly ids: { id(): string }; readonly clock: { now(): number } },
): Store => {
  const given = (): Given => ({ now: clock.now(), id: () => ids.id() });
  const emitting = (tx: Transaction): Transaction => ({
    ...tx,
    put(collection, record) {
      if (collection !== 'actors' && collection !== 'executions') return tx.put(collection, record);
      if (collection === 'actors') {
        const actor = record as ActorRecord;
        const before = tx.get('actors', actor.id);
        tx.put('actors', actor);
        return afterActor(tx, before, actor, given);
      }
      const execution = record as ExecutionRecord;
      const before = tx.get('executions', execution.id);
      tx.put('executions', execution);
      return afterExecution(tx, before, execution, given);
    },
  });
  // The store hands out one and the same transaction object, so it is dressed once.
  const dressed = new WeakMap<Transaction, Transaction>();
  const dress = (tx: Transaction): Transaction => {
    const known = dressed.get(tx) ?? emitting(tx);
    dressed.set(tx, known);
    return known;
  };
  return { ...store, transact: (decide) => store.transact((tx) => decide(dress(tx))) };
};
