// The query of a request: parsed once, and converted to form fields.
import { routeParameters } from '../../../src/contract/operation.ts';
import { Failure } from '../../domain/failure.ts';

export type Query = Record<string, string | string[]>;

/** Shared value for an absent query, so that it costs nothing. */
export const NO_QUERY: Query = Object.freeze(Object.create(null));

/** Parses the query. Returns a failure instead of throwing it, so that authentication can be checked first. */
export const queryOf = (request: { readonly url: string; readonly query: Query }): Query | Failure => {
  if (!request.url.includes('?')) return NO_QUERY;
  try {
    return request.query;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
};

const routeParameterNames: ReadonlySet<string> = new Set(routeParameters);

/**
 * Adds query parameters to the fields of the body. The fields of the body take precedence.
 * @see docs/http-api.md#requests
 */
export const withQuery = (body: unknown, query: Query): unknown => {
  if (
    query === NO_QUERY ||
    (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body)))
  ) {
    return body;
  }
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(query)) if (!routeParameterNames.has(name)) fields[name] = value;
  // The object has no prototype, so `__proto__` is a field like any other.
  Object.assign(fields, body);
  return fields;
};
