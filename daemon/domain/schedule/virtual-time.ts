// Rules of a virtual clock: which clock an instance has, what time it shows, and where it may be moved.

import { type ClockWish, formatInstant, LAST_INSTANT, otherClock } from '../../../src/contract/virtual-clock.ts';
import { Failure } from '../failure.ts';
import type { MetaRecord, VirtualTime } from '../records/account-records.ts';
import { monthsLater } from './cron.ts';

/** The error for every command that moves the clock of an instance without a virtual clock. */
export const machineClock = (): Failure =>
  new Failure(
    'OTHER_CLOCK',
    'This instance has the clock of the machine, which cannot be moved. A new instance can have a virtual one: actorctl up --virtual-clock --instance OTHER.',
    { has: 'machine' },
  );

/**
 * The virtual clock of an instance. Undefined if the instance uses the machine's clock.
 * @param stored undefined at the first start
 * @throws Failure OTHER_CLOCK if the start asks for another clock than the instance has
 */
export const clockOfInstance = (
  stored: Pick<MetaRecord, 'clock'> | undefined,
  wish: ClockWish | undefined,
  machineNow: number,
): VirtualTime | undefined => {
  if (stored === undefined) {
    if (wish === undefined || wish === 'machine') return undefined;
    const from = wish === 'virtual' ? machineNow : wish;
    return { from, at: from };
  }
  const { clock } = stored;
  const why = otherClock(clock, wish);
  if (why !== undefined) throw new Failure('OTHER_CLOCK', why, { has: clock === undefined ? 'machine' : 'virtual' });
  return clock;
};

/** A move of the clock: to an instant, or by a number of months and ms. */
export type ClockMove = { readonly to: number } | { readonly months: number; readonly ms: number };

/**
 * The instant to which the clock moves. A move by months ends on the last day of a shorter month.
 * @throws Failure VALIDATION if not later, or beyond the year 9999
 */
export const targetOf = (move: ClockMove, now: number): number => {
  const target = 'to' in move ? move.to : monthsLater(now, move.months) + move.ms;
  if (!(target <= LAST_INSTANT)) throw new Failure('VALIDATION', `The clock ends at ${formatInstant(LAST_INSTANT)}.`);
  if ('to' in move && target < now) {
    throw new Failure(
      'VALIDATION',
      `The clock cannot go back: it is at ${formatInstant(now)}, and ${formatInstant(target)} is earlier.`,
    );
  }
  if (!('to' in move) && target <= now)
    throw new Failure('VALIDATION', 'The clock can only move forward: the duration must be more than zero.');
  return target;
};

/**
 * The clock, stopped at an instant.
 * @param target the instant to which an unfinished advance leads
 */
export const standing = ({ from }: VirtualTime, at: number, target?: number): VirtualTime => ({
  from,
  at,
  ...(target !== undefined && target > at && { target }),
});

export const runningSince = ({ from, at }: VirtualTime, machineNow: number): VirtualTime => ({
  from,
  at,
  runsSince: machineNow,
});
