// The routes of searches: search.find, and the listings, which query parameters turn into one.
import { type SearchType, searchParameters, searchTypes } from '../../../src/contract/actors/search.ts';
import { Failure } from '../../domain/failure.ts';
import type { Caller, Handlers, Reply } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { asksForStream } from '../executions/log-stream.ts';
import { executions } from '../executions/service.ts';
import type { Scope } from './candidates.ts';
import { type Found, searchService } from './service.ts';

/** The listings that can be searched. */
type Listing = 'actors.list' | 'executions.list' | 'workers.list' | 'executions.logs';

/** What a handler is handed that a search needs. */
interface SearchContext {
  readonly caller: Caller;
  readonly sentQuery: Readonly<Record<string, string | string[] | undefined>>;
  readonly signal: AbortSignal;
}

/** @throws Failure VALIDATION */
const typeOf = (word: string): SearchType => {
  const type = searchTypes.find((each) => each === word.toLowerCase());
  if (type !== undefined) return type;
  throw new Failure('VALIDATION', `There is no search of that kind. What can be searched: ${searchTypes.join(', ')}.`, {
    field: 'type',
  });
};

const asksForSearch = ({ sentQuery }: SearchContext): boolean => searchParameters(sentQuery).length > 0;

/** Handlers of searches. `lists` answers the listings where nothing is searched for. @see facts 1.11 */
export const searchHandlers = (
  deps: Pick<ActorsDependencies, 'store' | 'engine' | 'logs' | 'baseUrl'>,
  lists: Handlers<Listing>,
): Handlers<Listing | 'search.find'> => {
  const service = searchService(deps);
  const { show } = executions(deps);
  const find = async (context: SearchContext, type: SearchType, scope?: Scope): Promise<Reply<Found>> => {
    const { caller, sentQuery: query, signal } = context;
    const result = await service.find({ caller, type, query, ...(scope && { scope }), signal });
    return { result, message: 'Search completed.' };
  };
  return {
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
