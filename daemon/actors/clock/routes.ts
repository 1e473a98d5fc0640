// Handlers of the clock of the instance. Without a caller, the owner of the data sent the request.
import { type ClockState, UNASKED_RUNS } from '../../../src/contract/clock.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { formatInstant } from '../../../src/contract/virtual-clock.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { Failure } from '../../domain/failure.ts';
import { isFirstTenant } from '../../domain/people/tenant.ts';
import { nextFirings } from '../../domain/schedule/firings.ts';
import { type ClockMove, machineClock } from '../../domain/schedule/virtual-time.ts';
import type { Caller, Handlers } from '../../http/route-handler.ts';
import type { ClockControl } from '../../ports/clock-control.ts';
import type { ActorsDependencies } from '../dependencies.ts';

/** Number of upcoming scheduled runs that `clock.show` lists. */
const NEXT = 3;

type ClockOperation = 'clock.show' | 'clock.pause' | 'clock.resume' | 'clock.move';
type ClockView = ResultOf<Operations['clock.pause']>;

const viewOf = ({ now, from, running, advancing, target, ...progress }: ClockState): ClockView => ({
  time: toWireTime(now),
  running,
  advancing,
  madeTime: toWireTime(from),
  ...(target !== undefined && { target: toWireTime(target) }),
  ...progress,
});

const moveOf = ({ to, by }: { to?: number | undefined; by?: ClockMove | undefined }): ClockMove => {
  if ((to === undefined) === (by === undefined)) {
    throw new Failure('VALIDATION', 'Give either "to", a time, or "by", a duration by which the clock moves.');
  }
  return by ?? { to: to ?? 0 };
};

export const clockHandlers = ({
  store,
  clock,
  virtual,
}: Pick<ActorsDependencies, 'store' | 'clock' | 'virtual'>): Handlers<ClockOperation> => {
  /** The clock concerns every tenant, and so do admins of the first tenant. */
  const mayMove = (caller: Caller | undefined): boolean =>
    caller === undefined || (caller.roles.includes('admin') && isFirstTenant(caller.tenant, store.all('tenants')));

  /** @throws Failure FORBIDDEN, OTHER_CLOCK */
  const control = (caller: Caller | undefined): ClockControl => {
    if (!mayMove(caller)) {
      throw new Failure(
        'FORBIDDEN',
        'Only admins of the first tenant can change the clock, because it is the clock of all tenants.',
      );
    }
    if (virtual === undefined) throw machineClock();
    return virtual.control;
  };

  /** Work of all tenants for the owner of the data, else of the caller's tenant: no role reads another one. */
  const executions = (caller: Caller | undefined) => {
    if (caller === undefined)
      return { running: store.countBy('executions', 'running', 'yes'), queued: store.count('messages') };
    const isOwn = ({ tenant }: { readonly tenant: string }): boolean => tenant === caller.tenant;
    const actors = store.by('actors', 'tenant', caller.tenant).map(({ id }) => id);
    return {
      running: store.by('executions', 'running', 'yes').filter(isOwn).length,
      queued: store.countBy('messages', 'actor', actors),
    };
  };

  return {
    'clock.show': ({ caller }) => {
      const machineTime = toWireTime((virtual?.machine ?? clock).now());
      const view = virtual && viewOf(virtual.control.state());
      const message = 'The clock.';
      if (!mayMove(caller)) {
        const shown = view && { clock: { time: view.time, running: view.running, advancing: view.advancing } };
        return { result: { machineTime, ...shown }, message };
      }
      const scheduled = store
        .by('actors', 'cron', 'on')
        .filter(({ tenant }) => caller === undefined || tenant === caller.tenant);
      const next = nextFirings(scheduled, NEXT).map(({ actor, at }) => ({
        time: toWireTime(at),
        actorId: actor.id,
        actor: actor.name,
      }));
      return { result: { machineTime, ...(view && { clock: view }), next, executions: executions(caller) }, message };
    },

    'clock.pause': async ({ caller }) => ({
      result: viewOf(await control(caller).pause()),
      message: 'The clock stands still.',
    }),

    'clock.resume': async ({ caller }) => ({
      result: viewOf(await control(caller).resume()),
      message: 'The clock runs.',
    }),

    'clock.move': async ({ caller, input: { to, by, most = UNASKED_RUNS }, signal }) => {
      const { move } = control(caller);
      const done = await move(moveOf({ to, by }), { most, signal: signal() });
      const until = formatInstant(done.to);
      return {
        result: { ...done, from: toWireTime(done.from), to: toWireTime(done.to), executions: executions(caller) },
        message: done.moved
          ? `The clock stands still at ${until}.`
          : `Nothing was changed: more than ${most} scheduled runs fall due until ${until} (${done.due}).`,
      };
    },
  };
};
