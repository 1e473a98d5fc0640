// What happens now: the daemon, running executions, the last failures, and the last hour. @see docs/dashboard.md
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing, time } from '../wire.ts';
import { execution } from './executions.ts';

export const ACTIVITY_MINUTES = 60;
/** Parts into which the hour of one actor is divided. */
export const ACTIVITY_PARTS = 20;
export const ACTIVITY_ROWS = 50;

const row = z.object({
  id: z.string(),
  actorId: z.string(),
  /** Name of the actor. Empty: it has none. */
  actorName: z.string(),
  status: execution.shape.status,
  reason: execution.shape.reason,
  statusMessage: execution.shape.statusMessage,
  exitCode: execution.shape.exitCode,
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
    summary: 'Show what runs, waits and failed',
    description:
      'Covers the actors that the caller may read. Figures of the last hour count at most 100 000 executions.',
    query: nothing,
    input: nothing,
    result: z.object({
      daemon: z.object({ version: z.string(), instance: z.string(), startTime: time }),
      engines: z.array(z.object({ name: z.string(), available: z.boolean(), detail: z.string() })),
      /** The disk of the data folder. Null: unknown. */
      disk: z.nullable(z.object({ freeBytes: z.number(), totalBytes: z.number() })),
      /** False while the disk refuses writes. */
      writable: z.boolean(),
      actors: z.array(z.object({ status: z.string(), count: z.number() })),
      executions: z.number(),
      waiting: z.number(),
      /** Running executions, the newest first. */
      running: z.array(row),
      /** Number of running executions, those that are not listed included. */
      runningCount: z.number(),
      /** Executions that failed, the last one first. */
      failures: z.array(row),
      /** The last 60 minutes, the current one last. */
      minutes: z.array(z.object({ time, ended: z.number(), failed: z.number() })),
      /** Actors with waiting messages, running executions, or executions in the last hour. */
      busy: z.array(
        z.object({
          id: z.string(),
          waiting: z.number(),
          running: z.number(),
          /** Received messages in each of 20 parts of the last hour, the current part last. */
          recent: z.array(z.number()),
        }),
      ),
    }),
    failures: [],
  }),
} as const;
