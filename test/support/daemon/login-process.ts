// A login in progress: the built command line that waits for a response, and a small HTTP client with cookies in place
// of a browser.
import http, { type IncomingHttpHeaders } from 'node:http';
import { formsOf } from '../../../src/client/login/forms.ts';
import { ADMIN, type Ended, type Home } from './home.ts';

export interface Waiting {
  /** The address that the command prints. */
  readonly address: Promise<string>;
  readonly ended: Promise<Ended>;
  readonly stop: () => void;
}

/** Starts `actorctl login ARGS` and does not wait for it. */
export const startLogin = (
  home: Pick<Home, 'start'>,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Waiting => {
  const { ended, err, interrupt } = home.start(['login', ...args], { env });
  let over = false;
  const address = (async () => {
    for (;;) {
      const found = /^(http:\/\/\S+\/authorize\?\S+)\n/m.exec(err())?.[1];
      if (found !== undefined) return found;
      if (over) throw new Error(`it ended without an address: ${err()}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  address.catch(() => undefined);
  const done = ended.finally(() => {
    over = true;
  });
  return { address, ended: done, stop: interrupt };
};

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly html: string;
}

/**
 * Sends one request with only the given headers. `fetch` is not usable, because it adds headers that mark a request as
 * sent by a script.
 */
export const ask = (
  url: string,
  { form, headers = {} }: { readonly form?: Record<string, string>; readonly headers?: Record<string, string> } = {},
): Promise<Page> =>
  new Promise((resolve, reject) => {
    const body = form && new URLSearchParams(form).toString();
    const request = http.request(url, {
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    request.once('error', reject);
    request.once('response', (answer) => {
      let html = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        html += piece;
      });
      answer.once('error', reject);
      answer.once('end', () => resolve({ url, status: answer.statusCode ?? 0, headers: answer.headers, html }));
    });
    request.end(body);
  });

export interface Visit {
  readonly username?: string;
  readonly password?: string;
  readonly decision?: 'approve' | 'deny';
  /** Addresses that begin with this prefix are not opened. The first one is returned: the redirect to the client. */
  readonly stopAt?: string;
}

/** Opens an address as a browser would, logs in, decides, follows every redirect, and returns each page. */
export const visit = async (address: string, how: Visit = {}): Promise<readonly Page[]> => {
  const { username = ADMIN.username, password = ADMIN.password, decision = 'approve' } = how;
  const cookies = new Map<string, string>();
  const pages: Page[] = [];
  let next: { url: string; form?: Record<string, string> } = { url: address };
  for (let steps = 0; steps < 12; steps += 1) {
    if (how.stopAt !== undefined && next.url.startsWith(how.stopAt)) {
      pages.push({ url: next.url, status: 0, headers: {}, html: '' });
      return pages;
    }
    const { origin } = new URL(next.url);
    const page = await ask(next.url, {
      ...(next.form && { form: next.form }),
      headers: {
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(next.form && { origin }),
      },
    });
    for (const line of page.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    pages.push(page);
    const { status, html } = page;
    const { location } = page.headers;
    if (location !== undefined) {
      next = { url: new URL(location, next.url).href };
      continue;
    }
    const [form] = formsOf(html);
    if (status === 200 && form?.action === '/authorize/login') {
      next = { url: new URL(form.action, origin).href, form: { ...form.fields, username, password } };
    } else if (status === 200 && form?.action === '/authorize/consent') {
      next = { url: new URL(form.action, origin).href, form: { ...form.fields, decision } };
    } else return pages;
  }
  throw new Error('the pages go round in circles');
};
