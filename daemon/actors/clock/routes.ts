// Handlers of the clock of the instance. Without a caller, the owner of the data sent the request.
import type { ServerResponse } from 'node:http';
import { type ClockState, UNASKED_RUNS } from '../../../src/contract/clock.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { formatInstant } from '../../../src/contract/virtual-clock.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { Failure } from '../../domain/failure.ts';
import { isFirstTenant } from '../../domain/people/tenant.ts';
import { nextFirings } from '../../domain/schedule/firings.ts';
import { type ClockMove, machineClock } from '../../domain/schedule/virtual-time.ts';
import { type EventStream, openEventStream } from '../../http/response/event-stream.ts';
import { ANSWERED, type Caller, type Handlers, type Reply } from '../../http/route-handler.ts';
import type { ClockControl, Moved } from '../../ports/clock-control.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { asksForStream } from '../executions/log-stream.ts';

/** Time (ms) between two events about the progress of a move. */
const PROGRESS_EVERY_MS = 250;
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

type MoveReply = Reply<ResultOf<Operations['clock.move']>>;

/**
 * Streams the progress of a move. A move or failure that comes before the first progress is answered like any other
 * request.
 */
const streamMove = async (
  moving: Promise<MoveReply>,
  progress: () => ClockView,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<MoveReply | typeof ANSWERED> => {
  let stream: EventStream | undefined;
  const timer = setInterval(() => {
    stream ??= openEventStream(response, signal);
    // A reader that is behind gets the next one.
    if (stream.ready() === true) void stream.send({ event: 'progress', data: progress() });
  }, PROGRESS_EVERY_MS);
  try {
    const reply = await moving;
    if (stream === undefined) return reply;
    await stream.send({ event: 'done', data: reply.result });
  } catch (error) {
    if (stream === undefined || !(error instanceof Failure)) throw error;
    await stream.send({ event: 'error', data: { code: error.code, message: error.message } });
  } finally {
    clearInterval(timer);
  }
  stream.end();
  return ANSWERED;
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

  const replyOf = (caller: Caller | undefined, done: Moved, most: number): MoveReply => {
    const until = formatInstant(done.to);
    return {
      result: { ...done, from: toWireTime(done.from), to: toWireTime(done.to), executions: executions(caller) },
      message: done.moved
        ? `The clock is paused at ${until}.`
        : `Nothing was changed: more than ${most} scheduled runs fall due until ${until} (${done.due}).`,
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
      message: 'The clock is paused.',
    }),

    'clock.resume': async ({ caller }) => ({
      result: viewOf(await control(caller).resume()),
      message: 'The clock runs.',
    }),

    'clock.move': ({ caller, input: { to, by, most = UNASKED_RUNS }, signal: signalOf, request, response }) => {
      const { move, state } = control(caller);
      const signal = signalOf();
      const moving = move(moveOf({ to, by }), { most, signal }).then((done) => replyOf(caller, done, most));
      return asksForStream(request) ? streamMove(moving, () => viewOf(state()), response, signal) : moving;
    },
  };
};
