// Operations for the owner of an instance. Only the management socket serves them, and they need no login.
import type * as z from 'zod/mini';
import { type ObjectSchema, operation } from '../operation.ts';
import { nothing } from '../wire.ts';

interface Described<Id extends string, Method extends 'GET' | 'POST', Input extends ObjectSchema, Result> {
  readonly id: Id;
  readonly method: Method;
  readonly summary: string;
  readonly input: Input;
  readonly result: Result;
}

const common = { guard: 'owner', query: nothing, failures: [] } as const;
const pathOf = (id: string) => `/manage/${id.replace('.', '/')}` as const;

/** A request with a JSON body, unless it is a GET. */
export const ownerOperation = <
  const Id extends string,
  const Method extends 'GET' | 'POST',
  Input extends ObjectSchema,
  Result extends z.ZodMiniType,
>(
  described: Described<Id, Method, Input, Result>,
) =>
  operation({
    ...common,
    ...described,
    path: pathOf(described.id),
    body: described.method === 'GET' ? 'none' : 'json',
    answer: 'envelope',
  });

/**
 * A request that may take long. The request body is `input` as one line of JSON, followed by bytes. The response is
 * lines of JSON: any number of `{"text":…}`, then `{"done":result}` or `{"error":{code,message}}`.
 */
export const longOperation = <const Id extends string, Input extends ObjectSchema, Result extends z.ZodMiniType>(
  described: Omit<Described<Id, 'POST', Input, Result>, 'method'>,
) =>
  operation({
    ...common,
    ...described,
    method: 'POST',
    path: pathOf(described.id),
    body: 'message',
    answer: 'raw',
    media: ['application/x-ndjson'],
  });
