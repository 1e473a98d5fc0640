// Selects the records that a search examines: those that the caller may read, found by index if a condition allows it,
// else by a scan.
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

/** The actor or execution of a searched listing. Its guard has already checked the permission. */
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

/** A record that belongs to an actor. */
type RecordBelowActor = ExecutionRecord | WorkerRecord;

/** Makes the check for records of an actor. It decides once per actor. Roles do not count. */
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

/** The records below the actors. Without a usable condition it is the whole collection, read lazily. */
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

/** Yields the candidates in the order of their creation. */
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
