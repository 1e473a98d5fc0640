// Time that never runs backwards, whatever is done to the clock of the machine.
import type { Clock } from '../ports/clock.ts';

export interface ClockOptions {
  /** Latest time (ms) that the data knows: time goes on from there when the machine's clock is behind it. */
  readonly floor: number;
  /** The machine's clock, ms since the epoch. */
  readonly wall?: () => number;
  /** ms of a clock that nobody can set. */
  readonly monotonic?: () => number;
}

/** A floor further ahead (ms) than this is a clock that was wrong before, not one that was set back since. */
const BELIEVABLE_MS = 24 * 60 * 60 * 1000;

/**
 * The real clock: the machine's time at the start (or the floor, if that is later by less than a day) plus what has passed
 * since, stepping forward with the machine's clock and never back.
 */
export const createClock = ({ floor, wall = Date.now, monotonic = () => performance.now() }: ClockOptions): Clock => {
  const atStart = wall();
  const begun = monotonic();
  const base = floor > atStart && floor - atStart < BELIEVABLE_MS ? floor : atStart;
  /** How far (ms) the machine's clock has jumped ahead of what has passed. */
  let lead = 0;
  return {
    now: () => {
      const passed = base + (monotonic() - begun);
      lead = Math.max(lead, wall() - passed);
      return Math.floor(passed + lead);
    },
  };
};
