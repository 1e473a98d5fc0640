// Waiting until executions and all that they caused have ended. @see docs/http-api.md#settled
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { cursor, formInteger, nothing } from '../wire.ts';
import { executionReasons } from './executions.ts';

/** Longest time for which a client may wait until executions have settled, in seconds. */
const LONGEST_SETTLE = 600;

/** An execution, or a delivery of an event to a webhook. */
const effect = z.object({
  kind: z.enum(['execution', 'delivery']),
  id: z.string(),
  actorId: z.string(),
  /** Id of the execution or delivery that caused it directly. Absent if a person or a schedule did. */
  causedBy: z.optional(z.string()),
  /** A status of executions or of deliveries. */
  status: z.string(),
  exitCode: z.optional(z.number()),
  reason: z.optional(z.enum(executionReasons)),
  statusMessage: z.optional(z.string()),
  /** Why the event of its end did not reach the linked actor. */
  linkProblem: z.optional(z.string()),
  /** Of a delivery. Only its origin if the caller may not update the actor. */
  url: z.optional(z.string()),
  httpStatus: z.optional(z.number()),
  error: z.optional(z.string()),
});

/** The effects of executions, including the executions themselves. */
const settlement = z.object({
  /** False if the time limit was reached, or if `blocked` is true. */
  settled: z.boolean(),
  /** True if only messages of actors in ERROR are left. They wait until somebody updates the actors. */
  blocked: z.boolean(),
  /** Number of executions and deliveries, including those that the caller may not read. */
  total: z.number(),
  /** Number of executions and deliveries that have not ended. */
  unfinished: z.number(),
  /** Those that failed, in the order in which they ended. */
  failures: z.array(effect),
  /** The tree, in which `causedBy` names the parent. At most 1000 of each list are returned. */
  effects: z.array(effect),
});

const settling = { timeout: z.optional(formInteger(0, LONGEST_SETTLE)) };

export const settledOperations = {
  'executions.settle': operation({
    id: 'executions.settle',
    method: 'GET',
    path: '/actors/v2/:actorId/executions/:executionId/settled',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Wait until an execution has settled',
    description:
      'An execution has settled when it and all that it caused have ended. The response comes then, or after `timeout` seconds (default 0).',
    query: z.object(settling),
    input: nothing,
    result: settlement,
    failures: ['NOT_FOUND', 'VALIDATION'],
  }),
  'executions.settleAll': operation({
    id: 'executions.settleAll',
    method: 'GET',
    path: '/actors/v2/executions/all/settled',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Wait until everything sent so far has settled',
    description:
      'Waits for all executions and deliveries that have not ended, of actors that the caller may read, and for their effects. With `after`, executions that ended after this cursor of the events are included.',
    query: z.object({ ...settling, after: z.optional(cursor) }),
    input: nothing,
    result: z.extend(settlement, {
      /** The cursor of the events at the time of the response, for `after`. */
      next: z.string(),
    }),
    failures: ['VALIDATION'],
  }),
} as const;
