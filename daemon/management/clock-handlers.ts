// The owner's handlers of the virtual clock: show, pause, resume, move.
import type { clockOperations } from '../../src/contract/owner/clock.ts';
import { nextFirings } from '../domain/schedule/firings.ts';
import { type ClockMove, machineClock } from '../domain/schedule/virtual-time.ts';
import type { Handlers } from '../http/route-handler.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClockControl } from '../ports/clock-control.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import { longHandler } from './long-handler.ts';

/** Number of upcoming schedule runs that `clock show` lists. */
const NEXT = 3;

interface ClockDependencies {
  readonly store: Store;
  readonly machine: Clock;
  /** Absent if the instance uses the machine's clock. */
  readonly control?: ClockControl | undefined;
  readonly logger: Logger;
}

/** The position of the clock, for `status` and for the address of the instance. Empty without a virtual clock. */
export const clockState = ({ control }: Pick<ClockDependencies, 'control'>) => control && { clock: control.state() };

export const clockHandlers = (deps: ClockDependencies): Handlers<keyof typeof clockOperations> => {
  const { store, machine } = deps;
  const control = (): ClockControl => {
    if (deps.control === undefined) throw machineClock();
    return deps.control;
  };
  return {
    'clock.show': () => ({
      result: {
        machine: machine.now(),
        ...clockState(deps),
        running: store.countBy('executions', 'running', 'yes'),
        queued: store.count('messages'),
        next: nextFirings(store.by('actors', 'cron', 'on'), NEXT).map(({ actor, at }) => ({
          at,
          actorId: actor.id,
          name: actor.name,
        })),
      },
      message: 'The clock.',
    }),
    'clock.pause': async () => ({ result: { clock: await control().pause() }, message: 'The clock stands still.' }),
    'clock.resume': async () => ({ result: { clock: await control().resume() }, message: 'The clock runs.' }),
    'clock.move': longHandler('clock.move', deps.logger, async ({ input, say, signal }) => {
      const { to, months = 0, ms = 0, most } = input;
      const move: ClockMove = to === undefined ? { months, ms } : { to };
      return control().move(move, {
        most,
        signal,
        onProgress: (at, fired, due) => say(JSON.stringify({ at, fired, due })),
      });
    }),
  };
};
