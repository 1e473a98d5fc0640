// What a dialect changes in the requests and responses of a listener.
import type { AnswerOf, BodyKind, InputOf, Operation } from '../../../src/contract/operation.ts';
import type { OperationId, Operations } from '../../../src/contract/operations.ts';
import type { Failure } from '../../domain/failure.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import type { Caller } from '../route-handler.ts';
import type { AddedOperation } from './added-operation.ts';

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface Seen {
  readonly params: Readonly<Record<string, string>>;
  readonly actor?: ActorRecord | undefined;
  readonly caller?: Caller | undefined;
}

/** The changes of a dialect to one operation. An absent member changes nothing. */
export interface OperationRule<Input, Result> {
  readonly body?: BodyKind;
  input?(input: Input, seen: Seen): Input;
  result?(result: Result, seen: Seen): unknown;
  /** Returns the text of a failure of this operation. Undefined for the text that all operations use. */
  readonly refusal?: (failure: Failure) => Refusal | undefined;
}

export interface ListenerDialect {
  readonly rules: { readonly [I in OperationId]?: OperationRule<InputOf<Operations[I]>, AnswerOf<Operations[I]>> };
  readonly added: readonly AddedOperation[];
  /** Returns the text of a failure of any operation. Undefined for the text of the contract. */
  readonly refusal: (failure: Failure) => Refusal | undefined;
}

/** Makes the rule of an operation. The types of its values are not checked against the operation's schemas. */
export const ruleOf = (
  dialect: ListenerDialect | undefined,
  { id }: Pick<Operation, 'id'>,
): OperationRule<unknown, unknown> => {
  const rules: Readonly<Record<string, OperationRule<unknown, unknown> | undefined>> = dialect?.rules ?? {};
  return rules[id] ?? {};
};
