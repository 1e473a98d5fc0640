// Reads a value repeatedly while the page is visible, and at once when an event arrives.
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { EventView } from '../../../../src/contract/actors/events.ts';
import { ApiFailure, formatReadFailure } from './failure.ts';
import { liveNews } from './live.ts';

/** Number of first reads without a response: the views that wait for them show nothing yet. */
export const firstReads = signal(0);

export interface Polled<T> {
  readonly value: ReadonlySignal<T | undefined>;
  /** Why the last read failed, unless there was no response. The last value stays. */
  readonly problem: ReadonlySignal<string | undefined>;
  readonly again: () => void;
}

interface Timing<T> {
  readonly every: number;
  /** Also reads after events: soon after the first event, and at most at this interval. */
  readonly afterEvents?: number;
  /** The events after which to read, given the last value. All events if absent. */
  readonly concerns?: (event: EventView, value: T | undefined) => boolean;
  /** True if the value no longer changes. It is then read once a minute, because it may be deleted. */
  readonly isOver?: (value: T) => boolean;
  /** Milliseconds between two reads of such a value. `Infinity` to stop reading. A minute by default. */
  readonly overEvery?: number;
}

const OVER_EVERY_MS = 60_000;
/**
 * Delay before a read. What an event announces is already stored, and events that belong together arrive within this
 * time.
 */
const SOON_MS = 50;

export const usePolled = <T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  { every, afterEvents, concerns = () => true, isOver = () => false, overEvery = OVER_EVERY_MS }: Timing<T>,
): Polled<T> => {
  const polled = useMemo(() => {
    const value = signal<T | undefined>(undefined);
    const problem = signal<string | undefined>(undefined);
    const controller = new AbortController();
    let reading = false;
    let isFirst = true;
    let due = false;
    let over = false;
    let begunAt = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let soon: ReturnType<typeof setTimeout> | undefined;
    const turn = async (): Promise<void> => {
      clearTimeout(timer);
      clearTimeout(soon);
      soon = undefined;
      if (reading) {
        due = true;
        return;
      }
      reading = true;
      due = false;
      begunAt = performance.now();
      if (isFirst) firstReads.value += 1;
      try {
        const found = await read(controller.signal);
        over = isOver(found);
        value.value = found;
        problem.value = undefined;
      } catch (error) {
        if (controller.signal.aborted) return;
        problem.value = formatReadFailure(error);
        if (error instanceof ApiFailure && error.status === 404) value.value = undefined;
      } finally {
        reading = false;
        if (isFirst) firstReads.value -= 1;
        isFirst = false;
      }
      if (controller.signal.aborted) return;
      if (due) return turn();
      const ms = over ? overEvery : every;
      if (Number.isFinite(ms)) timer = setTimeout(() => (document.hidden ? undefined : void turn()), ms);
    };
    const awake = (): void => {
      if (!document.hidden) void turn();
    };
    const begin = (): (() => void) => {
      void turn();
      document.addEventListener('visibilitychange', awake);
      const stop =
        afterEvents === undefined
          ? () => undefined
          : effect(() => {
              const news = liveNews.value;
              if (over || soon !== undefined || document.hidden || !news.some((event) => concerns(event, value.peek())))
                return;
              soon = setTimeout(() => void turn(), Math.max(SOON_MS, begunAt + afterEvents - performance.now()));
            });
      return () => {
        controller.abort();
        clearTimeout(timer);
        clearTimeout(soon);
        stop();
        document.removeEventListener('visibilitychange', awake);
      };
    };
    return { value, problem, again: () => void turn(), begin };
  }, [key]);
  useEffect(() => polled.begin(), [polled]);
  return polled;
};
