// Subscriptions of OAuth clients. On the hosted platform, they are the services that a client may call. Here a client
// may call all services, so subscriptions are listed and never change.
import * as z from 'zod/mini';
import { type Operation, operation } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { nothing } from '../../../src/contract/wire.ts';
import type { HandlerContext, Reply } from '../route-handler.ts';
import { type AddedOperation, added } from './added-operation.ts';

const PATH = '/clients/v2/:clientName/subscriptions';

const subscription = z.object({
  apiName: z.string(),
  apiVersion: z.string(),
  apiProvider: z.string(),
  apiContext: z.string(),
  tier: z.string(),
  status: z.string(),
});

const subscriptions = ['Actors', 'Clients', 'Profiles'].map((apiName) => ({
  apiName,
  apiVersion: 'v2',
  apiProvider: 'admin',
  apiContext: `/${apiName.toLowerCase()}`,
  tier: 'Unlimited',
  status: 'UNBLOCKED',
}));

const shared = { path: PATH, guard: 'basic-or-caller', answer: 'envelope', query: nothing } as const;

const list = operation({
  ...shared,
  id: 'subscriptions.list',
  method: 'GET',
  body: 'none',
  summary: 'List the services that a client may call',
  input: nothing,
  result: z.array(subscription),
  failures: ['NOT_FOUND'],
});

const add = operation({
  ...shared,
  id: 'subscriptions.add',
  method: 'POST',
  body: 'form-or-json',
  summary: 'Let a client call a service',
  input: z.looseObject({}),
  result: z.array(subscription),
  failures: ['NOT_FOUND'],
});

const remove = operation({
  ...shared,
  id: 'subscriptions.delete',
  method: 'DELETE',
  body: 'none',
  summary: 'End the subscriptions of a client',
  input: nothing,
  result: nothing,
  failures: ['NOT_FOUND'],
});

const UNCHANGED = 'A client may call every service here. Nothing was changed.';

/** Looks up the client first, so that a client that the caller does not own is refused. */
const afterShowing = (operation: Operation, answer: Reply<unknown>): AddedOperation =>
  added<Operation>(operation, (handlers) => async (context) => {
    await handlers['clients.show'](context as HandlerContext<Operations['clients.show']>);
    return answer as Reply<never>;
  });

export const subscriptionOperations: readonly AddedOperation[] = [
  afterShowing(list, { result: subscriptions, message: 'Subscriptions retrieved.' }),
  afterShowing(add, { result: subscriptions, message: UNCHANGED }),
  afterShowing(remove, { result: {}, message: UNCHANGED }),
];
