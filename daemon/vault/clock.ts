// Clocks that never run backwards: the machine's clock, even if it is changed, and a virtual clock.
import { uptime } from 'node:os';
import { LAST_INSTANT } from '../../src/contract/virtual-clock.ts';
import type { VirtualTime } from '../domain/records/account-records.ts';
import { beginMachineTime, followMachine, type MachineClocks } from '../domain/schedule/machine-time.ts';
import type { Clock } from '../ports/clock.ts';

export interface ClockOptions extends Partial<MachineClocks> {
  /** Latest time (ms) in the stored data. When the machine's clock is behind it, the clock starts from this time. */
  readonly floor: number;
  /**
   * If the latest stored time is this far (ms) ahead, the machine's clock was wrong earlier, and has not been set back
   * since. A day by default.
   */
  readonly believableMs?: number;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Creates the clock: the machine's time at start plus the time elapsed since. If the latest stored time is later and
 * believable, the clock starts from that time instead. It never goes back.
 */
export const createClock = ({
  floor,
  wall = Date.now,
  monotonic = () => performance.now(),
  boot = () => uptime() * 1000,
  believableMs = DAY,
}: ClockOptions): Required<Clock> => {
  let time = beginMachineTime({ wall, monotonic, boot }, floor - wall() < believableMs ? floor : 0);
  const now = (): number => {
    const passed = monotonic();
    time = followMachine(time, { wall: wall(), passed, boot });
    return Math.floor(passed + time.offset);
  };
  return { now, due: () => Math.min(now(), wall()) };
};

/** The clock of an instance that shows its stored position. */
export interface VirtualClock extends Clock {
  /** Stops the clock at its current time until the next `follow`. Returns this time. */
  hold(): number;
  /** Shows another position from now on. The clock does not go back. */
  follow(time: VirtualTime): void;
}

/** Creates a virtual clock. It is stopped, or runs at a fixed offset from the machine's clock. */
export const createVirtualClock = (
  time: VirtualTime,
  { floor, wall = Date.now, ...clocks }: Omit<ClockOptions, 'believableMs'>,
): VirtualClock => {
  const shown = ({ at, runsSince }: VirtualTime, least: number): Clock => {
    const from = Math.max(at, least);
    if (runsSince === undefined) return { now: () => from };
    const options = { ...clocks, wall: () => at + (wall() - runsSince) };
    const running = createClock({ floor: from, believableMs: Number.POSITIVE_INFINITY, ...options });
    return { now: () => Math.min(running.now(), LAST_INSTANT) };
  };
  let clock = shown(time, floor);
  return {
    now: () => clock.now(),
    hold: () => {
      const at = clock.now();
      clock = { now: () => at };
      return at;
    },
    follow: (next) => {
      clock = shown(next, clock.now());
    },
  };
};
