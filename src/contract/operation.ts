// What an operation is: one plain value that the routes, the client, the OpenAPI document and the tests all read.
import type * as z from 'zod/mini';
import type { FailureCode } from './failure-codes.ts';

/** Levels of permission, weakest first. @see wire.md "Tenants, users, roles" */
export const levels = ['NONE', 'READ', 'EXECUTE', 'UPDATE'] as const;
export type Level = (typeof levels)[number];

/**
 * Who may call, and so what the handler is handed:
 * - `public`: anybody; the handler authenticates by itself if it must (the token endpoint does)
 * - `caller`: a valid bearer token
 * - `basic-or-caller`: `username:password` by Basic, or a valid bearer token
 * - `admin`: a bearer token of a user with the admin role
 * - `actor:LEVEL`: a bearer token (or a nonce) whose user has that level on the actor of the path, which may stand there as an
 *   alias; the handler is handed the actor
 * - `alias:LEVEL`: the same on the alias of the path; the handler is handed the alias
 * - `alias+actor:LEVEL`: that level on the alias of the path and on its actor; the handler is handed both
 * - `config:LEVEL`: a bearer token whose user has that level on the config of the path, by an entry: roles do not count; the
 *   handler is handed the config
 */
export type Guard = 'public' | 'caller' | 'basic-or-caller' | 'admin' | `${GuardedKind}:${GuardLevel}`;

/** What a guard of a level looks after. */
export type GuardedKind = 'actor' | 'alias' | 'alias+actor' | 'config';

/** Levels that a guard may ask for. */
export type GuardLevel = Exclude<Level, 'NONE'>;

/** Whether a nonce can stand in for a token on routes of this guard: those below one actor or one alias. @see facts 5.6 */
export const takesNonce = (guard: Guard): boolean => /^(?:actor|alias|alias\+actor):/.test(guard);

/** Name of the query parameter, and of the header, that carries a nonce. @see auth.md C22 */
export const NONCE_PARAMETER = 'x-nonce';

/** Query parameters that every route takes: how the answer looks, and a credential. They are never fields of what is asked. */
export const routeParameters: readonly string[] = ['pretty', 'naked', NONCE_PARAMETER];

/** What bodies a route takes. `message` takes anything and leaves the reading to the handler. */
export type BodyKind = 'none' | 'form-or-json' | 'json' | 'form' | 'message';

/** How the answer looks: in the envelope, as the bare RFC 6749 object, as the handler writes it, or as a page for people. */
export type AnswerKind = 'envelope' | 'bare' | 'raw' | 'page';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A schema of an object. */
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
> {
  /** `<resource>.<verb>`; also the name of the command that does it. */
  readonly id: Id;
  readonly method: Method;
  /** Path with `:name` parameters: `:actorId` (may hold an alias), `:alias`, `:configName`, `:executionId`, `:workerId`, `:nonceId`, `:deliveryId`, `:type`. */
  readonly path: Path;
  readonly guard: G;
  readonly body: BodyKind;
  readonly answer: AnswerKind;
  /** For the OpenAPI document: imperative, shorter than 60 characters, without a full stop. */
  readonly summary: string;
  /** For the OpenAPI document: sentences about what the summary leaves out. */
  readonly description?: string;
  readonly query: Query;
  readonly input: Body;
  readonly result: Result;
  /** Of a listing: the result when its query parameters make it a search. */
  readonly found?: Found;
  /** Media types in which it answers instead, when it is asked that way: a stream, the output of an execution. */
  readonly media?: readonly string[];
  /** Of a page: it may send the browser on. */
  readonly redirects?: true;
  /** Failures beside those that any route of this guard may answer. */
  readonly failures: readonly Named[];
}

/** States an operation; a function only so that the types of its schemas are kept. */
export const operation = <
  const Id extends string,
  const G extends Guard,
  Query extends ObjectSchema,
  Body extends z.ZodMiniType,
  Result extends z.ZodMiniType,
  const Path extends string,
  Found extends z.ZodMiniType | undefined = undefined,
  const Named extends FailureCode = never,
>(
  value: Operation<Id, G, Query, Body, Result, Path, Found, Named>,
): Operation<Id, G, Query, Body, Result, Path, Found, Named> => value;

/** The parsed query of an operation. */
export type QueryOf<O> = O extends { readonly query: infer Q extends z.ZodMiniType } ? z.output<Q> : never;
/** The parsed body of an operation. */
export type InputOf<O> = O extends { readonly input: infer B extends z.ZodMiniType } ? z.output<B> : never;
/** The result of an operation as it stands on the wire. */
export type ResultOf<O> = O extends { readonly result: infer R extends z.ZodMiniType } ? z.output<R> : never;

/** What an operation may answer as its result: of a listing also what was found. */
export type AnswerOf<O> =
  | ResultOf<O>
  | (O extends { readonly found?: infer F } ? (F extends z.ZodMiniType ? z.output<F> : never) : never);

/** The names of the `:parameters` of a path, in order. */
export const parameterNames = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
