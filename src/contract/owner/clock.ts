// The virtual clock of an instance: show, pause, resume, move. Times are in ms since the epoch.
import * as z from 'zod/mini';
import { nothing } from '../wire.ts';
import { longOperation, ownerOperation } from './owner-operation.ts';

export const clockState = z.object({
  now: z.number(),
  /** The time of the clock when the instance was created. */
  from: z.number(),
  running: z.boolean(),
  advancing: z.boolean(),
  /** Target time of an advance that is in progress or was interrupted. */
  target: z.optional(z.number()),
});
export type ClockState = z.output<typeof clockState>;

const moved = z.object({
  /** False if more scheduled runs fall due than allowed. Then nothing was changed. */
  moved: z.boolean(),
  from: z.number(),
  to: z.number(),
  /** Number of scheduled runs that fall due during the move. */
  due: z.number(),
});
export type Moved = z.output<typeof moved>;

const changed = z.object({ clock: clockState });

export const clockOperations = {
  'clock.show': ownerOperation({
    id: 'clock.show',
    method: 'GET',
    summary: 'Show the clock of the instance and the next cron runs',
    input: nothing,
    result: z.object({
      machine: z.number(),
      /** Absent if the instance uses the system clock. */
      clock: z.optional(clockState),
      /** Numbers of running executions and waiting messages. */
      running: z.number(),
      queued: z.number(),
      next: z.array(z.object({ at: z.number(), actorId: z.string(), name: z.string() })),
    }),
  }),
  'clock.pause': ownerOperation({
    id: 'clock.pause',
    method: 'POST',
    summary: 'Stop the virtual clock',
    input: nothing,
    result: changed,
  }),
  'clock.resume': ownerOperation({
    id: 'clock.resume',
    method: 'POST',
    summary: 'Let the virtual clock run',
    input: nothing,
    result: changed,
  }),
  // Each progress text is JSON: `{"at":…,"fired":…,"due":…}`.
  'clock.move': longOperation({
    id: 'clock.move',
    summary: 'Move the virtual clock and fire the schedules',
    input: z.object({
      to: z.optional(z.int()),
      months: z.optional(z.int().check(z.minimum(0))),
      ms: z.optional(z.int().check(z.minimum(0))),
      /** Largest number of scheduled runs that the caller allows. */
      most: z.int().check(z.minimum(0)),
    }),
    result: moved,
  }),
};
