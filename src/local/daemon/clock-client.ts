// Client of the daemon's management socket for the virtual clock: show, pause, resume, move.
import * as z from 'zod/mini';
import { askManagement, type ManagementCall, unknownAnswer } from './management-socket.ts';
import { streamAsker } from './management-stream.ts';

/** Schema of the position of a virtual clock; times in ms since the epoch. */
export const clockState = z.object({
  now: z.number(),
  /** Where it stood when the instance was made. */
  from: z.number(),
  /** False: it stands still. */
  running: z.boolean(),
  /** An advance is in progress. */
  advancing: z.boolean(),
  /** Where an advance leads that is in progress or was interrupted. */
  target: z.optional(z.number()),
});
export type ClockState = z.output<typeof clockState>;

const report = z.object({
  /** Time of the machine. */
  machine: z.number(),
  /** Absent: the instance has the clock of the machine. */
  clock: z.optional(clockState),
  /** Executions that run now, and messages that wait. */
  running: z.number(),
  queued: z.number(),
  /** The next runs of cron plans. */
  next: z.array(z.object({ at: z.number(), actorId: z.string(), name: z.string() })),
});
export type ClockReport = z.output<typeof report>;

const changed = z.object({ clock: clockState });
const moved = z.object({
  /** False: more runs fall due than allowed, and nothing was changed. */
  moved: z.boolean(),
  from: z.number(),
  to: z.number(),
  /** Runs of cron plans that fall due on the way. */
  due: z.number(),
});
export type Moved = z.output<typeof moved>;

const progress = z.object({ at: z.number(), fired: z.number(), due: z.number() });
export type ClockProgress = z.output<typeof progress>;

/** A move: to an instant (ms), or by months and ms. */
export type ClockMove = { readonly to: number } | { readonly months: number; readonly ms: number };

/** The virtual clock of the daemon. Every method throws CliFailure DAEMON_NOT_RUNNING; all but `show` OTHER_CLOCK. */
export interface ClockAccess {
  readonly show: () => Promise<ClockReport>;
  readonly pause: () => Promise<ClockState>;
  readonly resume: () => Promise<ClockState>;
  /**
   * Moves the clock and fires the cron plans on the way.
   * @param most runs that are allowed
   */
  readonly move: (move: ClockMove, most: number, onProgress: (progress: ClockProgress) => void) => Promise<Moved>;
}

/** Creates the access to the virtual clock on this socket. */
export const createClockAccess = (socket: string, signal: AbortSignal): ClockAccess => {
  const ask = async <S extends z.ZodMiniType>(
    call: ManagementCall,
    schema: S,
    body?: unknown,
  ): Promise<z.output<S>> => {
    const parsed = schema.safeParse(await askManagement(socket, call, body));
    if (!parsed.success) throw unknownAnswer(call, parsed.error);
    return parsed.data;
  };
  const stream = streamAsker(socket, signal);
  return {
    show: () => ask(['GET', '/manage/clock'], report),
    pause: async () => (await ask(['POST', '/manage/clock/pause'], changed, {})).clock,
    resume: async () => (await ask(['POST', '/manage/clock/resume'], changed, {})).clock,
    move: (move, most, onProgress) =>
      stream('/manage/clock/move', moved, { ...move, most }, undefined, (text) =>
        onProgress(progress.parse(JSON.parse(text))),
      ),
  };
};
