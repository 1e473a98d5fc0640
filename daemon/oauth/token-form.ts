// The parameters of a request to the token endpoint. An empty parameter counts as absent.
// @see RFC 6749 3.2, docs/conformance/security.md R36, R37
import { oauthFailure } from './token-error.ts';

export type Parameters = ReadonlyMap<string, string>;

/** Parameters by name. It is a Map, so that names such as `__proto__` are safe. */
export const readParameters = (input: Readonly<Record<string, string>>): Parameters =>
  new Map(Object.entries(input).filter(([, value]) => value !== ''));

/** @throws Failure invalid_request if the parameter is absent */
export const required = (parameters: Parameters, name: string): string => {
  const value = parameters.get(name);
  if (value === undefined) throw oauthFailure('invalid_request', `The parameter ${name} is missing.`);
  return value;
};
