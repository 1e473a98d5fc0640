// The types of handlers. The guard of an operation decides which resources its handler receives.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dialect } from '../../src/contract/dialect.ts';
import type { AnswerOf, InputOf, Operation, QueryOf } from '../../src/contract/operation.ts';
import type { OperationId, Operations, ServiceOperationId } from '../../src/contract/operations.ts';
import type { Role } from '../../src/contract/people/users.ts';
import type { HeldReach } from '../domain/executions/token-reach.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { AliasRecord, ConfigRecord } from '../domain/records/resource-records.ts';
import type { JsonList } from './response/json-text.ts';

export interface Caller {
  readonly tenant: string;
  readonly username: string;
  /**
   * Roles of the caller. Empty for an execution token: its code has the owner's levels, but never the owner's roles.
   */
  readonly roles: readonly Role[];
  readonly clientId?: string;
  /** The grant of the caller's token. */
  readonly grantId?: string;
  /** Set when the token belongs to a running execution. */
  readonly executionId?: string;
  readonly reach?: HeldReach;
  /** Present if the caller used a nonce. The caller then acts as the owner of the nonce, within its level. */
  readonly nonceId?: string;
}

/** The names of the `:parameters` in a path. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface HandlerBase<O extends Operation> {
  readonly params: Readonly<Record<ParametersOf<O['path']>, string>>;
  readonly query: QueryOf<O>;
  /** Query parameters under their names as sent, before the schema reads them. A repeated parameter is a list. */
  readonly sentQuery: Readonly<Record<string, string | string[] | undefined>>;
  readonly input: InputOf<O>;
  /** The fields of `input` under their names as sent, before the schema reads them. */
  readonly sentInput: Readonly<Record<string, unknown>>;
  /** Exact text of a JSON body: parsing would round large numbers and drop duplicate members. Undefined for forms. */
  readonly bodyText: () => string | undefined;
  /**
   * The signal that fires when the client disconnects or the daemon stops. Created at the first call, because most
   * handlers never wait.
   */
  readonly signal: () => AbortSignal;
  readonly requestId: string;
  /** True if the path may contain the actor's name. The caller then may not know the actor's id. */
  readonly byName: boolean;
  readonly dialect: Dialect;
  /**
   * Repeats authentication and guard if the body arrived after the headers, and counts one use of a nonce. A handler
   * that reads a body itself must call it after reading and before any effect.
   */
  readonly finishAuthorization: () => Promise<void>;
  /**
   * Repeats authentication and guard. Long-running handlers such as streams call it regularly. Returns the caller with
   * current roles, without a promise unless a password is checked. A nonce may be used up by then, but must not be
   * deleted or expired.
   * @throws Failure as the guard does; the promise rejects with it
   */
  readonly reauthorize: () => Caller | undefined | Promise<Caller | undefined>;
  /** For handlers that read a `message` body or write a `raw` answer themselves. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Contains caller, actor, alias and config only if the guard checks them, so a handler that needs one compiles only
 * then.
 */
export type HandlerContext<O extends Operation> = HandlerBase<O> &
  (O['guard'] extends 'public' | 'owner'
    ? unknown
    : O['guard'] extends `owner-or-${string}`
      ? { readonly caller: Caller | undefined }
      : { readonly caller: Caller }) &
  (O['guard'] extends `${'actor' | 'alias+actor'}:${string}` ? { readonly actor: ActorRecord } : unknown) &
  (O['guard'] extends `${'alias' | 'alias+actor'}:${string}` ? { readonly alias: AliasRecord } : unknown) &
  (O['guard'] extends `config:${string}` ? { readonly config: ConfigRecord } : unknown);

export interface Reply<Result> {
  readonly result: Result;
  /** A sentence for the user about what was done. */
  readonly message: string;
}

/** Returned by a handler that has written the response itself. */
export const ANSWERED = Symbol('answered');

/** A result whose lists may be read while the response is sent. */
export type Sendable<Result> = {
  [Name in keyof Result]: Result[Name] | (Result[Name] extends (infer Element)[] ? JsonList<Element> : never);
};

type Answered<O extends Operation> = Reply<Sendable<AnswerOf<O>>> | typeof ANSWERED;

export type Handler<O extends Operation> = (context: HandlerContext<O>) => Promise<Answered<O>> | Answered<O>;

export type Handlers<Id extends OperationId = ServiceOperationId> = { readonly [I in Id]: Handler<Operations[I]> };
