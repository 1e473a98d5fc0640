// The tasks of the main thread of a page, from a trace of Chromium.
import type { Browser, Page } from 'playwright-core';
import { type Row, sampleOf } from '../figures.ts';

/** A task that takes longer keeps the page from responding. */
const LONG_MS = 50;
const US_IN_MS = 1_000;

/** Both in ms. */
interface Task {
  readonly took: number;
  /** How long it had a processor. On a busy machine a task waits for one, but does not need more of it. */
  readonly worked: number;
}

/** An event of the trace: times in microseconds. */
interface Traced {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const threadOf = ({ pid, tid }: Traced): string => `${pid} ${tid}`;

/** The tasks of the main threads of all pages during `work`. */
export const tasksDuring = async (
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<readonly Task[]> => {
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const trace = await browser.stopTracing();
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly Traced[] };
  const isMain = ({ name, args }: Traced): boolean => name === 'thread_name' && args?.name === 'CrRendererMain';
  const mains = new Set(traceEvents.filter(isMain).map(threadOf));
  const tasks = traceEvents
    .filter((event) => event.name === 'ThreadControllerImpl::RunTask' && mains.has(threadOf(event)))
    .map(({ dur = 0, tdur = 0 }) => ({ took: dur / US_IN_MS, worked: tdur / US_IN_MS }));
  if (tasks.length === 0) throw new Error('the trace of Chromium has no tasks by the names that it had so far');
  return tasks;
};

/** @param what what happens during the tasks */
export const taskRows = (what: string, tasks: readonly Task[]): readonly Row[] => {
  const long = tasks.filter(({ took }) => took > LONG_MS);
  const most = (of: (task: Task) => number): number => tasks.reduce((so, task) => Math.max(so, of(task)), 0);
  return [
    {
      what: `dashboard, tasks over ${LONG_MS} ms while ${what}`,
      unit: 'tasks',
      ours: sampleOf([long.length]),
      goal: { of: 'figure', atMost: 0 },
    },
    { what: `dashboard, longest task while ${what}`, unit: 'ms', ours: sampleOf([most(({ took }) => took)]) },
    {
      what: `dashboard, most processor time of a task while ${what}`,
      unit: 'ms',
      ours: sampleOf([most(({ worked }) => worked)]),
      goal: { of: 'figure', atMost: LONG_MS },
    },
  ];
};
