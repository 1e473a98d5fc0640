// Wraps a store so that it writes an event when a transaction makes an actor READY or ERROR, or ends an execution.

import type { Store, Transaction } from '../../ports/store.ts';
import type { ActorRecord, ExecutionRecord } from '../records/actor-records.ts';
import { emit, type TimeAndIds } from './emission.ts';

const afterActor = (
  tx: Transaction,
  before: ActorRecord | undefined,
  actor: ActorRecord,
  given: () => TimeAndIds,
): void => {
  if (before?.status === actor.status) return;
  if (actor.status === 'READY') emit(tx, actor, { type: 'ACTOR_READY' }, given());
  if (actor.status === 'ERROR') {
    emit(tx, actor, { type: 'ACTOR_ERROR', statusMessage: actor.statusMessage }, given());
  }
};

/** A cancelled execution (purged message, deleted actor) causes no event, because nothing was executed. */
const afterExecution = (
  tx: Transaction,
  before: ExecutionRecord | undefined,
  execution: ExecutionRecord,
  given: () => TimeAndIds,
): void => {
  const { id: executionId, actorId, status, exitCode, reason } = execution;
  if (before?.status === status || (status !== 'COMPLETE' && status !== 'ERROR')) return;
  const actor = tx.get('actors', actorId);
  if (actor === undefined) return;
  const happening = { type: 'EXECUTION_COMPLETE', executionId, status, exitCode, reason };
  const { linkProblem } = emit(tx, actor, happening, given());
  if (linkProblem !== undefined) tx.put('executions', { ...execution, linkProblem });
};

/**
 * Every `put` that makes an actor READY or ERROR, or ends an execution, writes the matching event.
 * @see docs/http-api.md#events
 */
export const emittingStore = <S extends Store>(
  store: S,
  { ids, clock }: { readonly ids: { id(): string }; readonly clock: { now(): number } },
): S => {
  const given = (): TimeAndIds => ({ now: clock.now(), id: () => ids.id() });
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
  // The store reuses one transaction object, so its wrapper is created once.
  const wrappers = new WeakMap<Transaction, Transaction>();
  const wrapped = (tx: Transaction): Transaction => {
    const wrapper = wrappers.get(tx) ?? emitting(tx);
    wrappers.set(tx, wrapper);
    return wrapper;
  };
  return { ...store, transact: <T>(decide: (tx: Transaction) => T) => store.transact((tx) => decide(wrapped(tx))) };
};
