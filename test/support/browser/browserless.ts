// A simulated browser over HTTP: keeps cookies, reads forms, submits them with the headers of a browser, and stops at
// redirects to other sites.
import type { OutgoingHttpHeaders } from 'node:http';
import { type Answer, call, keptConnections } from '../service/call.ts';

export interface Form {
  readonly action: string;
  /** Hidden fields, and other fields with a value. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface Browserless {
  /** The one cookie in its raw form. Empty if there is none. */
  cookie: string;
  get(path: string, headers?: OutgoingHttpHeaders): Promise<Answer>;
  /** Sends a form with the headers of a browser. Values in `headers` override them. */
  post(path: string, fields: Readonly<Record<string, string>>, headers?: OutgoingHttpHeaders): Promise<Answer>;
  /** Follows redirects within the service. */
  follow(answer: Answer): Promise<Answer>;
  /**
   * Opens the path, logs in if asked, and follows redirects. Returns the consent page or the redirect to another site.
   */
  login(path: string, username: string, password: string): Promise<Answer>;
  /** Submits the consent page. */
  decide(page: Answer, decision: string): Promise<Answer>;
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The forms of a page in their order. */
export const formsOf = ({ text }: Answer): readonly Form[] =>
  [...text.matchAll(/<form[^>]* action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(([, action = '', body = '']) => ({
    action: unescaped(action),
    fields: Object.fromEntries(
      [...body.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        unescaped(value),
      ]),
    ),
  }));

/**
 * The form of a page with this `action`.
 * @throws Error if there is none
 */
export const formTo = (page: Answer, action: string): Form => {
  const form = formsOf(page).find((candidate) => candidate.action === action);
  if (form === undefined) throw new Error(`no form to ${action} in ${page.status} ${page.text}`);
  return form;
};

/**
 * The target of a redirect.
 * @throws Error if the response is no redirect
 */
export const locationOf = ({ status, headers, text }: Answer): URL => {
  if (status !== 303 || headers.location === undefined) throw new Error(`no redirect but ${status} ${text}`);
  return new URL(headers.location, 'http://service');
};

/** The query and the fragment of a redirect. */
export const sentTo = (answer: Answer): { readonly query: URLSearchParams; readonly fragment: URLSearchParams } => {
  const { searchParams: query, hash } = locationOf(answer);
  return { query, fragment: new URLSearchParams(hash.slice(1)) };
};

/** Shared by all browsers, which differ only in their cookie. */
const connections = keptConnections();

/** Creates a separate browser for the service at `baseUrl`. */
export const browserless = (baseUrl: string): Browserless => {
  const send = async (method: string, path: string, headers: OutgoingHttpHeaders, form?: Form['fields']) => {
    const sent = { ...(browser.cookie !== '' && { cookie: browser.cookie }), ...headers };
    const answer = await call(baseUrl, method, path, { headers: sent, ...(form && { form }) }, connections);
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';');
      browser.cookie = pair.endsWith('=') ? '' : pair;
    }
    return answer;
  };
  const browser: Browserless = {
    cookie: '',
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, fields, headers = {}) =>
      send('POST', path, { origin: baseUrl, 'sec-fetch-site': 'same-origin', ...headers }, fields),
    async follow(answer) {
      const { location } = answer.headers;
      return answer.status === 303 && location?.startsWith('/') ? browser.follow(await browser.get(location)) : answer;
    },
    async login(path, username, password) {
      const page = await browser.get(path);
      const form = { ...formTo(page, '/authorize/login').fields, username, password };
      return browser.follow(await browser.post('/authorize/login', form));
    },
    decide: (page, decision) =>
      browser.post('/authorize/consent', { ...formTo(page, '/authorize/consent').fields, decision }),
  };
  return browser;
};
