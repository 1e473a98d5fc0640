// The setup for logins in a browser: the built daemon with two users, a client with a web server, and a Chromium.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, type Visitor, visitor, visitorsInTurn } from '../browser/browser.ts';
import { startWebClient, type WebClient } from '../browser/web-client.ts';
import { type Answer, call } from '../service/call.ts';
import { type BuiltDaemon, builtDaemon } from './daemon.ts';

export const ALICE = { username: 'alice', password: 'alice in the browser' } as const;
export const BOB = { username: 'bob', password: 'bob in the browser' } as const;

export interface RegisteredClient {
  readonly id: string;
  readonly secret: string;
}

export interface LoginFixture {
  readonly daemon: BuiltDaemon;
  readonly browser: Browser;
  readonly web: WebClient;
  /** A client of the admin with every address of `web` as a redirect URI. */
  readonly client: RegisteredClient;
  /** Registers another client. */
  register(name: string, ...redirectUris: string[]): Promise<RegisteredClient>;
  visitor(options?: BrowserContextOptions): Promise<Visitor>;
  /** The address that a client sends a browser to. A parameter that is `undefined` is omitted. */
  authorizeUrl(parameters?: Readonly<Record<string, string>>): string;
  /** Exchanges a code as `client`. */
  exchange(code: string, client?: RegisteredClient, redirectUri?: string): Promise<Answer>;
  /** The user that the token belongs to. */
  userOf(token: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts the daemon, the client and the browser. */
export const openLoginFixture = async (): Promise<LoginFixture> => {
  const daemon = builtDaemon({ engine: 'none' });
  const [web, browser] = await Promise.all([startWebClient(), launchBrowser(), daemon.start()]);
  await daemon.admit();
  for (const user of [ALICE, BOB]) await daemon.ask('POST', '/users/v2', { json: user });

  const register: LoginFixture['register'] = async (name, ...redirectUris) => {
    const { status, text, result } = await daemon.ask('POST', '/clients/v2', {
      json: { clientName: name, callbackUrl: redirectUris.join(','), description: 'Reads reports aloud.' },
    });
    if (status !== 200) throw new Error(`no client: ${status} ${text}`);
    return { id: String(result['consumerKey']), secret: String(result['consumerSecret']) };
  };
  const client = await register('report-reader', web.callback, web.relay);
  const inTurn = visitorsInTurn(browser);

  return {
    daemon,
    browser,
    web,
    client,
    register,
    visitor: (options) => (options === undefined ? inTurn() : visitor(browser, options)),
    authorizeUrl: (parameters = {}) => {
      const asked = { response_type: 'code', client_id: client.id, redirect_uri: web.callback, ...parameters };
      return `${daemon.baseUrl()}/authorize?${new URLSearchParams(asked)}`;
    },
    exchange: (code, { id, secret } = client, redirectUri = web.callback) =>
      call(daemon.baseUrl(), 'POST', '/token', {
        form: {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          client_id: id,
          client_secret: secret,
        },
      }),
    userOf: async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await call(daemon.baseUrl(), 'GET', '/profiles/v2/me', { headers })).result['username'];
    },
    close: async () => {
      await browser.close();
      await web.close();
      await daemon.remove();
    },
  };
};

/** Fills in the login form and submits it. */
export const signIn = async (
  page: Page,
  { username, password }: { readonly username: string; readonly password: string } = ALICE,
): Promise<void> => {
  // Chromium complains if the page focuses a field after the test has done so.
  await page.locator('input:focus').waitFor();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
};

/** Presses a button of the consent page. */
export const decide = (page: Page, decision: 'Approve' | 'Deny'): Promise<void> =>
  page.getByRole('button', { name: decision }).click();
