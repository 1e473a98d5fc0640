// Search: records found by what their fields hold, over all actors or through a listing. @see facts 1.11, 2.8
import * as z from 'zod/mini';
import { operation, routeParameters } from '../operation.ts';

/** What can be searched. */
export const searchTypes = ['actors', 'executions', 'workers', 'logs'] as const;
export type SearchType = (typeof searchTypes)[number];

/** How a field is compared, written behind its name: `status.neq=ERROR`; equality when left out. */
export const searchOperators = [
  'eq',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'nin',
  'between',
  'like',
  'nlike',
] as const;
export type SearchOperator = (typeof searchOperators)[number];

/** Query parameters that say how a route is asked or how it answers, not what for. */
const steering: ReadonlySet<string> = new Set([...routeParameters, 'details']);

/** The query parameters that make a listing a search; none: it is the listing. */
export const searchParameters = (query: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(query).filter((name) => !steering.has(name));

/** Rows of a page when nothing else is asked for, and at most. */
export const SEARCH_PAGE = 100;
export const SEARCH_PAGE_MAX = 1_000;

/** Of a parameter that is repeated the first one counts. */
const parameter = z.optional(z.union([z.string(), z.array(z.string())]));

/** Every other parameter is a condition on a field, with or without an operator: `status=COMPLETE`, `startTime.gt=2026-01-31`. */
export const searchQuery = z.looseObject({
  search: parameter,
  exactsearch: parameter,
  skip: parameter,
  limit: parameter,
});

/** A page of what was found: rows with every field of their kind, null where there is no value. */
export const found = z.object({
  _metadata: z.object({
    totalCount: z.number(),
    recordsSkipped: z.number(),
    recordLimit: z.number(),
    countReturned: z.number(),
  }),
  search: z.array(z.record(z.string(), z.unknown())),
});

/** Whether an answer of a listing is a page of what was found. */
export const isFound = (answer: unknown): answer is z.output<typeof found> => z.safeParse(found, answer).success;

export const searchOperations = {
  'search.find': operation({
    id: 'search.find',
    method: 'GET',
    path: '/actors/v2/search/:type',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Search actors, executions, workers or logs',
    description: 'Searches records of actors that the caller may read by the values of their fields.',
    query: searchQuery,
    input: z.object({}),
    result: found,
    failures: ['VALIDATION', 'THROTTLED'],
  }),
} as const;
