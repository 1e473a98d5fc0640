// Results: byte strings that an execution adds while it runs. Each result is read once, in the order of addition.
// @see docs/http-api.md#executions
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing } from '../wire.ts';

/** Largest result in bytes. @see docs/http-api.md#executions */
export const RESULT_LIMIT = 131_072;

export const resultOperations = {
  'results.take': operation({
    id: 'results.take',
    method: 'GET',
    path: '/actors/v2/:actorId/executions/:executionId/results',
    guard: 'actor:READ',
    body: 'none',
    answer: 'raw',
    summary: 'Take the oldest result of an execution',
    description: 'Returns the result and removes it. The body is empty if there is no result.',
    query: nothing,
    input: nothing,
    result: z.string(),
    media: ['application/octet-stream'],
    failures: ['NOT_FOUND'],
  }),
  'results.post': operation({
    id: 'results.post',
    method: 'POST',
    path: '/actors/v2/:actorId/executions/:executionId/results',
    guard: 'actor:EXECUTE',
    body: 'message',
    answer: 'envelope',
    summary: 'Add a result to a running execution',
    description:
      'Only the execution itself can add a result, with its own token, while it runs. Any media type is accepted.',
    query: nothing,
    input: z.unknown(),
    result: z.object({
      bytes: z.number(),
      /** Number of results that have not been read yet, including this one. */
      waiting: z.number(),
    }),
    failures: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'THROTTLED'],
  }),
} as const;
