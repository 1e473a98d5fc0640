// Logs in and approves without a browser: follows the pages of the authorization endpoint, with cookies and hidden
// fields.
import { routes } from '../../contract/for-client.ts';
import { CliFailure } from '../../failure.ts';
import { type RawAnswer, readBody, type Transport } from '../transport.ts';
import { clientNameOf, complaintOf, formsOf, type PageForm } from './forms.ts';

const LOGIN = routes['authorize.login'].path;
const CONSENT = routes['authorize.consent'].path;

/** Most pages to follow: a login, some wrong passwords, a consent, and the redirects between them. */
const LONGEST_WALK = 16;
const TRIES = 3;

export interface Approver {
  /** @param problem the error message of the page about the previous attempt */
  readonly credentials: (
    problem: string | undefined,
  ) => Promise<{ readonly username: string; readonly password: string }>;
  /** @param client the name of the client on the page, if the page has one */
  readonly consent: (client: string | undefined) => Promise<boolean>;
  /** True if the user may be asked again after wrong credentials. */
  readonly again: boolean;
}

export interface ApproveInput {
  readonly transport: Transport;
  readonly origin: string;
  /** The address that a browser would open. */
  readonly url: string;
  readonly redirectUri: string;
  readonly approver: Approver;
  readonly signal: AbortSignal;
}

/** Cookies of one login. All of them belong to the same service. */
const createJar = () => {
  const cookies = new Map<string, string>();
  return {
    header: (): Record<string, string> =>
      cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    take: ({ headers }: RawAnswer): void => {
      for (const line of headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=;\s]+)=([^;]*)/.exec(line) ?? [];
        if (value === '' || /;\s*max-age=0\b/i.test(line)) cookies.delete(name);
        else if (name !== '') cookies.set(name, value);
      }
    },
  };
};

const pageFailure = (status: number, html: string): CliFailure => {
  const complaint = complaintOf(html) ?? `the authorization service responded with status ${status}`;
  if (status === 400 && /redirect[ _]uri/i.test(complaint)) {
    return new CliFailure('REDIRECT_URI_MISMATCH', complaint, { httpStatus: status });
  }
  // The page for an unknown client has no error code, so the code of the token endpoint is used. RFC 6749 5.2
  if (status === 400 && /client_id/.test(complaint)) {
    return new CliFailure('AUTH_FAILED', complaint, { httpStatus: status, details: { error: 'invalid_client' } });
  }
  if (status === 429) return new CliFailure('THROTTLED', complaint, { httpStatus: status });
  return new CliFailure('AUTH_FAILED', complaint, { httpStatus: status });
};

/** Follows the pages from the address to the redirect URI, and returns the final address with its parameters. */
export const approve = async (input: ApproveInput): Promise<string> => {
  const { transport, origin, url, redirectUri, approver, signal } = input;
  const jar = createJar();
  let wrong = 0;

  const ask = async (method: 'GET' | 'POST', target: string, form?: Readonly<Record<string, string>>) => {
    const { pathname, searchParams } = new URL(target, origin);
    const query: Record<string, string> = Object.fromEntries(searchParams);
    const answer = await transport(origin, {
      method,
      path: pathname,
      query,
      headers: {
        accept: 'text/html',
        ...jar.header(),
        // The headers that a browser sends when it submits a form to the same site.
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
      signal,
    });
    jar.take(answer);
    const html = (await readBody(answer, 1024 * 1024)).toString('utf8');
    return { status: answer.status, location: answer.headers.location, html };
  };

  const fill = async ({ action, fields }: PageForm, html: string, status: number) => {
    if (action === CONSENT) {
      return ask('POST', action, {
        ...fields,
        decision: (await approver.consent(clientNameOf(html))) ? 'approve' : 'deny',
      });
    }
    if (status !== 200) {
      wrong += 1;
      if (status === 429 || wrong >= TRIES || !approver.again) throw pageFailure(status, html);
    }
    const { username, password } = await approver.credentials(status === 200 ? undefined : complaintOf(html));
    return ask('POST', action, { ...fields, username, password });
  };

  let page = await ask('GET', url);
  for (let steps = 0; steps < LONGEST_WALK; steps += 1) {
    const { status, location, html } = page;
    if (status >= 300 && status < 400 && location !== undefined) {
      if (location.startsWith(`${redirectUri}?`) || location.startsWith(`${redirectUri}#`)) return location;
      const next = new URL(location, origin);
      // The password is sent only to pages of this service.
      if (next.origin !== origin) {
        throw new CliFailure(
          'AUTH_FAILED',
          `the login continues at ${next.origin}, which actorctl cannot do without a browser`,
          {
            hint: 'log in with a browser: actorctl login',
          },
        );
      }
      page = await ask('GET', next.href);
      continue;
    }
    const form = formsOf(html).find(({ action }) => action === LOGIN || action === CONSENT);
    if (!form) throw pageFailure(status, html);
    page = await fill(form, html, status);
  }
  throw new CliFailure('AUTH_FAILED', 'the login redirects in a loop', { hint: 'log in with a browser' });
};

/**
 * Checks that the service accepts the authorization request, so that no browser opens only to show an error. Returns
 * the redirect target, if there is one.
 * @throws CliFailure with the message of the page; `isClientRefused` if the service does not know the client
 */
export const probe = async (transport: Transport, url: string, signal: AbortSignal): Promise<string | undefined> => {
  const { origin, pathname, searchParams } = new URL(url);
  const query: Record<string, string> = Object.fromEntries(searchParams);
  const answer = await transport(origin, {
    method: 'GET',
    path: pathname,
    query,
    headers: { accept: 'text/html' },
    signal,
  });
  const html = (await readBody(answer, 1024 * 1024)).toString('utf8');
  if (answer.status >= 400) throw pageFailure(answer.status, html);
  return answer.headers.location;
};
