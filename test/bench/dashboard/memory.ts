// The memory of dashboards that stay open while events arrive.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';
import type { BenchDaemon } from '../daemon.ts';
import { type Row, sampleOf } from '../figures.ts';
import { heapOf, type logIn, type Opened, openPage } from './pages.ts';

const PER_SECOND = 50;
/** The pages that stay open, with what they show when they are ready. */
const VIEWS = [
  ['overview', '/#/', '.figures dd'],
  ['executions', '/#/executions', '.row a'],
  ['events', '/#/events', '.row a'],
  ['wiring', '/#/wiring?all=true', 'a.wire-node'],
] as const;

/** Emits events of the actors in turn at a constant rate until it is stopped. Returns how many there were. */
export const emitting = (daemon: BenchDaemon, actorIds: readonly string[]): (() => Promise<number>) => {
  const begun = performance.now();
  let due = 0;
  let sent = 0;
  let stopped = false;
  const work = (async () => {
    while (!stopped) {
      const before = due;
      due = Math.floor(((performance.now() - begun) * PER_SECOND) / 1_000);
      const event = { event_type: 'EXECUTION_COMPLETE', exit_code: 0 };
      const now = Array.from({ length: due - before }, (_, at) =>
        daemon.call('POST', `/actors/v2/${actorIds[(before + at) % actorIds.length]}/events`, event),
      );
      // The daemon may close a kept connection at the moment in which it is used again. That event is left out.
      for (const { status } of await Promise.allSettled(now)) sent += status === 'fulfilled' ? 1 : 0;
      await sleep(100);
    }
  })();
  return async () => {
    stopped = true;
    await work;
    return sent;
  };
};

/** The heap of each page after the first minute and after `minutes`. */
export const memoryRows = async (
  browser: Browser,
  daemon: BenchDaemon,
  session: Awaited<ReturnType<typeof logIn>>,
  actorId: string,
  minutes: number,
): Promise<readonly Row[]> => {
  const stop = emitting(daemon, [actorId]);
  const begun = performance.now();
  const pages: (Opened & { readonly name: string; readonly probe: CDPSession })[] = [];
  for (const [name, place, selector] of VIEWS) {
    const opened = await openPage(browser, `${daemon.baseUrl}${place}`, selector, session);
    pages.push({ name, ...opened, probe: await opened.page.context().newCDPSession(opened.page) });
  }
  const heaps = async (): Promise<readonly number[]> => {
    const found: number[] = [];
    for (const { probe } of pages) found.push(await heapOf(probe));
    const minute = Math.round((performance.now() - begun) / 60_000);
    const figures = pages.map(({ name }, at) => `${name} ${found[at]?.toFixed(1)} MiB`);
    process.stderr.write(`  minute ${minute}: ${figures.join(', ')}\n`);
    return found;
  };
  await sleep(60_000);
  const first = await heaps();
  let last = first;
  for (let minute = 1; minute < minutes; minute += 1) {
    await sleep(Math.max(0, begun + (minute + 1) * 60_000 - performance.now()));
    last = await heaps();
  }
  const events = await stop();
  for (const { close } of pages) await close();
  return pages.map(({ name }, at) => ({
    what: `dashboard, JS heap of ${name} after ${minutes} min and ${events} events`,
    unit: 'MiB',
    ours: sampleOf([last[at] ?? Number.NaN]),
    against: 'after the first minute',
    floor: sampleOf([first[at] ?? Number.NaN]),
    goal: { of: 'ratio', atMost: 1.2 },
  }));
};
