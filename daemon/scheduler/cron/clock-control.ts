// Moves the virtual clock of an instance. The stored position is the clock: messages of schedules and the position that
// caused them are written in one transaction, and the clock shows a position once it is on disk.
import { setImmediate as breathe } from 'node:timers/promises';
import { formatInstant } from '../../../src/contract/virtual-clock.ts';
import { Failure } from '../../domain/failure.ts';
import type { VirtualTime } from '../../domain/records/account-records.ts';
import { plannedTimes } from '../../domain/schedule/cron-plan.ts';
import { type Firing, firingsUntil } from '../../domain/schedule/firings.ts';
import { runningSince, standing, targetOf } from '../../domain/schedule/virtual-time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClockControl, Moved } from '../../ports/clock-control.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Store, Transaction } from '../../ports/store.ts';
import { messageOf } from '../scheduler-context.ts';
import { putCronMessage } from './cron-message.ts';

const BATCH = 250;
/** Maximum number of runs in one advance. Their messages wait in memory, about a kilobyte each. */
const MOST = 1_000_000;
/** Time (ms) for which counting may block the event loop at a stretch. */
const SLICE_MS = 10;

interface Dependencies {
  readonly store: Store;
  readonly clock: Clock & { hold(): number; follow(time: VirtualTime): void };
  readonly machine: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly deleteExpired: () => Promise<unknown>;
  readonly batch?: number;
  readonly limit?: number;
}

/** The stored clock. A control exists only for an instance that has one. */
const storedClock = (view: Pick<Transaction, 'get'>): VirtualTime => {
  const clock = view.get('meta', 'instance')?.clock;
  if (clock === undefined) throw new Error('the instance has no virtual clock');
  return clock;
};

const putClock = (tx: Transaction, change: (clock: VirtualTime) => VirtualTime): void => {
  const meta = tx.get('meta', 'instance');
  if (meta?.clock !== undefined) tx.put('meta', { ...meta, clock: change(meta.clock) });
};

/** Creates the control of an instance's virtual clock. @see docs/architecture.md#patterns */
export const createClockControl = (deps: Dependencies): ClockControl => {
  const { store, clock, machine, ids, logger, deleteExpired, batch = BATCH, limit = MOST } = deps;
  const closing = new AbortController();
  let moving: { readonly target?: number; readonly ended: Promise<unknown> } | undefined;
  /** The numbers of runs of the move in progress, once they are counted. */
  let progress: { readonly fired: number; readonly due: number } | undefined;

  store.watch('meta', (meta) => {
    if (meta.clock !== undefined) clock.follow(meta.clock);
  });

  const state: ClockControl['state'] = () => {
    const { from, runsSince, target = moving?.target } = storedClock(store);
    return {
      now: clock.now(),
      from,
      running: runsSince !== undefined,
      advancing: moving !== undefined,
      ...(target !== undefined && { target }),
      ...progress,
    };
  };

  /** Runs `work` exclusively. If it fails, the clock continues from its stored position. */
  const alone = async <T>(target: number | undefined, work: () => Promise<T>): Promise<T> => {
    closing.signal.throwIfAborted();
    if (moving !== undefined) {
      const where = moving.target === undefined ? '' : ` to ${formatInstant(moving.target)}`;
      throw new Failure('IN_USE', `The clock is being moved${where}. Try again when it has arrived.`);
    }
    const ended = work();
    moving = { ...(target !== undefined && { target }), ended: ended.catch(() => undefined) };
    try {
      return await ended;
    } finally {
      moving = undefined;
      progress = undefined;
      clock.follow(storedClock(store));
    }
  };

  /** The number of due runs, counted up to one more than an advance may have. */
  const countDue = async (target: number, signal: AbortSignal): Promise<number> => {
    let due = 0;
    let since = performance.now();
    for (const { cron, status } of store.by('actors', 'cron', 'on')) {
      if (cron === undefined || status === 'SHUTTING_DOWN') continue;
      for (const at of plannedTimes(cron)) {
        if (at > target) break;
        due += 1;
        if (due > limit) return due;
        if (performance.now() - since < SLICE_MS) continue;
        await breathe();
        signal.throwIfAborted();
        since = performance.now();
      }
    }
    return due;
  };

  /** Fires the next runs and moves the clock to the last of them, or to the target if there are no more. */
  const step = (tx: Transaction, start: number, target: number): { readonly at: number; readonly fired: number } => {
    const firings: Firing[] = [];
    for (const firing of firingsUntil(tx.by('actors', 'cron', 'on'), target)) {
      firings.push(firing);
      if (firings.length === batch) break;
    }
    const last = firings.length === batch ? firings.at(-1)?.at : undefined;
    const at = Math.max(start, last ?? target);
    // The clock is stored first, so that it has arrived before the scheduler learns of the messages.
    putClock(tx, (before) => standing(before, at, last === undefined ? undefined : target));
    const latest = new Map<string, Firing>();
    for (const firing of firings) {
      const run = { scheduledAt: firing.at, missed: 0 };
      putCronMessage(tx, firing.actor, run, { executionId: ids.id(), receivedAt: Math.max(start, firing.at) });
      latest.set(firing.actor.id, firing);
    }
    for (const { actor, plan } of latest.values()) tx.put('actors', { ...actor, cron: plan });
    return { at: last === undefined ? Number.POSITIVE_INFINITY : at, fired: firings.length };
  };

  const move: ClockControl['move'] = async (wish, { most, signal: given }) => {
    const signal = AbortSignal.any([given, closing.signal]);
    return alone(targetOf(wish, clock.now()), async (): Promise<Moved> => {
      const from = clock.hold();
      const to = targetOf(wish, from);
      const due = await countDue(to, signal);
      if (due > limit) {
        throw new Failure(
          'VALIDATION',
          `More than ${limit} cron messages are due by ${formatInstant(to)}. Advance in shorter steps, or switch off what is not needed.`,
        );
      }
      if (due > most) return { moved: false, from, to, due };
      let fired = 0;
      progress = { fired, due };
      for (let at = from; at !== Number.POSITIVE_INFINITY; ) {
        signal.throwIfAborted();
        const done = await store.transact((tx) => step(tx, clock.now(), to));
        at = done.at;
        fired += done.fired;
        progress = { fired, due };
      }
      logger.info(
        { event: 'clock-moved', from: formatInstant(from), to: formatInstant(to), fired },
        'the clock was moved',
      );
      await deleteExpired().catch((error: unknown) => {
        logger.warn({ reason: messageOf(error) }, 'cannot delete what has expired; the next sweep tries again');
      });
      return { moved: true, from, to, due: fired };
    });
  };

  const change = (how: (before: VirtualTime) => VirtualTime): Promise<unknown> =>
    alone(undefined, () => store.transact((tx) => putClock(tx, how)));

  return {
    state,
    move,
    async pause() {
      if (moving !== undefined || storedClock(store).runsSince !== undefined) {
        await change((before) => standing(before, clock.hold()));
      }
      return state();
    },
    async resume() {
      if (storedClock(store).runsSince === undefined) {
        await change((before) => runningSince(before, machine.now()));
      }
      return state();
    },
    async close() {
      closing.abort(new Failure('SHUTTING_DOWN', 'The daemon is stopping. The clock did not move further.'));
      await moving?.ended;
    },
  };
};
