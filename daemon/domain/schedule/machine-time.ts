// The rule by which the daemon's time follows the clock of the machine: never back, at once after the machine was
// asleep, and after any other jump only once it has lasted.
import type { Clock } from '../../ports/clock.ts';

/** Milliseconds for which a jump of the wall clock must last, unless the boot clock explains it. */
const JUMP_LASTS_MS = 60_000;

/** Below this change (ms) between wall clock and monotonic clock, the boot clock is not read. */
const SLIGHT_MS = 10;

/** The clocks of a machine in ms. */
export interface MachineClocks {
  /** Since the epoch. It can be set. */
  readonly wall: () => number;
  /** Cannot be set, and stands still while the machine is asleep. */
  readonly monotonic: () => number;
  /** Cannot be set, and continues while the machine is asleep. */
  readonly boot: () => number;
}

/** Distances from the monotonic clock in ms. */
export interface MachineTime {
  /** Distance of the daemon's time. It only grows. */
  readonly offset: number;
  /** Distance of the wall clock when it was last read. */
  readonly gap: number;
  /** Distance of the boot clock: the time asleep. */
  readonly asleep: number;
  /** A jump that is not followed yet: since when (monotonic), and its smallest size since then. */
  readonly jump?: { readonly since: number; readonly least: number };
}

/** @param floor the time does not begin before this instant */
export const beginMachineTime = ({ wall, monotonic, boot }: MachineClocks, floor: number): MachineTime => {
  const [at, passed] = [wall(), monotonic()];
  return { offset: Math.max(at, floor) - passed, gap: at - passed, asleep: boot() - passed };
};

/** The time after a look at the clocks. */
export const followMachine = (
  before: MachineTime,
  { wall, passed, boot }: { readonly wall: number; readonly passed: number; readonly boot: () => number },
): MachineTime => {
  const gap = wall - passed;
  const hasMoved = Math.abs(gap - before.gap) >= SLIGHT_MS;
  const asleep = hasMoved ? Math.max(before.asleep, boot() - passed) : before.asleep;
  const ahead = Math.max(0, gap - before.offset);
  const woke = Math.min(ahead, asleep - before.asleep);
  const offset = before.offset + woke;
  const seen = { offset, gap: hasMoved ? gap : before.gap, asleep };
  const rest = ahead - woke;
  if (rest === 0) return seen;
  const { since, least } = before.jump ?? { since: passed, least: rest };
  const jump = { since, least: Math.min(least, rest) };
  return passed - since < JUMP_LASTS_MS ? { ...seen, jump } : { ...seen, offset: offset + jump.least };
};

/**
 * The time by which schedules fire. It is behind the time of records if the machine's clock was set back, or is not
 * followed yet.
 */
export const scheduleNow = (clock: Clock): number => clock.due?.() ?? clock.now();
