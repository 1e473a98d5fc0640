// A clock that never runs backwards, even when the clock of the machine is changed.
import type { Clock } from '../ports/clock.ts';

export interface ClockOptions {
  /** Latest time (ms) in the stored data. When the machine's clock is behind it, the clock starts from this time. */
  readonly floor: number;
  /** The clock of the machine in ms since the epoch. */
  readonly wall?: () => number;
  /** A clock in ms that cannot be set. */
  readonly monotonic?: () => number;
}

/**
 * A floor more than this (ms) ahead means that the machine's clock was wrong earlier, not that it was set back since.
 */
const BELIEVABLE_MS = 24 * 60 * 60 * 1000;

/**
 * Creates the clock: the machine's time at start (or the floor, if it is later by less than a day) plus the time
 * elapsed since. Follows forward jumps of the machine's clock, but no backward jumps.
 */
export const createClock = ({ floor, wall = Date.now, monotonic = () => performance.now() }: ClockOptions): Clock => {
  const atStart = wall();
  const begun = monotonic();
  const base = floor > atStart && floor - atStart < BELIEVABLE_MS ? floor : atStart;
  /** How far (ms) the machine's clock has jumped ahead of the elapsed time. */
  let lead = 0;
  return {
    now: () => {
      const passed = base + (monotonic() - begun);
      lead = Math.max(lead, wall() - passed);
      return Math.floor(passed + lead);
    },
  };
};
