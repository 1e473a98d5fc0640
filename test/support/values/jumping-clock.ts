// A clock for tests of streams that fall silent.
import { onTestFinished, vi } from 'vitest';

/**
 * A clock that stands still until the stream waits for its second event. Then it jumps, and the stream looks at it.
 * @param seen the events so far
 */
export const jumpingClock = (seen: readonly string[], jumpMs: number, silenceMs: number): (() => number) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let clock = 0;
  return () => {
    const time = clock;
    if (seen.length === 1 && clock === 0) {
      clock = jumpMs;
      queueMicrotask(() => vi.advanceTimersByTime(silenceMs));
    }
    return time;
  };
};
