// Handlers of searches: search.find, listings with query parameters, and the search of executions.
import { type SearchType, searchParameters, searchTypes } from '../../../src/contract/actors/search.ts';
import { Failure } from '../../domain/failure.ts';
import type { Caller, Handlers, Reply } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { asksForStream } from '../executions/log-stream.ts';
import { executions } from '../executions/service.ts';
import type { Scope } from './candidates.ts';
import { executionSearch } from './executions.ts';
import { createSearchGate, type Found, searchService } from './service.ts';

type Listing = 'actors.list' | 'executions.list' | 'workers.list' | 'executions.logs';

interface SearchContext {
  readonly caller: Caller;
  readonly sentQuery: Readonly<Record<string, string | string[] | undefined>>;
  readonly signal: () => AbortSignal;
}

const typeOf = (word: string): SearchType => {
  const type = searchTypes.find((each) => each === word.toLowerCase());
  if (type !== undefined) return type;
  throw new Failure('VALIDATION', `That kind cannot be searched. The kinds are ${searchTypes.join(', ')}.`, {
    field: 'type',
  });
};

const asksForSearch = ({ sentQuery }: SearchContext): boolean => searchParameters(sentQuery).length > 0;

/** `lists` handles listings without search parameters. @see docs/http-api.md#search */
export const searchHandlers = (
  deps: Pick<ActorsDependencies, 'store' | 'scheduler' | 'logs' | 'clock' | 'baseUrl'>,
  lists: Handlers<Listing>,
): Handlers<Listing | 'search.find' | 'executions.search'> => {
  // All searches together.
  const gate = createSearchGate();
  const service = searchService(deps, gate);
  const ofExecutions = executionSearch(deps, gate);
  const { show } = executions(deps);
  const find = async (context: SearchContext, type: SearchType, scope?: Scope): Promise<Reply<Found>> => {
    const { caller, sentQuery: query, signal } = context;
    const result = await service.find({ caller, type, query, scope, signal: signal() });
    return { result, message: 'Search completed.' };
  };
  return {
    'executions.search': async ({ caller, query, signal }) => ({
      result: await ofExecutions.search(caller, query, signal()),
      message: 'Search completed.',
    }),

    'search.find': (context) => find(context, typeOf(context.params.type)),

    'actors.list': (context) => (asksForSearch(context) ? find(context, 'actors') : lists['actors.list'](context)),

    'executions.list': (context) =>
      asksForSearch(context)
        ? find(context, 'executions', { actor: context.actor })
        : lists['executions.list'](context),

    'workers.list': (context) =>
      asksForSearch(context) ? find(context, 'workers', { actor: context.actor }) : lists['workers.list'](context),

    'executions.logs': (context) => {
      if (!asksForSearch(context) || asksForStream(context.request)) return lists['executions.logs'](context);
      const { actor, params } = context;
      return find(context, 'logs', { actor, execution: show(actor.id, params.executionId) });
    },
  };
};
