// The virtual clock of an instance: show, pause, resume, move. Addition to Abaco. @see docs/operations.md#virtual-clock
import * as z from 'zod/mini';
import { EVENT_STREAM } from './actors/executions.ts';
import { operation } from './operation.ts';
import { readInstant, readStep } from './times.ts';
import { formInteger, nothing, time } from './wire.ts';

/** Number of scheduled runs up to which a move needs no confirmation. */
export const UNASKED_RUNS = 10_000;

/** The position of a virtual clock, for the owner operations. Times are in ms since the epoch. */
export const clockState = z.object({
  now: z.number(),
  /** The time of the clock when the instance was created. */
  from: z.number(),
  running: z.boolean(),
  advancing: z.boolean(),
  /** Target time of a move that is in progress or was interrupted. */
  target: z.optional(z.number()),
  /** Numbers of scheduled runs that a move in progress has sent, and will have sent in the end. */
  fired: z.optional(z.number()),
  due: z.optional(z.number()),
});
export type ClockState = z.output<typeof clockState>;

/** The same for the service. Callers who may not move the clock see `time`, `running` and `advancing`. */
const virtualClock = z.object({
  time,
  /** False if the clock stands still, which it does after each move. */
  running: z.boolean(),
  /** True while a move is in progress. */
  advancing: z.boolean(),
  madeTime: z.optional(time),
  target: z.optional(time),
  fired: z.optional(z.number()),
  due: z.optional(z.number()),
});

const work = z.object({ running: z.number(), queued: z.number() });

const instant = z.pipe(
  z.transform((value: unknown, context) => {
    const ms = typeof value === 'string' ? readInstant(value) : undefined;
    if (ms !== undefined) return ms;
    context.issues.push({
      code: 'custom',
      message: 'must be a time from 1970-01-01 to 9999-12-31, like 2030-01-31T12:00:00Z',
      input: value,
    });
    return z.NEVER;
  }),
  z.number(),
);

const step = z.pipe(
  z.transform((value: unknown, context) => {
    const read = typeof value === 'string' ? readStep(value) : undefined;
    if (read !== undefined) return read;
    context.issues.push({
      code: 'custom',
      message: 'must be a duration above zero, like 90s, 3h, 1d12h, 2w, 1mo or 1y',
      input: value,
    });
    return z.NEVER;
  }),
  z.object({ months: z.number(), ms: z.number() }),
);

const moved = z.object({
  /** False if more scheduled runs fall due than allowed. Then nothing was changed. */
  moved: z.boolean(),
  from: time,
  to: time,
  /** Number of scheduled runs that fall due during the move. */
  due: z.number(),
  /** Numbers of running executions and waiting messages. */
  executions: work,
});

const common = { query: nothing, answer: 'envelope' } as const;

export const clockOperations = {
  'clock.show': operation({
    ...common,
    id: 'clock.show',
    method: 'GET',
    path: '/clock',
    guard: 'owner-or-caller',
    body: 'none',
    summary: 'Show the clock of the instance and the next runs',
    description:
      'The clock of the machine, or a virtual clock that stands still until it is moved. Only admins of the first tenant see the progress of a move, and the next scheduled runs and the numbers of executions of their tenant.',
    input: nothing,
    result: z.object({
      machineTime: time,
      /** Absent if the instance uses the clock of the machine. */
      clock: z.optional(virtualClock),
      /** Absent if the caller may not move the clock. The same holds for `executions`. */
      next: z.optional(z.array(z.object({ time, actorId: z.string(), actor: z.string() }))),
      executions: z.optional(work),
    }),
    failures: [],
  }),
  'clock.pause': operation({
    ...common,
    id: 'clock.pause',
    method: 'POST',
    path: '/clock/pause',
    guard: 'owner-or-admin',
    body: 'none',
    summary: 'Stop the virtual clock',
    input: nothing,
    result: virtualClock,
    failures: ['OTHER_CLOCK', 'IN_USE'],
  }),
  'clock.resume': operation({
    ...common,
    id: 'clock.resume',
    method: 'POST',
    path: '/clock/resume',
    guard: 'owner-or-admin',
    body: 'none',
    summary: 'Let the virtual clock run',
    input: nothing,
    result: virtualClock,
    failures: ['OTHER_CLOCK', 'IN_USE'],
  }),
  'clock.move': operation({
    ...common,
    id: 'clock.move',
    method: 'POST',
    path: '/clock/move',
    guard: 'owner-or-admin',
    body: 'json',
    summary: 'Move the virtual clock and fire the schedules',
    description:
      'Give `to` or `by`. If more than `most` scheduled runs fall due (default 10000), nothing changes and `moved` is false. The response comes at the end of the move. Meanwhile `GET /clock` shows its progress. With `Accept: text/event-stream`, a move that takes longer is a stream of the events `progress`, and `done` or `error`: the access token may expire during the move. A client that disconnects stops the move where it is, and `target` names the time that it was to reach.',
    input: z.object({
      to: z.optional(instant),
      by: z.optional(step),
      /** Largest number of scheduled runs that the caller allows. */
      most: z.optional(formInteger(0)),
    }),
    result: moved,
    media: [EVENT_STREAM],
    failures: ['VALIDATION', 'OTHER_CLOCK', 'IN_USE'],
  }),
} as const;
