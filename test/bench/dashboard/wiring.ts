// The wiring of 60 links while it is scrolled and zoomed, and 50 events a second flow.
import type { Browser, Page } from 'playwright-core';
import { NO_ENGINE } from '../../support/daemon/daemon.ts';
import { fillStore, prepareData, preparedActor } from '../../support/store/prepared-data.ts';
import { ADMIN, startDaemon, temporaryHome } from '../daemon.ts';
import type { Row } from '../figures.ts';
import { emitting } from './memory.ts';
import { logIn, openPage } from './pages.ts';
import { taskRows, tasksDuring } from './tasks.ts';

const ACTORS = 200;
const LINKS = 60;
/** Three actors send to each. */
const BRANCHES = 3;
const MS = 10_000;

/** Runs in the browser: scrolls in each frame, and zooms in every tenth. */
const roam = async (ms: number): Promise<void> => {
  interface Box {
    scrollTop: number;
    scrollLeft: number;
    readonly scrollHeight: number;
    readonly scrollWidth: number;
    dispatchEvent(event: unknown): void;
  }
  const { document, requestAnimationFrame, WheelEvent } = globalThis as unknown as {
    document: { querySelector(selector: string): Box };
    requestAnimationFrame(work: () => void): void;
    WheelEvent: new (type: string, init: object) => unknown;
  };
  const box = document.querySelector('.wire-box');
  const begun = performance.now();
  for (let frame = 1; performance.now() - begun < ms; frame += 1) {
    box.scrollTop = (frame * 40) % box.scrollHeight;
    box.scrollLeft = (frame * 15) % box.scrollWidth;
    const deltaY = frame % 20 === 0 ? 40 : -40;
    if (frame % 10 === 0) box.dispatchEvent(new WheelEvent('wheel', { ctrlKey: true, deltaY, cancelable: true }));
    await new Promise<void>((resolve) => requestAnimationFrame(resolve));
  }
};

const shown = (page: Page): Promise<void> => page.locator('.wire-label.is-active').first().waitFor();

export const wiringRows = async (browser: Browser): Promise<readonly Row[]> => {
  const home = temporaryHome();
  await prepareData(home.folder, async (store) => {
    await fillStore(store, { owner: ADMIN.username, actors: ACTORS, executions: 0 });
    await store.transact((tx) => {
      for (let at = 1; at <= LINKS; at += 1) {
        const actor = tx.get('actors', preparedActor(at));
        const link = preparedActor(Math.floor((at - 1) / BRANCHES));
        if (actor !== undefined) tx.put('actors', { ...actor, link, linkSetBy: ADMIN.username });
      }
    });
  });
  // Without an engine the messages wait.
  const daemon = await startDaemon(NO_ENGINE, { home });
  const stop = emitting(
    daemon,
    Array.from({ length: LINKS }, (_, at) => preparedActor(at + 1)),
  );
  try {
    const session = await logIn(browser, daemon);
    const { page, close } = await openPage(browser, `${daemon.baseUrl}/#/wiring`, '.wire-line', session);
    await shown(page);
    const tasks = await tasksDuring(browser, page, () => page.evaluate(roam, MS));
    await close();
    return taskRows(`${LINKS} links scroll and zoom, 50 events/s`, tasks);
  } finally {
    await stop();
    await daemon.stop();
  }
};
