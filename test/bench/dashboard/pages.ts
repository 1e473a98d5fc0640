// Pages of the dashboard in Chromium, logged in, that measure themselves.
import type { Browser } from 'playwright-core';
import { ADMIN, type BenchDaemon } from '../daemon.ts';

/** What runs in the page before its own code. */
interface Watched {
  /** When the selector matched for the first time, in ms since the navigation. */
  readyAt: number | undefined;
}

export interface Opened {
  /** When the page showed its content, in ms since the navigation. */
  readonly usable: number;
  close(): Promise<void>;
}

/** Runs in the browser. */
const watch = (selector: string): void => {
  const watched: Watched = { readyAt: undefined };
  Object.assign(globalThis, { watched });
  const { document, MutationObserver } = globalThis as unknown as {
    document: { querySelector(selector: string): unknown };
    MutationObserver: new (changed: () => void) => { observe(of: unknown, what: object): void; disconnect(): void };
  };
  const observer = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    watched.readyAt = performance.now();
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
};

/** Runs in the browser. */
const readyAt = (): number => (globalThis as unknown as { watched: Watched }).watched.readyAt ?? Number.NaN;

type Session = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>;

/** Logs in by the login page. The session opens other pages without it. */
export const logIn = async (browser: Browser, { baseUrl }: BenchDaemon): Promise<Session> => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(baseUrl);
  await page.getByLabel('Username').fill(ADMIN.username);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const session = await context.storageState();
  await context.close();
  return session;
};

/** Opens a page in a new profile, so nothing is cached, and waits until the selector matches. */
export const openPage = async (browser: Browser, url: string, selector: string, session?: Session): Promise<Opened> => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    ...(session && { storageState: session }),
  });
  const page = await context.newPage();
  // The compiler of this benchmark calls this function wherever a function has a name.
  await page.addInitScript('globalThis.__name = (named) => named');
  await page.addInitScript(watch, selector);
  await page.goto(url);
  await page.locator(selector).first().waitFor({ state: 'attached' });
  return { usable: await page.evaluate(readyAt), close: () => context.close() };
};
