// The actions of the management socket on the virtual clock: show, pause, resume, move.
import * as z from 'zod/mini';
import { nextFirings } from '../domain/schedule/firings.ts';
import { type ClockMove, machineClock } from '../domain/schedule/virtual-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClockControl } from '../ports/clock-control.ts';
import type { Store } from '../ports/store.ts';
import { readInput } from './read-input.ts';
import type { Actions } from './server.ts';
import type { StreamActions } from './stream.ts';

const moveInput = z.object({
  /** ms since the epoch. */
  to: z.optional(z.int()),
  months: z.optional(z.int().check(z.minimum(0))),
  ms: z.optional(z.int().check(z.minimum(0))),
  /** Runs of cron plans that the caller allows. */
  most: z.int().check(z.minimum(0)),
});

/** Runs of cron plans that `clock show` lists. */
const NEXT = 3;

interface ClockDependencies {
  readonly store: Store;
  /** The clock of the machine. */
  readonly machine: Clock;
  /** Absent: the instance has the clock of the machine. */
  readonly control?: ClockControl;
}

/** The position of the clock, for `status` and for the address of the instance. Empty without a virtual clock. */
export const clockState = ({ control }: Pick<ClockDependencies, 'control'>) => control && { clock: control.state() };

/** Creates the actions. Their client is `src/local/daemon/clock-client.ts`. */
export const clockActions = (
  deps: ClockDependencies,
): { readonly actions: Actions; readonly streams: StreamActions } => {
  const { store, machine } = deps;
  const control = (): ClockControl => {
    if (deps.control === undefined) throw machineClock();
    return deps.control;
  };
  return {
    actions: {
      'GET /manage/clock': () => ({
        machine: machine.now(),
        ...clockState(deps),
        running: store.countBy('executions', 'running', 'yes'),
        queued: store.count('messages'),
        next: nextFirings(store.by('actors', 'cron', 'on'), NEXT).map(({ actor, at }) => ({
          at,
          actorId: actor.id,
          name: actor.name,
        })),
      }),
      'POST /manage/clock/pause': async () => ({ clock: await control().pause() }),
      'POST /manage/clock/resume': async () => ({ clock: await control().resume() }),
    },
    streams: {
      'POST /manage/clock/move': ({ input, say, signal }) => {
        const { to, months = 0, ms = 0, most } = readInput(moveInput, input);
        const move: ClockMove = to === undefined ? { months, ms } : { to };
        return control().move(move, {
          most,
          signal,
          onProgress: (at, fired, due) => say(JSON.stringify({ at, fired, due })),
        });
      },
    },
  };
};
