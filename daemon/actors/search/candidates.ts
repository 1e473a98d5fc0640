// What a search goes over: the records that the caller may read, looked up where a condition says which, else one after another.
import type { SearchType } from '../../../src/contract/actors/search.ts';
import type { ActorRecord, ExecutionRecord, WorkerRecord } from '../../domain/records/actor-records.ts';
import { demandedText, type Search } from '../../domain/search/search.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ReadView } from '../../ports/store.ts';
import { canRead } from '../access.ts';

export type Candidate =
  | { readonly kind: 'actors'; readonly record: ActorRecord }
  | { readonly kind: 'executions' | 'logs'; readonly record: ExecutionRecord }
  | { readonly kind: 'workers'; readonly record: WorkerRecord };

/** What a listing has bound before: its guard has handed it out, so nothing else is asked about it. */
export interface Scope {
  readonly actor?: ActorRecord;
  readonly execution?: ExecutionRecord;
}

interface Asked {
  readonly caller: Caller;
  readonly type: SearchType;
  readonly search: Search;
  readonly scope: Scope;
}

/** What is below an actor. */
type RecordBelowActor = ExecutionRecord | WorkerRecord;

/** Whether a thing below an actor may be shown: asked once per actor. A role opens nothing here. */
const readableByActor = (store: ReadView, caller: Caller): ((record: RecordBelowActor) => boolean) => {
  const known = new Map<string, boolean>();
  return ({ actorId, tenant }) => {
    if (tenant !== caller.tenant) return false;
    const before = known.get(actorId);
    if (before !== undefined) return before;
    const actor = store.get('actors', actorId);
    const may = actor !== undefined && canRead(actor, caller);
    known.set(actorId, may);
    return may;
  };
};

const listOf = <T>(record: T | undefined): readonly T[] => (record === undefined ? [] : [record]);

const actorsOf = (store: ReadView, { caller, search, scope }: Asked): readonly ActorRecord[] => {
  if (scope.actor !== undefined) return [scope.actor];
  const id = demandedText(search, 'id');
  const records = id === undefined ? store.by('actors', 'tenant', caller.tenant) : listOf(store.get('actors', id));
  return records.filter((actor) => canRead(actor, caller));
};

/** The records below the actors; without any condition to go by, all of the store, which is walked lazily. */
const recordsBelow = <N extends 'executions' | 'workers'>(
  store: ReadView,
  collection: N,
  idField: string,
  { search, scope }: Asked,
) => {
  if (scope.actor !== undefined) return store.by(collection, 'actor', scope.actor.id);
  const id = demandedText(search, idField);
  if (id !== undefined) return listOf(store.get(collection, id));
  const actorId = demandedText(search, 'actorId');
  return actorId === undefined ? store.all(collection) : store.by(collection, 'actor', actorId);
};

function* executionsOf(store: ReadView, asked: Asked, idField: string): Generator<ExecutionRecord> {
  const { scope, caller } = asked;
  if (scope.execution !== undefined) return yield scope.execution;
  const mayRead = scope.actor === undefined ? readableByActor(store, caller) : () => true;
  for (const record of recordsBelow(store, 'executions', idField, asked)) if (mayRead(record)) yield record;
}

function* workersOf(store: ReadView, asked: Asked): Generator<WorkerRecord> {
  const mayRead = asked.scope.actor === undefined ? readableByActor(store, asked.caller) : () => true;
  for (const record of recordsBelow(store, 'workers', 'id', asked)) if (mayRead(record)) yield record;
}

/** In the order in which they were made. */
export function* candidatesOf(store: ReadView, asked: Asked): Generator<Candidate> {
  const { type: kind } = asked;
  switch (kind) {
    case 'actors':
      for (const record of actorsOf(store, asked)) yield { kind, record };
      return;
    case 'executions':
      for (const record of executionsOf(store, asked, 'id')) yield { kind, record };
      return;
    case 'logs':
      for (const record of executionsOf(store, asked, 'executionId')) yield { kind, record };
      return;
    case 'workers':
      for (const record of workersOf(store, asked)) yield { kind, record };
  }
}
