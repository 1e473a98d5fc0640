// The setup for third-party OAuth clients: the built daemon, clients registered over HTTP, and a person who logs in and
// decides.
import { browserless, locationOf } from '../browser/browserless.ts';
import type { Answer } from '../service/call.ts';
import { builtDaemon } from './daemon.ts';
import { ADMIN } from './home.ts';

/** The redirect URI of every client. Nothing listens there, because the browser stops before it. */
export const CALLBACK = 'https://app.example/callback';

export interface ThirdPartyClient {
  readonly id: string;
  /** Empty for a public client. */
  readonly secret: string;
}

export interface ThirdPartyFixture {
  /** Both the issuer and the base URL of the API. */
  readonly origin: string;
  register(more?: Readonly<Record<string, unknown>>): Promise<ThirdPartyClient>;
  /** Opens an authorization address, logs in, and returns the page that the person sees. */
  visit(url: URL | string): Promise<Answer>;
  /** Logs in, decides, and returns the complete address that the browser is redirected to. */
  decide(url: URL | string, decision?: 'approve' | 'deny'): Promise<URL>;
  remove(): Promise<void>;
}

/** A PKCE verifier that matches no challenge of a test. */
export const FOREIGN_VERIFIER = 'a-verifier-of-somebody-else-0123456789-abcdefghij';

/** Starts the daemon and creates its admin user, who is also the person at the browser. */
export const startThirdPartyFixture = async (): Promise<ThirdPartyFixture> => {
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
