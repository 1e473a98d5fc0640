// Workers: slots that run the executions of an actor. Each worker runs one execution at a time.
// @see docs/http-api.md#executions
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, formInteger, nothing, time } from '../wire.ts';
import { found, searchQuery } from './search.ts';

const workerStatuses = [
  'REQUESTED',
  'PULLING IMAGE',
  'CREATING CONTAINER',
  'READY',
  'BUSY',
  'SHUTDOWN_REQUESTED',
  'ERROR',
] as const;

const WORKERS_LIMIT = 100;

export const worker = z.object({
  id: z.string(),
  actorId: z.string(),
  tenant: z.string(),
  status: z.enum(workerStatuses),
  image: z.string(),
  executionId: z.optional(z.string()),
  createTime: time,
  lastExecutionTime: z.optional(time),
});

export const workerOperations = {
  'workers.list': operation({
    id: 'workers.list',
    method: 'GET',
    path: '/actors/v2/:actorId/workers',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'List the workers of an actor',
    query: searchQuery,
    input: nothing,
    result: z.array(worker),
    found,
    failures: ['VALIDATION', 'THROTTLED'],
  }),
  'workers.show': operation({
    id: 'workers.show',
    method: 'GET',
    path: '/actors/v2/:actorId/workers/:workerId',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show a worker',
    query: nothing,
    input: nothing,
    result: worker,
    failures: ['NOT_FOUND'],
  }),
  'workers.scale': operation({
    id: 'workers.scale',
    method: 'POST',
    path: '/actors/v2/:actorId/workers',
    guard: 'actor:UPDATE',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Scale the workers of an actor',
    description:
      'Starts workers until the actor has `num`. With `exact`, surplus workers are stopped. Only for admins.',
    query: nothing,
    input: z.object({ num: z.optional(formInteger(0, WORKERS_LIMIT)), exact: z.optional(formBoolean) }),
    result: z.object({ workers: z.number() }),
    failures: ['VALIDATION', 'ACTOR_STATEFUL', 'FORBIDDEN'],
  }),
  'workers.delete': operation({
    id: 'workers.delete',
    method: 'DELETE',
    path: '/actors/v2/:actorId/workers/:workerId',
    guard: 'actor:UPDATE',
    body: 'none',
    answer: 'envelope',
    summary: 'Stop a worker after its current execution',
    query: nothing,
    input: nothing,
    result: z.null(),
    failures: ['NOT_FOUND', 'ACTOR_BUSY'],
  }),
} as const;
