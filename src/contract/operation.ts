// The type of an operation: one value from which routes, client, OpenAPI document and tests are derived.
import type * as z from 'zod/mini';
import type { FailureCode } from './failure-codes.ts';

/** Path prefix of the owner operations on the management socket. It prevents a clash with paths of the public API. */
export const API_PREFIX = '/api';

/** Levels of permission, weakest first. @see docs/http-api.md#permissions */
export const levels = ['NONE', 'READ', 'EXECUTE', 'UPDATE'] as const;
export type Level = (typeof levels)[number];

/**
 * The guard of an operation says who may call it, and which objects the handler receives. A nonce can replace the
 * bearer token for actors and aliases.
 * - `public`: anyone; the handler authenticates the caller if needed, as the token endpoint does
 * - `owner`: a process that can open the management socket, which alone serves the operation
 * - `caller`: a valid bearer token
 * - `owner-or-caller`, `owner-or-admin`: a process that can open the management socket and sends no token, else as
 *   `caller` and `admin`; the handler receives no caller from such a process
 * - `basic-or-caller`: HTTP Basic with user name and password, or a valid bearer token
 * - `admin`: a bearer token of a user with the role admin
 * - `actor:LEVEL`: this level on the actor in the path, given by id or alias; the handler receives the actor
 * - `alias:LEVEL`: this level on the alias in the path; the handler receives the alias
 * - `alias+actor:LEVEL`: this level on the alias in the path and on its actor; the handler receives both
 * - `config:LEVEL`: this level on the config in the path by a permission entry; the role admin does not help;
 *   the handler receives the config
 */
export type Guard =
  | 'public'
  | 'owner'
  | 'caller'
  | 'basic-or-caller'
  | 'admin'
  | 'owner-or-caller'
  | 'owner-or-admin'
  | `${GuardedKind}:${GuardLevel}`;

/** True if the owner of the data may call it over the management socket without a token. */
export const takesOwner = (guard: Guard): boolean => guard.startsWith('owner-or-');

export type GuardedKind = 'actor' | 'alias' | 'alias+actor' | 'config';

export type GuardLevel = Exclude<Level, 'NONE'>;

/** True if requests may use a nonce instead of a token: routes below one actor or alias. @see docs/http-api.md#nonces */
export const takesNonce = (guard: Guard): boolean => /^(?:actor|alias|alias\+actor):/.test(guard);

/** Name of the query parameter and of the request header that contain a nonce. @see docs/conformance/security.md C22 */
export const NONCE_PARAMETER = 'x-nonce';

/**
 * Request header. With the value `true`, the path may contain an actor name instead of an id. With the value `own`,
 * the request also fails as for an unknown actor unless the caller owns the actor. Addition to Abaco.
 * @see docs/http-api.md#aliases-and-names
 */
export const ACTOR_NAME_HEADER = 'x-actor-by-name';

export const takesActorName = (guard: Guard): boolean => guard.startsWith('actor:');

/** Query parameters that every route accepts (response format and nonce), in addition to the operation's own query. */
export const routeParameters: readonly string[] = ['pretty', 'naked', NONCE_PARAMETER];

/** Kinds of bodies. With `message` the handler reads the body itself, whatever its media type. */
export type BodyKind = 'none' | 'form-or-json' | 'json' | 'form' | 'message';

/** Kinds of responses: in the envelope, as a bare JSON object (RFC 6749), written by the handler, or an HTML page. */
export type AnswerKind = 'envelope' | 'bare' | 'raw' | 'page';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type ObjectSchema = z.ZodMiniObject;

export interface Operation<
  Id extends string = string,
  G extends Guard = Guard,
  Query extends ObjectSchema = ObjectSchema,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Result extends z.ZodMiniType = z.ZodMiniType,
  Path extends string = string,
  Found extends z.ZodMiniType | undefined = z.ZodMiniType | undefined,
  Named extends FailureCode = FailureCode,
  M extends Method = Method,
> {
  /** `<resource>.<verb>`. The command with the same name calls this operation. */
  readonly id: Id;
  readonly method: M;
  /**
   * Path with parameters: `:actorId` (an id or an alias), `:alias`, `:configName`, `:executionId`, `:workerId`,
   * `:nonceId`, `:deliveryId`, `:type`.
   */
  readonly path: Path;
  readonly guard: G;
  readonly body: BodyKind;
  readonly answer: AnswerKind;
  /** For the OpenAPI document: imperative, shorter than 60 characters, without a full stop. */
  readonly summary: string;
  /** For the OpenAPI document: sentences that complete the summary. */
  readonly description?: string;
  readonly query: Query;
  readonly input: Body;
  readonly result: Result;
  /** For a listing: the result when query parameters turn it into a search. */
  readonly found?: Found;
  /**
   * Other response media types that a client can request with the header Accept: a stream, or the output of an
   * execution.
   */
  readonly media?: readonly string[];
  /** For a page: the response may be a redirect. */
  readonly redirects?: true;
  /** Failures beyond those that the guard already implies. */
  readonly failures: readonly Named[];
}

/** Returns its argument. The function exists so that TypeScript infers the schema types. */
export const operation = <
  const Id extends string,
  const G extends Guard,
  Query extends ObjectSchema,
  Body extends z.ZodMiniType,
  Result extends z.ZodMiniType,
  const Path extends string,
  Found extends z.ZodMiniType | undefined = undefined,
  const Named extends FailureCode = never,
  const M extends Method = Method,
>(
  value: Operation<Id, G, Query, Body, Result, Path, Found, Named, M>,
): Operation<Id, G, Query, Body, Result, Path, Found, Named, M> => value;

export type QueryOf<O> = O extends { readonly query: infer Q extends z.ZodMiniType } ? z.output<Q> : never;
export type InputOf<O> = O extends { readonly input: infer B extends z.ZodMiniType } ? z.output<B> : never;
export type ResultOf<O> = O extends { readonly result: infer R extends z.ZodMiniType } ? z.output<R> : never;

/** The result type of an operation. For a listing it also covers the page that a search returns. */
export type AnswerOf<O> =
  | ResultOf<O>
  | (O extends { readonly found?: infer F } ? (F extends z.ZodMiniType ? z.output<F> : never) : never);

export const parameterNames = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
