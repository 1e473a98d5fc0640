// Workers: the slots in which executions of an actor run, one after another in each. @see facts 1.5, 2.4, 3.3
import * as z from 'zod/mini';
import { operation } from './operation.ts';
import { found, searchQuery } from './search.ts';
import { nothing, time } from './wire.ts';

const workerStatuses = [
  'REQUESTED',
  'PULLING IMAGE',
  'CREATING CONTAINER',
  'READY',
  'BUSY',
  'SHUTDOWN_REQUESTED',
  'ERROR',
] as const;

export const worker = z.object({
  id: z.string(),
  actorId: z.string(),
  tenant: z.string(),
  status: z.enum(workerStatuses),
  image: z.string(),
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
    summary: 'Lists the workers of an actor.',
    query: searchQuery,
    input: nothing,
    result: z.array(worker),
    found,
    failures: ['VALIDATION', 'THROTTLED'],
  }),
} as const;
