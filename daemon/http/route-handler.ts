// How a resource says what answers an operation: the guard of the operation decides what its handler is handed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerOf, InputOf, Operation, QueryOf } from '../../src/contract/operation.ts';
import type { OperationId, Operations } from '../../src/contract/operations.ts';
import type { Role } from '../../src/contract/people/users.ts';
import type { ActorRecord } from '../domain/records/actor-records.ts';
import type { AliasRecord, ConfigRecord } from '../domain/records/resource-records.ts';

/** Who asks, proven by a bearer token (or, where the guard takes it, by Basic). */
export interface Caller {
  readonly tenant: string;
  readonly username: string;
  /** None for the token of a running execution: code inside has its owner's levels, never the owner's roles. */
  readonly roles: readonly Role[];
  readonly clientId?: string;
  /** Set when the token belongs to a running execution. */
  readonly executionId?: string;
  /** Set when a nonce was redeemed: who calls is its owner, for as far as the nonce reaches. */
  readonly nonceId?: string;
}

/** The names of the `:parameters` of a path. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What every handler is handed. */
interface Base<O extends Operation> {
  readonly params: Readonly<Record<ParametersOf<O['path']>, string>>;
  readonly query: QueryOf<O>;
  /** Query parameters under the names as sent, before the schema reads them. A repeated parameter is a list. */
  readonly sentQuery: Readonly<Record<string, string | string[] | undefined>>;
  readonly input: InputOf<O>;
  /** The body of an operation that takes JSON alone, letter by letter: what parsing would round or drop. */
  readonly bodyText: () => string | undefined;
  /** Fires when the client has gone or the daemon stops. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /**
   * Proves caller and access again if the body came later than the headers, and takes the use of a nonce: a handler that
   * reads a body itself calls it behind that, before it does anything.
   * @throws Failure as the guard does
   */
  readonly finishAuthorization: () => Promise<void>;
  /**
   * For what goes on long behind its beginning, a stream: proves anew that the token lives, and that its user holds what the guard asks for.
   * Answers who asks, with the roles of now; of a nonce, whose use was taken, who it was.
   * @throws Failure as the guard does
   */
  readonly reauthorize: () => Promise<Caller | undefined>;
  /** For handlers that read a `message` body or write a `raw` answer themselves. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Caller, actor, alias and config are there only if the guard of the operation proved them: forgetting the guard does not compile. */
export type HandlerContext<O extends Operation> = Base<O> &
  (O['guard'] extends 'public' ? unknown : { readonly caller: Caller }) &
  (O['guard'] extends `${'actor' | 'alias+actor'}:${string}` ? { readonly actor: ActorRecord } : unknown) &
  (O['guard'] extends `${'alias' | 'alias+actor'}:${string}` ? { readonly alias: AliasRecord } : unknown) &
  (O['guard'] extends `config:${string}` ? { readonly config: ConfigRecord } : unknown);

/** The result for the envelope, and the sentence that goes with it. */
export interface Reply<Result> {
  readonly result: Result;
  /** For people: what was done. */
  readonly message: string;
}

/** A handler that has written the answer by itself returns this. */
export const ANSWERED = Symbol('answered');

export type Handler<O extends Operation> = (
  context: HandlerContext<O>,
) => Promise<Reply<AnswerOf<O>> | typeof ANSWERED> | Reply<AnswerOf<O>> | typeof ANSWERED;

/** Handlers by operation; `mount` demands that together they cover every operation of the contract. */
export type Handlers<Id extends OperationId = OperationId> = { readonly [I in Id]: Handler<Operations[I]> };
