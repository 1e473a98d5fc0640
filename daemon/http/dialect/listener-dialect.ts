// What a dialect changes in the requests and responses of a listener.
import type { AnswerOf, BodyKind, InputOf, Operation } from '../../../src/contract/operation.ts';
import type { OperationId, Operations } from '../../../src/contract/operations.ts';
import type { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../route-handler.ts';
import type { AddedOperation } from './added-operation.ts';

/** A failure as a dialect words it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** What a rule may read of a request. */
export interface Seen {
  /** The names in the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The actor in the path. */
  readonly actor?: ActorRecord | undefined;
  readonly caller?: Caller | undefined;
}

/** What a dialect changes in one operation. A missing member changes nothing. */
export interface OperationRule<Input, Result> {
  /** The bodies that the operation accepts. */
  readonly body?: BodyKind;
  /** Changes the parsed body. */
  input?(input: Input, seen: Seen): Input;
  /** Changes the result of a success. */
  result?(result: Result, seen: Seen): unknown;
  /** Words a failure. Undefined: as for every operation. */
  readonly refusal?: (failure: Failure) => Refusal | undefined;
}

/** The dialect of a listener. */
export interface ListenerDialect {
  readonly rules: { readonly [I in OperationId]?: OperationRule<InputOf<Operations[I]>, AnswerOf<Operations[I]>> };
  readonly added: readonly AddedOperation[];
  /** Words a failure of any operation. Undefined: as the contract says. */
  readonly refusal: (failure: Failure) => Refusal | undefined;
}

/** The rule of an operation, with the types of values that were not checked against its schemas. */
export const ruleOf = (
  dialect: ListenerDialect | undefined,
  { id }: Pick<Operation, 'id'>,
): OperationRule<unknown, unknown> => {
  const rules: Readonly<Record<string, OperationRule<unknown, unknown> | undefined>> = dialect?.rules ?? {};
  return rules[id] ?? {};
};
