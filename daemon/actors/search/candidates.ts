// Selects the records that a search examines: the records that the caller may read, looked up in an index where a
// condition allows it.
import type { SearchType } from '../../../src/contract/actors/search.ts';
import type { ActorRecord, ExecutionRecord, WorkerRecord } from '../../domain/records/actor-records.ts';
import { actorStatusKey } from '../../domain/records/collections.ts';
import { type Demand, demandOn, type Search, withoutConditions } from '../../domain/search/search.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ReadView } from '../../ports/store.ts';
import { canRead } from '../access.ts';
import { mapped } from '../mapped.ts';

export type Candidate =
  | { readonly kind: 'actors'; readonly record: ActorRecord }
  | { readonly kind: 'executions' | 'logs'; readonly record: ExecutionRecord }
  | { readonly kind: 'workers'; readonly record: WorkerRecord };

/** The actor or execution of a searched listing. Its guard has already checked the permission. */
export interface Scope {
  readonly actor?: ActorRecord;
  readonly execution?: ExecutionRecord;
}

interface SearchRequest {
  readonly caller: Caller;
  readonly type: SearchType;
  readonly search: Search;
  readonly scope: Scope;
}

export interface Candidates {
  readonly count: number;
  /** Candidates in creation order, without the first `skip`. */
  from(skip: number): Iterable<Candidate>;
  /** The search without the conditions that every candidate already satisfies. */
  readonly search: Search;
}

/** The objects that the caller may read by permission entries; roles do not count. */
const actorsOf = (
  store: ReadView,
  { caller, scope }: SearchRequest,
  ids: Demand | undefined,
): readonly ActorRecord[] => {
  if (scope.actor !== undefined) return [scope.actor];
  const isMeant = (actor: ActorRecord) => ids === undefined || ids.texts.includes(actor.id);
  return store.by('actors', 'tenant', caller.tenant).filter((actor) => isMeant(actor) && canRead(actor, caller));
};

/**
 * The condition on the actor. In the listing of one actor it does not narrow the candidates and is checked like any
 * other condition.
 */
const demandOnActor = ({ search, scope }: SearchRequest, field: string): Demand | undefined =>
  scope.actor === undefined ? demandOn(search, field) : undefined;

const listed = (candidates: readonly Candidate[], search: Search): Candidates => ({
  count: candidates.length,
  from: (skip) => candidates.slice(skip),
  search,
});

const actorCandidates = (store: ReadView, asked: SearchRequest): Candidates => {
  const ids = demandOnActor(asked, 'id');
  return listed(
    actorsOf(store, asked, ids).map((record) => ({ kind: 'actors', record })),
    withoutConditions(asked.search, [ids]),
  );
};

const workerCandidates = (store: ReadView, asked: SearchRequest): Candidates => {
  const ofActors = demandOnActor(asked, 'actorId');
  const actors = actorsOf(store, asked, ofActors).map(({ id }) => id);
  return {
    count: store.countBy('workers', 'actor', actors),
    from: (skip) => mapped(store.each('workers', 'actor', actors, { skip }), (record) => ({ kind: 'workers', record })),
    search: withoutConditions(asked.search, [ofActors]),
  };
};

/** Candidates for searches of executions or their logs. Log rows have no status. */
const executionCandidates = (store: ReadView, asked: SearchRequest, kind: 'executions' | 'logs'): Candidates => {
  const { scope, search } = asked;
  const candidateOf = (record: ExecutionRecord): Candidate => ({ kind, record });
  if (scope.execution !== undefined) return listed([candidateOf(scope.execution)], search);

  const ofActors = demandOnActor(asked, 'actorId');
  const actors = actorsOf(store, asked, ofActors).map(({ id }) => id);
  const ids = demandOn(search, kind === 'logs' ? 'executionId' : 'id');
  if (ids !== undefined) {
    const readable = new Set(actors);
    const records = [...new Set(ids.texts)]
      .flatMap((id) => store.get('executions', id) ?? [])
      .filter(({ actorId }) => readable.has(actorId))
      .toSorted((left, right) => left.sequence - right.sequence);
    return listed(records.map(candidateOf), withoutConditions(search, [ofActors, ids]));
  }
  const statuses = kind === 'logs' ? undefined : demandOn(search, 'status');
  const index = statuses === undefined ? 'actor' : 'actorStatus';
  const values = statuses?.texts.flatMap((status) => actors.map((id) => actorStatusKey(id, status))) ?? actors;
  return {
    count: store.countBy('executions', index, values),
    from: (skip) => mapped(store.each('executions', index, values, { skip }), candidateOf),
    search: withoutConditions(search, [ofActors, statuses]),
  };
};

export const candidatesOf = (store: ReadView, asked: SearchRequest): Candidates => {
  switch (asked.type) {
    case 'actors':
      return actorCandidates(store, asked);
    case 'workers':
      return workerCandidates(store, asked);
    default:
      return executionCandidates(store, asked, asked.type);
  }
};
