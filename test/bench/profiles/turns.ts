// The turns of the event loop while something works: the longest ones, and what V8 and its threads did in them.
import { PerformanceObserver } from 'node:perf_hooks';

/** From and to when, in ms of `performance.now()`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** One turn of the event loop. Times in ms. */
export interface Turn extends Span {
  readonly ms: number;
  /** Processor time of all threads of the process, those of V8 included. */
  readonly processorMs: number;
  /** Pauses for garbage collection. What V8 sweeps later, when memory is allocated, does not count as one. */
  readonly pausedMs: number;
}

/** Number of turns that are kept. */
const MOST = 8;

const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const overlap = (a: Span, b: Span): number => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

/** The longest turns of the event loop while `work` runs, the longest first. */
export const longestTurns = async (work: () => Promise<unknown>): Promise<readonly Turn[]> => {
  const pauses: Span[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) pauses.push({ from: startTime, to: startTime + duration });
  });
  observer.observe({ entryTypes: ['gc'] });
  let turns: { readonly span: Span; readonly processorMs: number }[] = [];
  let [last, lastTime] = [performance.now(), processorTime()];
  let watching = true;
  const look = (): void => {
    const [now, time] = [performance.now(), processorTime()];
    const shortest = turns.at(-1)?.span;
    if (turns.length < MOST || (shortest !== undefined && now - last > shortest.to - shortest.from)) {
      turns = [...turns, { span: { from: last, to: now }, processorMs: time - lastTime }]
        .sort((a, b) => b.span.to - b.span.from - (a.span.to - a.span.from))
        .slice(0, MOST);
    }
    [last, lastTime] = [now, time];
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    watching = false;
    // The entry of a collection arrives a turn later.
    await new Promise((resolve) => setTimeout(resolve, 20));
    observer.disconnect();
  }
  return turns.map(({ span, processorMs }) => ({
    ...span,
    ms: span.to - span.from,
    processorMs,
    pausedMs: pauses.reduce((sum, pause) => sum + overlap(span, pause), 0),
  }));
};

/** The longest time in ms during which `work` blocked the event loop. */
export const longestStall = async (work: () => Promise<unknown>): Promise<number> =>
  (await longestTurns(work))[0]?.ms ?? 0;

const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** The turns as a table in Markdown. */
export const turnsTable = (turns: readonly Turn[]): string =>
  [
    '| turn | processor time | paused for collections |',
    '|---|---|---|',
    ...turns.map((turn) => `| ${ms(turn.ms)} | ${ms(turn.processorMs)} | ${ms(turn.pausedMs)} |`),
  ].join('\n');
