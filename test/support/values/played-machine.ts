// A machine whose wall clock a test sets, and that sleeps when the test says so.
import type { MachineClocks } from '../../../daemon/domain/schedule/machine-time.ts';

export interface PlayedMachine extends MachineClocks {
  readonly pass: (ms: number) => void;
  /** Sets the wall clock. */
  readonly set: (ms: number) => void;
  readonly sleep: (ms: number) => void;
}

export const playedMachine = (start: number): PlayedMachine => {
  let [passed, asleep, offset] = [0, 0, start];
  return {
    wall: () => offset + passed,
    monotonic: () => passed,
    boot: () => passed + asleep,
    pass: (ms) => {
      passed += ms;
    },
    set: (ms) => {
      offset = ms - passed;
    },
    sleep: (ms) => {
      asleep += ms;
      offset += ms;
    },
  };
};
