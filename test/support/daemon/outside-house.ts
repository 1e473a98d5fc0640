// The built daemon as independent OAuth clients meet it: clients registered by its wire, and a person who logs in and decides.
import { browserless, locationOf } from '../browser/browserless.ts';
import type { Answer } from '../service/call.ts';
import { builtDaemon } from './daemon.ts';
import { ADMIN } from './home.ts';

/** Registered for every client; nothing listens there, the browser stops before it. */
export const CALLBACK = 'https://app.example/callback';

export interface OutsideClient {
  readonly id: string;
  /** Empty: the client is public. */
  readonly secret: string;
}

export interface OutsideHouse {
  /** Issuer and API alike. */
  readonly origin: string;
  register(more?: Readonly<Record<string, unknown>>): Promise<OutsideClient>;
  /** What the authorization endpoint shows a person who comes there by this address and logs in. */
  visit(url: URL | string): Promise<Answer>;
  /** Logs in, decides, and answers the whole address that the browser is sent to. */
  decide(url: URL | string, decision?: 'approve' | 'deny'): Promise<URL>;
  remove(): Promise<void>;
}

/** A PKCE pair that does not belong to any challenge of a test. */
export const FOREIGN_VERIFIER = 'a-verifier-of-somebody-else-0123456789-abcdefghij';

/** Starts the daemon and makes its admin user, who is the person at the browser too. */
export const outsideHouse = async (): Promise<OutsideHouse> => {
  const daemon = builtDaemon({ engine: 'none' });
  await daemon.start();
  await daemon.admit();
  const origin = daemon.baseUrl();
  let made = 0;
  const arrive = async (url: URL | string) => {
    const { origin: asked, pathname, search } = new URL(url);
    if (asked !== origin) throw new Error(`the client sends its user to ${asked}, not to ${origin}`);
    const browser = browserless(origin);
    return { browser, page: () => browser.login(pathname + search, ADMIN.username, ADMIN.password), pathname, search };
  };
  return {
    origin,
    async register(more = {}) {
      made += 1;
      const json = { clientName: `outside-${made}`, callbackUrl: CALLBACK, ...more };
      const { status, text, result } = await daemon.ask('POST', '/clients/v2', { json });
      if (status !== 200) throw new Error(`no client: ${status} ${text}`);
      return { id: String(result['consumerKey']), secret: String(result['consumerSecret'] ?? '') };
    },
    async visit(url) {
      const { browser, pathname, search } = await arrive(url);
      return browser.get(pathname + search);
    },
    async decide(url, decision = 'approve') {
      const { browser, page } = await arrive(url);
      const answer = await page();
      return locationOf(answer.status === 303 ? answer : await browser.decide(answer, decision));
    },
    remove: () => daemon.remove(),
  };
};
