// A real Chromium for the tests, with its own profile, no access to other hosts, and a record of every requested
// address.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Requirement, requirement } from '../runner/requirements.ts';

/** The same engine, first without the window and the services of a browser: it takes less than half of the processor time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

const program = PROGRAMS.find((file) => existsSync(file));

/** Whether Chromium is installed. */
export const browserRequirement = (): Requirement =>
  program
    ? requirement('browser', true, '')
    : requirement(
        'browser',
        false,
        `there is no ${PROGRAMS.join(' or ')} (Debian: apt-get install chromium-headless-shell)`,
      );

/** Starts a Chromium. Its profile is a new folder that is deleted when it is closed. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(program !== undefined && { executablePath: program }),
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

const STEP_MS = 25_000;
/** Chromium ends its connections when this machine gets an address, for example for a network of another test's run. */
const NETWORK_CHANGED = /net::ERR_NETWORK_CHANGED/;
const VISITS = 5;

/** The browser of one person, with its own cookies and history. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every address that any of the pages requested, as the server sees it, without fragments. */
  readonly asked: URL[];
  /**
   * Errors that Chromium reported, for example refused styles, blocked forms or broken markup, except 4xx responses.
   */
  readonly complaints: string[];
  close(): Promise<void>;
}

/**
 * Visitors one after the other, each without the cookies of the one before. They share a window, because a new profile
 * takes 0.3 s of processor time; browser storage other than cookies remains.
 */
export const visitorsInTurn = (browser: Browser): (() => Promise<Visitor>) => {
  let window: Visitor | undefined;
  return async () => {
    const own = window ?? (await visitor(browser));
    window = undefined;
    own.asked.length = 0;
    own.complaints.length = 0;
    return {
      ...own,
      close: async () => {
        for (const page of own.context.pages()) if (page !== own.page) await page.close();
        await own.context.clearCookies();
        // What the page still asks for does not count for the next visitor.
        await own.page.goto('about:blank');
        window = own;
      },
    };
  };
};

/** A new visitor without cookies or history of earlier ones. */
export const visitor = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> => {
  const context = await browser.newContext(options);
  // Shorter than the time of a test, so that the error of a step that hangs names the step.
  context.setDefaultTimeout(STEP_MS);
  const asked: URL[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => asked.push(new URL(request.url())));
  context.on('console', (message) => {
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  const page = await context.newPage();
  const goto = page.goto.bind(page);
  page.goto = async (url, options) => {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await goto(url, options);
      } catch (error) {
        if (attempt === VISITS || !NETWORK_CHANGED.test(String(error))) throw error;
      }
  };
  return { context, page, asked, complaints, close: () => context.close() };
};
