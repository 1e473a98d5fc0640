// Operations that read and change only the schedule of an actor. Addition to Abaco, where the schedule
// is only part of the actor record. @see docs/http-api.md#schedules
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, formInteger, nothing, time } from '../wire.ts';
import { cronMessage, cronSchedule, cronTimeZone } from './actors.ts';

export const NEXT_TIMES = 5;

export const cron = z.object({
  actorId: z.string(),
  cronSchedule: z.string(),
  cronOn: z.boolean(),
  cronTimeZone: z.optional(z.string()),
  cronMessage: z.optional(z.string()),
  /** Time of the next run. Absent while the schedule is off. */
  cronNextTime: z.optional(time),
  /** Times of the next runs. While the schedule is off, the times at which it would run. */
  next: z.array(time),
});

export const cronOperations = {
  'cron.show': operation({
    id: 'cron.show',
    method: 'GET',
    path: '/actors/v2/:actorId/cron',
    guard: 'actor:READ',
    body: 'none',
    answer: 'envelope',
    summary: 'Show the schedule of an actor and its next runs',
    query: z.object({ count: z.optional(formInteger(0, 100)) }),
    input: nothing,
    result: cron,
    failures: ['VALIDATION'],
  }),
  'cron.set': operation({
    id: 'cron.set',
    method: 'PUT',
    path: '/actors/v2/:actorId/cron',
    guard: 'actor:UPDATE',
    body: 'form-or-json',
    answer: 'envelope',
    summary: 'Change the schedule of an actor',
    description: 'Omitted fields stay unchanged. An empty schedule removes the schedule.',
    /** `dryRun`: check the request and show the runs that it leads to, and change nothing. */
    query: z.object({ dryRun: z.optional(formBoolean) }),
    input: z.object({
      cronSchedule: z.optional(cronSchedule),
      cronOn: z.optional(formBoolean),
      cronTimeZone: z.optional(cronTimeZone),
      cronMessage: z.optional(cronMessage),
    }),
    result: cron,
    failures: ['VALIDATION', 'ACTOR_BUSY'],
  }),
} as const;
