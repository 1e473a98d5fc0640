// Reports about a whole tenant: records for admins, and counts for every user. @see docs/http-api.md#permissions
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing } from '../wire.ts';
import { actor } from './actors.ts';
import { worker } from './workers.ts';

/** An actor in the report for admins. It also has all other fields of an actor record; a missing value is null. */
const overseenActor = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  dbId: z.string(),
  owner: z.string(),
  status: actor.shape.status,
  workers: z.array(worker),
  messages: z.number(),
  /** Number of executions, including those whose records have been deleted. */
  executions: z.number(),
  /** Total run time in whole seconds, including running executions. */
  runtime: z.number(),
  /** Total run time in milliseconds. Addition to Abaco. */
  runtimeMs: z.optional(z.number()),
});

const executionTotals = {
  totalExecutions: z.number(),
  /** Nanoseconds. */
  totalExecutionCpu: z.number(),
  /** Bytes. */
  totalExecutionIo: z.number(),
  /** Whole seconds. */
  totalExecutionRuntime: z.number(),
  /** Milliseconds. Addition to Abaco. */
  totalExecutionRuntimeMs: z.optional(z.number()),
};

export const adminOperations = {
  'utilization.show': operation({
    id: 'utilization.show',
    method: 'GET',
    path: '/actors/v2/utilization',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Count the actors and workers of the tenant',
    description:
      'Counts current actors, deleted actors, workers, and workers that are being created. On a cluster it also counts the nodes.',
    query: nothing,
    input: nothing,
    result: z.object({
      currentActors: z.number(),
      totalActors: z.number(),
      workers: z.number(),
      commandQueue: z.number(),
      nodes: z.optional(
        z.array(z.object({ name: z.string(), available: z.boolean(), detail: z.string(), executions: z.number() })),
      ),
    }),
    failures: [],
  }),
  'admin.actors': operation({
    id: 'admin.actors',
    method: 'GET',
    path: '/actors/v2/admin',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'List all actors of the tenant with their workers',
    query: nothing,
    input: nothing,
    result: z.array(overseenActor),
    failures: [],
  }),
  'admin.workers': operation({
    id: 'admin.workers',
    method: 'GET',
    path: '/actors/v2/admin/workers',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'List all workers of the tenant',
    query: nothing,
    input: nothing,
    result: z.object({
      summary: z.object({
        totalWorkers: z.number(),
        readyWorkers: z.number(),
        requestedWorkers: z.number(),
        errorWorkers: z.number(),
        busyWorkers: z.number(),
        actorsNoWorkers: z.number(),
      }),
      workers: z.array(z.extend(worker, { actorDbid: z.string() })),
    }),
    failures: [],
  }),
  'admin.executions': operation({
    id: 'admin.executions',
    method: 'GET',
    path: '/actors/v2/admin/executions',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'Sum up the executions of the tenant',
    description: 'Returns totals for current actors, and totals for all actors including deleted actors.',
    query: nothing,
    input: nothing,
    result: z.object({
      summary: z.object({
        totalActorsAll: z.number(),
        totalActorsExisting: z.number(),
        totalActorsAllWithExecutions: z.number(),
        totalActorsExistingWithExecutions: z.number(),
        totalExecutionsAll: z.number(),
        totalExecutionsExisting: z.number(),
        totalExecutionRuntimeAll: z.number(),
        totalExecutionRuntimeExisting: z.number(),
        totalExecutionRuntimeMsAll: z.optional(z.number()),
        totalExecutionRuntimeMsExisting: z.optional(z.number()),
        totalExecutionCpuAll: z.number(),
        totalExecutionCpuExisting: z.number(),
        totalExecutionIoAll: z.number(),
        totalExecutionIoExisting: z.number(),
      }),
      actors: z.array(z.object({ actorId: z.string(), owner: z.string(), image: z.string(), ...executionTotals })),
    }),
    failures: [],
  }),
} as const;
