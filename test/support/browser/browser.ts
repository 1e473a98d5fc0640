// A real Chromium for the tests: a profile of its own, no network of its own, and a note of every address that was asked for.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Requirement, requirement } from '../runner/requirements.ts';

const PROGRAM = '/usr/bin/chromium';

/** Whether there is a Chromium to drive. */
export const browserRequirement = (): Requirement =>
  existsSync(PROGRAM)
    ? requirement('browser', true, '')
    : requirement('browser', false, `${PROGRAM} is not there (Debian: apt-get install chromium)`);

/** Starts one; its profile is a new folder that goes when it is closed. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
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

/** One person's browser: cookies and history of their own. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every address that any of the pages asked for, fragments as the server sees them: not at all. */
  readonly asked: readonly URL[];
  /** What Chromium complained about, answers of 4xx left out: refused styles, blocked forms, broken markup. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** A new visitor; nothing is known of one before. */
export const visitor = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> => {
  const context = await browser.newContext(options);
  const asked: URL[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => asked.push(new URL(request.url())));
  context.on('console', (message) => {
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  return { context, page: await context.newPage(), asked, complaints, close: () => context.close() };
};
