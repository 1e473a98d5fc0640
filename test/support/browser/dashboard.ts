// The dashboard of a real daemon in a real browser, logged in by a one-time link.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Store } from '../../../daemon/ports/store.ts';
import { type Home, inProcessHome } from '../daemon/home.ts';
import { shellActor } from '../daemon/shell-actor.ts';
import { prepareData } from '../store/prepared-data.ts';
import { launchBrowser, type Visitor, visitor } from './browser.ts';

export interface Dashboard {
  readonly home: Home;
  readonly baseUrl: string;
  readonly browser: Browser;
  /** The image of an actor whose message selects what it does. */
  readonly image: string;
  /** Opens a view in a new browser profile and waits for its heading. */
  open(view?: string, options?: BrowserContextOptions): Promise<Visitor>;
  /** Registers an actor and waits until it is ready. Returns its id. */
  actor(name: string, ...flags: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Waits for the heading of a view. */
export const heading = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

interface Given {
  readonly env?: NodeJS.ProcessEnv;
  /** Flags of `actorctl up`. */
  readonly flags?: readonly string[];
  /** Writes records before the daemon starts. */
  readonly write?: (store: Store) => Promise<void>;
}

/** Starts a daemon and a browser. */
export const startDashboard = async ({ env = {}, flags = [], write }: Given = {}): Promise<Dashboard> => {
  const home = inProcessHome({ ACTORCTL_BROWSER: 'none', ...env });
  if (write !== undefined) await prepareData(home.folder, write);
  const [{ baseUrl }, browser] = await Promise.all([home.up(...flags), launchBrowser()]);
  const image = shellActor(home.folder);
  return {
    home,
    baseUrl,
    browser,
    image,
    async open(view = '', options = {}) {
      const link = (await home.cli(['open', ...(view === '' ? [] : [view])])).stdout.trim();
      const guest = await visitor(browser, options);
      await guest.page.goto(link);
      await guest.page
        .getByRole('heading', { level: 1 })
        .waitFor()
        .catch(async (error: unknown) => {
          const said = await guest.page.locator('#app').textContent();
          throw new Error(`no view at ${guest.page.url()}: ${said} ${guest.complaints.join(', ')}`, { cause: error });
        });
      return guest;
    },
    async actor(name, ...flags) {
      const { id } = await home.json<{ id: string }>('actors', 'create', image, '--name', name, '--wait', ...flags);
      return id;
    },
    async close() {
      await browser.close();
      await home.remove();
    },
  };
};
