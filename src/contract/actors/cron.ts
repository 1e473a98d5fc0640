// When an actor runs by itself: its plan, looked at and changed without the rest of its description. Ours; the real service
// has the same plan as fields of the actor alone. @see facts 7
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { formBoolean, formInteger, nothing, time } from '../wire.ts';
import { cronMessage, cronSchedule, cronTimeZone } from './actors.ts';

/** Coming times that are told when nobody says how many. */
export const NEXT_TIMES = 5;

export const cron = z.object({
  actorId: z.string(),
  /** Empty: the actor does not run by itself. */
  cronSchedule: z.string(),
  cronOn: z.boolean(),
  cronTimeZone: z.optional(z.string()),
  cronMessage: z.optional(z.string()),
  /** When it runs next; left out while it is off. */
  cronNextTime: z.optional(time),
  /** The coming times; while it is off, those at which it would run. */
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
    description: 'Fields that are left out stay as they are. An empty schedule removes the schedule.',
    query: nothing,
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
