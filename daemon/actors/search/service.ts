// Searches the records that the caller may read and returns one page of matches.

import type { SearchType } from '../../../src/contract/actors/search.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { findActor } from '../../domain/actors/actor-reference.ts';
import { Failure } from '../../domain/failure.ts';
import type { ExecutionRecord } from '../../domain/records/actor-records.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../domain/search/concurrency-limit.ts';
import { bestHits, hitsInOrder } from '../../domain/search/hits.ts';
import {
  looksAt,
  matchRow,
  type Pattern,
  parseSearch,
  rankRow,
  type Search,
  takesAll,
} from '../../domain/search/search.ts';
import { withActorIds } from '../../domain/search/search-aliases.ts';
import type { Caller } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { createPause, type Pause } from '../pause.ts';
import { type Candidate, type Candidates, candidatesOf, type Scope } from './candidates.ts';
import { type Row, rowsOf, searchableRow } from './rows.ts';

/** Longest pattern, in characters. */
const MAX_LENGTH = 1_000;
/** Maximum number of instructions in a compiled pattern. The cost of a match grows with them. */
const MAX_PROGRAM_SIZE = 500;
/** Time limit (ms) for all patterns of one search together. */
const BUDGET_MS = 750;

const refuse = (key: string, words: string): Failure => new Failure('VALIDATION', `${key} ${words}`, { field: key });

export const usesPatterns = (query: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(query).some((key) => /\.n?like$/.test(key));

/** Pattern compiler of a search without patterns. It must never be called. */
const unexpectedPattern = (): never => {
  throw new Error('a search without patterns compiled a pattern');
};

/**
 * Makes the pattern compiler for one search. It throws Failure VALIDATION for a pattern that is too large or not valid
 * in RE2. A compiled pattern throws the same failure once the patterns of the search have used up their time limit.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export const patternCompiler = async (): Promise<(pattern: string, key: string) => Pattern> => {
  // Loaded on demand: loading takes a while and most searches have no pattern.
  const { RE2JS, RE2JSException } = await import('re2js');
  let spent = 0;
  const compiled = (pattern: string, key: string) => {
    if (pattern.length > MAX_LENGTH) throw refuse(key, `must be a pattern of at most ${MAX_LENGTH} characters.`);
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      const why = error.message.replace(/^error parsing regexp: /, '');
      throw refuse(
        key,
        `cannot be used as a pattern: ${why}. Patterns follow RE2: no look-around, no back-references.`,
      );
    }
  };
  return (pattern, key) => {
    const expression = compiled(pattern, key);
    if (expression.programSize() > MAX_PROGRAM_SIZE) {
      throw refuse(key, 'is too large a pattern. Use fewer and smaller repetitions.');
    }
    return (line) => {
      if (spent > BUDGET_MS) {
        throw refuse(key, 'takes too long. Simplify the pattern, or add conditions that leave fewer records.');
      }
      const begun = performance.now();
      const matches = expression.test(line);
      spent += performance.now() - begun;
      return matches;
    };
  };
};

export type Found = ResultOf<Operations['search.find']>;

export interface SearchRequest {
  readonly caller: Caller;
  readonly type: SearchType;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly scope?: Scope;
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Maximum numbers of running and of waiting searches. */
const MAX_RUNNING = 4;
const MAX_WAITING = 64;
/** Maximum characters of logs on one page. */
const LOG_CHARACTERS = 8_000_000;

const isMatch = async (search: Search, row: Row, pause: Pause): Promise<boolean> => {
  const steps = matchRow(search, row);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (pause.isDue()) await pause.take();
  }
};

const first = function* <T>(values: Iterable<T>, most: number): Generator<T> {
  let left = most;
  if (left === 0) return;
  for (const value of values) {
    yield value;
    left -= 1;
    if (left === 0) return;
  }
};

const hitsOf = async (
  { count, from, search }: Candidates,
  read: (candidate: Candidate) => Promise<Row> | Row,
  pause: Pause,
): Promise<{ readonly total: number; readonly page: Iterable<Candidate> }> => {
  if (takesAll(search)) return { total: count, page: first(from(search.skip), search.limit) };
  const hits = search.words.length > 0 ? bestHits<Candidate>(search) : hitsInOrder<Candidate>(search);
  for (const candidate of from(0)) {
    if (pause.isDue()) await pause.take();
    const row = searchableRow(await read(candidate));
    if (await isMatch(search, row, pause)) hits.add(candidate, rankRow(search, row));
  }
  return { total: hits.total(), page: hits.page() };
};

/** Limits the searches that run and wait. Throws THROTTLED if too many wait. */
export const createSearchGate = () =>
  createConcurrencyLimit(
    MAX_RUNNING,
    MAX_WAITING,
    () =>
      new Failure('THROTTLED', 'Too many searches are running. Try again in a moment.', {
        retryAfter: 1,
      }),
  );

export const searchService = (
  deps: Pick<ActorsDependencies, 'store' | 'logs' | 'clock' | 'baseUrl'>,
  gate: ConcurrencyLimit,
) => {
  const { store, logs } = deps;
  const rows = rowsOf(deps);

  const logRow = async (execution: ExecutionRecord, withText: boolean): Promise<Row> => {
    const owner = store.get('actors', execution.actorId)?.owner ?? '';
    return rows.log(execution, owner, withText ? await logs.read(execution.id) : '');
  };

  const rowOf = (candidate: Candidate, caller: Caller, withText: boolean): Promise<Row> | Row => {
    switch (candidate.kind) {
      case 'actors':
        return rows.actor(candidate.record, caller);
      case 'executions':
        return rows.execution(candidate.record, caller);
      case 'workers':
        return rows.worker(candidate.record);
      case 'logs':
        return logRow(candidate.record, withText);
    }
  };

  const pageOf = async (hits: Iterable<Candidate>, caller: Caller, pause: Pause): Promise<readonly Row[]> => {
    const page: Row[] = [];
    let characters = 0;
    for (const candidate of hits) {
      if (pause.isDue()) await pause.take();
      const row = await rowOf(candidate, caller, true);
      if (candidate.kind === 'logs') characters += String(row['logs']).length;
      if (characters > LOG_CHARACTERS && page.length > 0) break;
      page.push(row);
    }
    return page;
  };

  return {
    /**
     * Returns rows in creation order, or best match first with `search`. A page of logs may contain fewer rows than
     * requested, because its total size is limited; `countReturned` is the actual number. Throws THROTTLED if too many
     * searches wait.
     */
    async find({ caller, type, query, scope = {}, signal }: SearchRequest): Promise<Found> {
      const search = withActorIds(
        parseSearch(query, usesPatterns(query) ? await patternCompiler() : unexpectedPattern),
        type === 'actors' ? 'id' : 'actorId',
        (idOrAlias) => findActor(store, caller.tenant, idOrAlias)?.id,
      );
      const withText = looksAt(search, 'logs');
      try {
        return await gate(async () => {
          signal.throwIfAborted();
          const pause = createPause(signal);
          const candidates = candidatesOf(store, { caller, type, search, scope });
          const hits = await hitsOf(candidates, (candidate) => rowOf(candidate, caller, withText), pause);
          const page = await pageOf(hits.page, caller, pause);
          return {
            _metadata: {
              totalCount: hits.total,
              recordsSkipped: search.skip,
              recordLimit: search.limit,
              countReturned: page.length,
            },
            search: [...page],
          };
        });
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new Failure('SHUTTING_DOWN', 'The daemon is stopping. Search again after it has started.');
      }
    },
  };
};
