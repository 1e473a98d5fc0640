// Benchmark: the dashboard in Chromium. Its bytes, its first paint compared with an empty page, long tasks while ten
// thousand executions scroll and while the wiring does, and its memory while events arrive.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { readSite } from '../../../daemon/web/site/routes.ts';
import { browserRequirement, launchBrowser } from '../../support/browser/browser.ts';
import { daemonProgram } from '../../support/daemon/home.ts';
import { fillStore, prepareData, preparedActor } from '../../support/store/prepared-data.ts';
import { ADMIN, type BenchDaemon, startDaemon, temporaryHome } from '../daemon.ts';
import { type Outcome, type Row, sampleOf } from '../figures.ts';
import { memoryRows } from './memory.ts';
import { logIn, type Opened, openPage } from './pages.ts';
import { taskRows, tasksDuring } from './tasks.ts';
import { wiringRows } from './wiring.ts';

const EXECUTIONS = 10_000;
const ACTORS = 200;
const ROUNDS = 9;
/** Of 50 events a second. `ACTORCTL_BENCH_DASHBOARD_MINUTES` has another number. */
const MINUTES = 2;
/** Pixels of each frame of a fast scroll: about thirty rows. */
const STEP = 1_000;
const JUMPS = 40;

/** The dashboard's bytes cannot be compared with those of the Firebase emulators. */
const FIREBASE =
  'bytes of the UI of the Firebase emulators: the npm package firebase-tools contains only its address, and downloads 3.5 MB (version 1.15.0, server and page) from another host';

const HOUR = 60;
const AN_HOUR = 'memory after an hour: [dashboard.md](dashboard.md#4-size) has it, with the command that measures it';

type Session = Awaited<ReturnType<typeof logIn>>;

/** What is loaded: in the first view with its chart, and in all. */
const byteRows = async (): Promise<readonly Row[]> => {
  const { page, assets } = await readSite(path.join(path.dirname(daemonProgram), 'dashboard'));
  const isFirst = (name: string): boolean => page.includes(`/dashboard/${name}`) || /^(overview|uPlot)/.test(name);
  const names = [...assets.keys()];
  const row = (what: string, wanted: readonly string[], atMost: number): Row => {
    const bytes = wanted.reduce((sum, name) => sum + (assets.get(name)?.gzip.length ?? 0), 0);
    return {
      what: `dashboard, scripts and styles ${what}, gzip`,
      unit: 'kB',
      ours: sampleOf([bytes / 1_000]),
      goal: { of: 'figure', atMost },
    };
  };
  return [row('of the first view', names.filter(isFirst), 60), row('in all', names, 150)];
};

/** A page with a heading and nothing else. */
const startBarePage = async (): Promise<{ readonly url: string; close(): void }> => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>bare</title><h1>Bare</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
};

const paintRows = async (browser: Browser, { baseUrl }: BenchDaemon, session: Session): Promise<readonly Row[]> => {
  const bare = await startBarePage();
  const ours: Opened[] = [];
  const floor: Opened[] = [];
  const visit = async (into: Opened[], open: () => Promise<Opened>): Promise<void> => {
    const opened = await open();
    await opened.close();
    into.push(opened);
  };
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      await visit(ours, () => openPage(browser, `${baseUrl}/#/`, '.figures dd', session));
      await visit(floor, () => openPage(browser, bare.url, 'h1'));
    }
  } finally {
    bare.close();
  }
  const row = (what: string, time: (opened: Opened) => number): Row => ({
    what: `dashboard, ${what}`,
    unit: 'ms',
    // The first round warms both sides up.
    ours: sampleOf(ours.slice(1).map(time)),
    against: 'a page with one heading',
    floor: sampleOf(floor.slice(1).map(time)),
  });
  return [
    row('first paint', ({ firstPaint }) => firstPaint),
    row('first text', ({ firstText }) => firstText),
    { ...row('overview is usable', ({ usable }) => usable), goal: { of: 'figure', atMost: 1_000 } },
  ];
};

/** Runs in the browser: scrolls down frame by frame, then jumps to places all over the list. Returns the frames. */
const scroll = async ({ step, jumps }: { readonly step: number; readonly jumps: number }): Promise<number> => {
  const { document, requestAnimationFrame } = globalThis as unknown as {
    document: { querySelector(selector: string): { scrollTop: number; scrollHeight: number; clientHeight: number } };
    requestAnimationFrame(work: () => void): void;
  };
  let frames = 0;
  const frame = () => {
    frames += 1;
    return new Promise<void>((resolve) => requestAnimationFrame(resolve));
  };
  const box = document.querySelector('.scroller');
  const end = box.scrollHeight - box.clientHeight;
  for (let at = 0; at < end; at += step) {
    box.scrollTop = at;
    await frame();
  }
  for (let jump = 0; jump < jumps; jump += 1) {
    box.scrollTop = (end * ((jump * 13) % jumps)) / jumps;
    for (let wait = 0; wait < 10; wait += 1) await frame();
  }
  return frames;
};

/** Reads the processor time (ms) that the main thread of a page has used. */
const processorTime = async (page: Page): Promise<() => Promise<number>> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
};

const scrollRows = async (browser: Browser, page: Page): Promise<readonly Row[]> => {
  await page.getByText(`${EXECUTIONS.toLocaleString('en')} executions`).waitFor();
  const processor = await processorTime(page);
  const before = await processor();
  let frames = 0;
  const tasks = await tasksDuring(browser, page, async () => {
    frames = await page.evaluate(scroll, { step: STEP, jumps: JUMPS });
  });
  const perFrame = ((await processor()) - before) / frames;
  return [
    ...taskRows(`${EXECUTIONS} executions scroll`, tasks),
    {
      what: `dashboard, processor time per frame while ${EXECUTIONS} executions scroll`,
      unit: 'ms',
      ours: sampleOf([perFrame]),
      goal: { of: 'figure', atMost: 16 },
    },
  ];
};

/** Bytes, first paint, scrolling and memory of the dashboard. */
export const dashboard = async (): Promise<Outcome> => {
  const needed = browserRequirement();
  if (!needed.available) return { skipped: needed.reason };
  const minutes = Number(process.env['ACTORCTL_BENCH_DASHBOARD_MINUTES'] ?? MINUTES);
  const home = temporaryHome();
  await prepareData(home.folder, (store) =>
    fillStore(store, { owner: ADMIN.username, actors: ACTORS, executions: EXECUTIONS }),
  );
  const daemon = await startDaemon({}, { home });
  const browser = await launchBrowser();
  try {
    const session = await logIn(browser, daemon);
    const rows = [...(await byteRows()), ...(await paintRows(browser, daemon, session))];
    const { page, close } = await openPage(browser, `${daemon.baseUrl}/#/executions`, '.row a', session);
    rows.push(...(await scrollRows(browser, page)));
    await close();
    rows.push(...(await wiringRows(browser)));
    rows.push(...(await memoryRows(browser, daemon, session, preparedActor(0), minutes)));
    return { rows, without: [FIREBASE, ...(minutes < HOUR ? [AN_HOUR] : [])] };
  } finally {
    await browser.close();
    await daemon.stop();
  }
};
