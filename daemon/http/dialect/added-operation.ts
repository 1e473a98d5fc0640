// Operations of the hosted platform that the contract does not have.
import type { Operation } from '../../../src/contract/operation.ts';
import type { Handler, Handlers } from '../route-handler.ts';

export interface AddedOperation {
  readonly operation: Operation;
  readonly handlerFrom: (handlers: Handlers) => Handler<Operation>;
}

/** Checks at compile time that the handler fits the operation. The type of the result does not name the operation. */
export const added = <O extends Operation>(
  operation: O,
  handlerFrom: (handlers: Handlers) => Handler<O>,
): AddedOperation => ({ operation, handlerFrom: handlerFrom as (handlers: Handlers) => Handler<Operation> });
