// The activity report: daemon state, running executions, recent failures, and figures of the last hour.
// @see docs/dashboard.md
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing, time } from '../wire.ts';
import { execution } from './executions.ts';

export const ACTIVITY_MINUTES = 60;
/** Number of intervals into which the last hour of an actor is divided. */
export const ACTIVITY_PARTS = 20;
export const ACTIVITY_ROWS = 50;

const row = z.object({
  id: z.string(),
  actorId: z.string(),
  /** Name of the actor. Empty if the actor has no name. */
  actorName: z.string(),
  status: execution.shape.status,
  reason: execution.shape.reason,
  statusMessage: execution.shape.statusMessage,
  exitCode: execution.shape.exitCode,
  lastStderr: execution.shape.lastStderr,
  startTime: execution.shape.startTime,
  finishTime: execution.shape.finishTime,
});

export const activityOperations = {
  'utilization.activity': operation({
    id: 'utilization.activity',
    method: 'GET',
    path: '/actors/v2/utilization/activity',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Show running, waiting and failed executions',
    description:
      'Covers the actors that the caller may read. The figures for the last hour include at most 100 000 executions.',
    query: nothing,
    input: nothing,
    result: z.object({
      daemon: z.object({ version: z.string(), instance: z.string(), startTime: time }),
      engines: z.array(z.object({ name: z.string(), available: z.boolean(), detail: z.string() })),
      /** Disk space of the data folder. Null: unknown. */
      disk: z.nullable(z.object({ freeBytes: z.number(), totalBytes: z.number() })),
      /** False while the disk refuses writes. */
      writable: z.boolean(),
      actors: z.array(z.object({ status: z.string(), count: z.number() })),
      executions: z.number(),
      waiting: z.number(),
      /** Running executions, the newest first. */
      running: z.array(row),
      /** Number of running executions, including those that are not listed. */
      runningCount: z.number(),
      /** Failed executions, the latest failure first. */
      failures: z.array(row),
      /** One entry per minute of the last hour, the current minute last. */
      minutes: z.array(z.object({ time, ended: z.number(), failed: z.number() })),
      /** Actors with waiting messages, running executions, or executions in the last hour. */
      busy: z.array(
        z.object({
          id: z.string(),
          waiting: z.number(),
          running: z.number(),
          /** Received messages in each of 20 parts of the last hour, the current part last. */
          recent: z.array(z.number()),
          /** Executions that ended in the last hour, and those of them that failed. */
          ended: z.number(),
          failed: z.number(),
        }),
      ),
    }),
    failures: [],
  }),
} as const;
