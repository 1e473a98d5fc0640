// Searches executions by outcome, time, message and log. A request examines a limited amount and returns a cursor.
import type { TextMatch } from '../../../src/contract/actors/execution-search.ts';
import { EXECUTIONS_FOUND } from '../../../src/contract/actors/execution-search.ts';
import type { QueryOf, ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { Failure } from '../../domain/failure.ts';
import type { ActorRecord, ExecutionRecord } from '../../domain/records/actor-records.ts';
import { actorStatusKey } from '../../domain/records/collections.ts';
import { firstIndex } from '../../domain/records/first-index.ts';
import type { ConcurrencyLimit } from '../../domain/search/concurrency-limit.ts';
import {
  createAllowance,
  isBeforeStart,
  isPastEnd,
  outcomeFilter,
  readSearchCursor,
  writeSearchCursor,
} from '../../domain/search/execution-search.ts';
import { createLogMatcher, folded, matchText } from '../../domain/search/text-match.ts';
import type { Caller } from '../../http/route-handler.ts';
import { canRead, hasLevel, maySeeMessage, readableActors, resourceAccess } from '../access.ts';
import { createAddresses } from '../addresses.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { executionView, messageView } from '../executions/view.ts';
import { createPause, type Pause } from '../pause.ts';

type Query = QueryOf<Operations['executions.search']>;
type Found = ResultOf<Operations['executions.search']>;
type Allowance = ReturnType<typeof createAllowance>;

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

export const executionSearch = (
  deps: Pick<ActorsDependencies, 'store' | 'logs' | 'clock' | 'baseUrl'>,
  gate: ConcurrencyLimit,
) => {
  const { store, logs, clock, baseUrl } = deps;
  const access = resourceAccess({ store });
  const addresses = createAddresses(baseUrl);

  const logMatch = async (id: string, wanted: string, pause: Pause, allowance: Allowance) => {
    const matcher = createLogMatcher(wanted);
    allowance.openLog();
    for await (const { lines, bytes } of logs.pieces(id)) {
      allowance.readLog(bytes);
      for (const line of lines) {
        if (pause.isDue()) await pause.take();
        const found = matcher.add(line);
        if (found !== undefined) return found;
      }
    }
    return matcher.end();
  };

  /** The log is read last, because it costs most. */
  const matchOf = async (
    execution: ExecutionRecord,
    {
      wanted,
      place,
      showsMessage,
    }: { readonly wanted: string; readonly place: string; readonly showsMessage: boolean },
    pause: Pause,
    allowance: Allowance,
  ): Promise<TextMatch | undefined> => {
    const { id, statusMessage } = execution;
    if (place === 'all') {
      if (folded(id) === wanted) return { in: 'id', line: 1, text: id, start: 0, end: id.length };
      const found = statusMessage === undefined ? undefined : matchText(statusMessage, wanted);
      if (found !== undefined) return { in: 'statusMessage', ...found };
    }
    if (place !== 'log' && showsMessage) {
      const { message } = messageView(execution);
      const found = message === undefined || message.type === 'binary' ? undefined : matchText(message.text, wanted);
      if (found !== undefined) return { in: 'message', ...found };
    }
    if (place === 'message') return undefined;
    const found = await logMatch(execution.id, wanted, pause, allowance);
    return found && { in: 'log', ...found };
  };

  const rowOf = (execution: ExecutionRecord, actor: ActorRecord, match: TextMatch | undefined) => {
    const view = executionView(execution, addresses, clock.now());
    const { id, actorId, executor, status, reason, statusMessage, trigger } = view;
    const { messageReceivedTime, startTime, finishTime, exitCode, lastStderr, runtimeMs } = view;
    return {
      ...{ id, actorId, actorName: actor.name, executor, status, reason, statusMessage, trigger },
      ...{ messageReceivedTime, startTime, finishTime, exitCode, lastStderr, runtimeMs },
      ...(match !== undefined && { match }),
    };
  };

  const search = async (caller: Caller, query: Query, pause: Pause): Promise<Found> => {
    const { text = '', in: place = 'all', order = 'desc', limit = EXECUTIONS_FOUND } = query;
    const named =
      query.actorId === undefined
        ? undefined
        : access.actor(caller, access.idOrText(caller, query.actorId, false), 'READ').id;
    const actors = named === undefined ? readableActors(store, caller).map(({ id }) => id) : [named];
    // As in all listings, roles open single actors only.
    const mayRead = (actor: ActorRecord) =>
      named === undefined ? canRead(actor, caller) : hasLevel(actor, caller, 'READ');
    const filter = outcomeFilter(query.outcome ?? []);
    const index = filter === undefined ? 'actor' : 'actorStatus';
    const values = filter?.statuses.flatMap((status) => actors.map((id) => actorStatusKey(id, status))) ?? actors;

    const cursor = query.after === undefined ? undefined : readSearchCursor(query.after);
    const last = cursor && store.get('executions', cursor.id);
    const bounds = {
      isNewestFirst: order === 'desc',
      since: timeOf(query.since),
      until: timeOf(query.until),
      cursor,
      cursorSequence: last !== undefined && actors.includes(last.actorId) ? last.sequence : undefined,
    };
    if (bounds.since !== undefined && bounds.until !== undefined && bounds.since > bounds.until)
      throw new Failure('VALIDATION', 'until must not be before since.', { field: 'until' });
    const isBefore = isBeforeStart(bounds);
    const isPast = isPastEnd(bounds);
    const total = store.countBy('executions', index, values);
    const start = firstIndex(total, (position) => {
      const [each] = store.page('executions', index, values, { skip: position, limit: 1 });
      return each === undefined || !isBefore(each);
    });
    const walk = { newestFirst: bounds.isNewestFirst, skip: bounds.isNewestFirst ? total - start : start };

    const allowance = createAllowance();
    const wanted = folded(text);
    const found: Found['executions'] = [];
    let examined = 0;
    let reached: ExecutionRecord | undefined;
    let next: string | null = null;
    for (const execution of store.each('executions', index, values, walk)) {
      if (isPast(execution)) break;
      if (reached !== undefined && (found.length === limit || allowance.isUsedUp())) {
        next = writeSearchCursor(reached);
        break;
      }
      if (pause.isDue()) await pause.take();
      allowance.examineRecord();
      examined += 1;
      reached = execution;
      const actor = store.get('actors', execution.actorId);
      if (actor === undefined || !mayRead(actor) || filter?.has(execution) === false) continue;
      const how = { wanted, place, showsMessage: maySeeMessage(actor, caller) };
      const match = wanted === '' ? undefined : await matchOf(execution, how, pause, allowance);
      if (wanted === '' || match !== undefined) found.push(rowOf(execution, actor, match));
    }
    return {
      executions: found,
      next,
      searchedTo: reached === undefined ? null : toWireTime(reached.receivedAt),
      examined,
    };
  };

  return {
    /** @throws Failure NOT_FOUND for an unknown actor, VALIDATION, THROTTLED if too many searches wait */
    search: (caller: Caller, query: Query, signal: AbortSignal): Promise<Found> =>
      gate(() => search(caller, query, createPause(signal))),
  };
};
