// Benchmark: the bytes of the dashboard's first view, and the time in Chromium until it is usable, compared with an empty
// page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { readSite } from '../../../daemon/web/site/routes.ts';
import { browserRequirement, launchBrowser } from '../../support/browser/browser.ts';
import { daemonProgram } from '../../support/daemon/home.ts';
import { fillStore, prepareData } from '../../support/store/prepared-data.ts';
import { ADMIN, type BenchDaemon, startDaemon, temporaryHome } from '../daemon.ts';
import { inTurn, type Outcome, type Row, sampleOf } from '../figures.ts';
import { logIn, openPage } from './pages.ts';

const EXECUTIONS = 10_000;
const ACTORS = 200;
const ROUNDS = 9;

type Session = Awaited<ReturnType<typeof logIn>>;

/** What the first view loads, with its chart. */
const bytesRow = async (): Promise<Row> => {
  const { page, assets } = await readSite(path.join(path.dirname(daemonProgram), 'dashboard'));
  const first = [...assets].filter(([name]) => page.includes(`/dashboard/${name}`) || /^(overview|uPlot)/.test(name));
  const bytes = first.reduce((sum, [, { gzip }]) => sum + gzip.length, 0);
  const what = 'dashboard, first view, gzip';
  return { what, unit: 'kB', ours: sampleOf([bytes / 1_000]), goal: { of: 'figure', atMost: 80 } };
};

/** A page with a heading and nothing else. */
const startBarePage = async (): Promise<{ readonly url: string; close(): void }> => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>bare</title><h1>Bare</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
};

const usableRow = async (browser: Browser, { baseUrl }: BenchDaemon, session: Session): Promise<Row> => {
  const bare = await startBarePage();
  const visit = async (...to: Parameters<typeof openPage>): Promise<number> => {
    const { usable, close } = await openPage(...to);
    await close();
    return usable;
  };
  try {
    const of = await inTurn(
      {
        ours: () => visit(browser, `${baseUrl}/#/`, '.figures dd', session),
        baseline: () => visit(browser, bare.url, 'h1'),
      },
      ROUNDS,
    );
    const what = 'dashboard, overview is usable';
    return { what, unit: 'ms', ...of, against: 'a page with one heading', goal: { of: 'figure', atMost: 1_000 } };
  } finally {
    bare.close();
  }
};

/** Bytes and time of the first view of the dashboard. */
export const dashboard = async (): Promise<Outcome> => {
  const needed = browserRequirement();
  if (!needed.available) return { skipped: needed.reason };
  const home = temporaryHome();
  await prepareData(home.folder, (store) =>
    fillStore(store, { owner: ADMIN.username, actors: ACTORS, executions: EXECUTIONS }),
  );
  const daemon = await startDaemon({}, { home });
  const browser = await launchBrowser();
  try {
    const session = await logIn(browser, daemon);
    return [await bytesRow(), await usableRow(browser, daemon, session)];
  } finally {
    await browser.close();
    await daemon.stop();
  }
};
