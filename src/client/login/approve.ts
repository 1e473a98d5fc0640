// Logs in and approves without a browser: walks the pages of the authorization endpoint as one would, with cookies and hidden fields.
import { operations } from '../../contract/operations.ts';
import { CliFailure } from '../../failure.ts';
import { type RawAnswer, readBody, type Transport } from '../transport.ts';
import { complaintOf, formsOf, type PageForm } from './forms.ts';

const LOGIN = operations['authorize.login'].path;
const CONSENT = operations['authorize.consent'].path;

/** Pages before it is given up: a login, some wrong passwords, a consent, and redirects between. */
const LONGEST_WALK = 16;
const TRIES = 3;

/** What a person is asked. */
export interface Approver {
  /** @param problem what the page says about the last try */
  readonly credentials: (
    problem: string | undefined,
  ) => Promise<{ readonly username: string; readonly password: string }>;
  readonly consent: () => Promise<boolean>;
  /** Whether wrong credentials may be asked for again. */
  readonly again: boolean;
}

export interface ApproveInput {
  readonly transport: Transport;
  /** Of the authorization service. */
  readonly origin: string;
  /** The address that a browser would open. */
  readonly url: string;
  /** Where the walk ends. */
  readonly redirectUri: string;
  readonly approver: Approver;
  readonly signal: AbortSignal;
}

/** The cookies of one walk; every one of them is of the one service that is asked. */
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
  const complaint = complaintOf(html) ?? `the authorization service answered ${status}`;
  if (status === 400 && /redirect[ _]uri/i.test(complaint)) {
    return new CliFailure('REDIRECT_URI_MISMATCH', complaint, { httpStatus: status });
  }
  if (status === 429) return new CliFailure('THROTTLED', complaint, { httpStatus: status });
  return new CliFailure('AUTH_FAILED', complaint, { httpStatus: status });
};

/**
 * Walks from the address to the redirect URI and answers where it ended, parameters included.
 * @throws CliFailure AUTH_FAILED on wrong credentials and on whatever the pages refuse, THROTTLED, NETWORK, CANCELLED
 */
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
        // What a browser says of a form that was sent by the service's own page.
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
      return ask('POST', action, { ...fields, decision: (await approver.consent()) ? 'approve' : 'deny' });
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
      // A password is typed into the pages of this service and into no other's.
      if (next.origin !== origin) {
        throw new CliFailure('AUTH_FAILED', `the login leads on to ${next.origin}, which cannot be done here`, {
          hint: 'actorctl login, and answer in a browser',
        });
      }
      page = await ask('GET', next.href);
      continue;
    }
    const form = formsOf(html).find(({ action }) => action === LOGIN || action === CONSENT);
    if (!form) throw pageFailure(status, html);
    page = await fill(form, html, status);
  }
  throw new CliFailure('AUTH_FAILED', 'the login goes round in circles', { hint: 'answer in a browser' });
};

/**
 * Looks whether the authorization endpoint takes the request at all, so that nobody waits for a browser that only shows an error.
 * Answers where it redirects to, if it does.
 * @throws CliFailure with what the page says
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
