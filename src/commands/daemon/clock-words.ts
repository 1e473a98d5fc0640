// Words about a virtual clock, for `clock`, `up` and `status`.

import type { ClockState } from '../../contract/clock.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import { formatInstant } from '../../contract/virtual-clock.ts';

export type ClockReport = ResultOf<Operations['clock.show']>;

const msOf = (time: string): number => Date.parse(time);

/** The position of a clock as the service shows it. Callers who may not move the clock do not learn when it was made. */
export const stateOf = ({ time, madeTime = time, target, ...rest }: NonNullable<ClockReport['clock']>): ClockState => ({
  ...rest,
  now: msOf(time),
  from: msOf(madeTime),
  ...(target !== undefined && { target: msOf(target) }),
});

/** The time and the state of the clock: `virtual  2030-01-01T00:00:00Z  paused`. */
export const formatClock = ({ now, running, advancing, target }: ClockState): string => {
  const where = `virtual  ${formatInstant(now)}`;
  if (!advancing) return `${where}  ${running ? 'runs' : 'paused'}`;
  return `${where}  ${target === undefined ? 'is being moved' : `is being moved to ${formatInstant(target)}`}`;
};

/** A hint to finish an interrupted advance. Undefined if no advance was interrupted. */
export const interruptedAdvance = ({ target, advancing }: ClockState): string | undefined =>
  target === undefined || advancing
    ? undefined
    : `an advance of the clock to ${formatInstant(target)} was interrupted. To continue: actorctl clock set ${formatInstant(target)}`;

export const isoTime = (time: number): string => new Date(time).toISOString();

export const clockValue = (clock: ClockState) => ({
  virtual: true,
  time: isoTime(clock.now),
  running: clock.running,
  advancing: clock.advancing,
  made_at: isoTime(clock.from),
  target: clock.target === undefined ? null : isoTime(clock.target),
});
