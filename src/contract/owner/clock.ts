// The virtual clock of an instance: show, pause, resume, move. Times are in ms since the epoch.
import * as z from 'zod/mini';
import { nothing } from '../wire.ts';
import { longOperation, ownerOperation } from './owner-operation.ts';

export const clockState = z.object({
  now: z.number(),
  /** Where it stood when the instance was made. */
  from: z.number(),
  running: z.boolean(),
  advancing: z.boolean(),
  /** Where an advance leads that is in progress or was interrupted. */
  target: z.optional(z.number()),
});
export type ClockState = z.output<typeof clockState>;

const moved = z.object({
  /** False: more runs fall due than allowed, and nothing was changed. */
  moved: z.boolean(),
  from: z.number(),
  to: z.number(),
  /** Runs of schedules that fall due on the way. */
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
      /** Absent: the instance has the clock of the machine. */
      clock: z.optional(clockState),
      /** Executions that run now, and messages that wait. */
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
  // The text of the progress is JSON: `{"at":…,"fired":…,"due":…}`.
  'clock.move': longOperation({
    id: 'clock.move',
    summary: 'Move the virtual clock and fire the schedules',
    input: z.object({
      to: z.optional(z.int()),
      months: z.optional(z.int().check(z.minimum(0))),
      ms: z.optional(z.int().check(z.minimum(0))),
      /** Runs of schedules that the caller allows. */
      most: z.int().check(z.minimum(0)),
    }),
    result: moved,
  }),
};
