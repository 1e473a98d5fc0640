// Handlers for the operations that a harness does not serve: they refuse, so that no test takes their answer for the real one.
import type { Handlers } from '../../../daemon/http/route-handler.ts';
import { operations } from '../../../src/contract/operations.ts';

/** One handler for every operation of the contract; each does as `refuse` does. */
export const elsewhereHandlers = (refuse: () => never): Handlers =>
  Object.fromEntries(Object.keys(operations).map((id) => [id, refuse])) as unknown as Handlers;
