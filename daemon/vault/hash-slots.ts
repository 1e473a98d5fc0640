// Shares the few slots for password hashes among the ways in which passwords arrive.
// @see docs/conformance/security.md R75, R240
import { Failure } from '../domain/failure.ts';
import type { PasswordLane } from '../ports/vault.ts';

/** Maximum number of hashes computed at the same time. Each needs 128 MB and a thread. */
const SLOTS = 2;
/** Slots that only the lane `form` may use. */
const RESERVED = 1;
/** Maximum number of waiting calls in one lane. */
const WAITING = 16;
/** Time (ms) after which a waiting call is refused. */
const LONGEST_WAIT_MS = 2_000;

const busy = (): Failure =>
  new Failure('THROTTLED', 'Too many passwords are being checked. Try again in a moment.', {
    retryAfter: LONGEST_WAIT_MS / 1_000,
  });

interface Waiting {
  readonly start: () => void;
}

interface Lane {
  readonly name: PasswordLane;
  readonly waiting: Set<Waiting>;
  running: number;
  /** Sequence number, counted over all lanes, of the last call that this lane started. */
  lastStart: number;
}

/** Runs `work` in a slot. @throws Failure THROTTLED if the lane is full, or if no slot was free in time */
export type HashSlots = <T>(lane: PasswordLane, work: () => Promise<T>) => Promise<T>;

/** Creates the slots. A free slot goes to the waiting lane whose last call started the longest time ago. */
export const createHashSlots = (longestWaitMs = LONGEST_WAIT_MS): HashSlots => {
  const lanes = new Map<PasswordLane, Lane>();
  let starts = 0;
  const laneOf = (name: PasswordLane): Lane => {
    const lane = lanes.get(name) ?? { name, waiting: new Set(), running: 0, lastStart: 0 };
    lanes.set(name, lane);
    return lane;
  };
  const mayStart = ({ name }: Lane): boolean => {
    const all = [...lanes.values()];
    const count = (some: readonly Lane[]) => some.reduce((sum, { running }) => sum + running, 0);
    const others = all.filter((lane) => lane.name !== 'form');
    return count(all) < SLOTS && (name === 'form' || count(others) < SLOTS - RESERVED);
  };
  const occupy = (lane: Lane): void => {
    lane.running += 1;
    starts += 1;
    lane.lastStart = starts;
  };
  const startNext = (): void => {
    const [lane] = [...lanes.values()]
      .filter((each) => each.waiting.size > 0 && mayStart(each))
      .toSorted((left, right) => left.lastStart - right.lastStart);
    const [next] = lane?.waiting ?? [];
    if (lane === undefined || next === undefined) return;
    lane.waiting.delete(next);
    occupy(lane);
    next.start();
  };
  const wait = (lane: Lane): Promise<void> =>
    new Promise((resolve, reject) => {
      const call: Waiting = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        lane.waiting.delete(call);
        reject(busy());
      }, longestWaitMs);
      lane.waiting.add(call);
    });
  return async (name, work) => {
    const lane = laneOf(name);
    if (lane.waiting.size > 0 || !mayStart(lane)) {
      if (lane.waiting.size >= WAITING) throw busy();
      await wait(lane);
    } else occupy(lane);
    try {
      return await work();
    } finally {
      lane.running -= 1;
      startNext();
    }
  };
};
