// Search: finds records by the values of their fields, over all actors or within one listing.
// @see docs/http-api.md#search
import * as z from 'zod/mini';
import { operation, routeParameters } from '../operation.ts';

export const searchTypes = ['actors', 'executions', 'workers', 'logs'] as const;
export type SearchType = (typeof searchTypes)[number];

/** Comparison operators, written after the field: `status.neq=ERROR`. Default: `eq`. */
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

const steering: ReadonlySet<string> = new Set([...routeParameters, 'details']);

/** The query parameters that turn a listing into a search. If there is none, the request is a plain listing. */
export const searchParameters = (query: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(query).filter((name) => !steering.has(name));

export const SEARCH_PAGE = 100;
export const SEARCH_PAGE_MAX = 1_000;

/** If a parameter is repeated, the first value is used. */
const parameter = z.optional(z.union([z.string(), z.array(z.string())]));

/** Every other parameter is a condition: `status=COMPLETE`, or with an operator `startTime.gt=2026-01-31`. */
export const searchQuery = z.looseObject({
  search: parameter,
  exactsearch: parameter,
  skip: parameter,
  limit: parameter,
});

/** One page of results. Each record has every field of its kind, with null instead of a missing value. */
export const found = z.object({
  _metadata: z.object({
    totalCount: z.number(),
    recordsSkipped: z.number(),
    recordLimit: z.number(),
    countReturned: z.number(),
  }),
  search: z.array(z.record(z.string(), z.unknown())),
});

export const searchOperations = {
  'search.find': operation({
    id: 'search.find',
    method: 'GET',
    path: '/actors/v2/search/:type',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Search actors, executions, workers or logs',
    description: 'Finds records by the values of their fields. Covers the actors that the caller may read.',
    query: searchQuery,
    input: z.object({}),
    result: found,
    failures: ['VALIDATION', 'THROTTLED'],
  }),
} as const;
