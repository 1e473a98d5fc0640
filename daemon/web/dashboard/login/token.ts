// The token of this page. It is kept in memory only, renewed before it expires, and revoked when the page is closed.
// @see docs/conformance/security.md R171
import { signal } from '@preact/signals';
import { ApiFailure, isPassing, messageIn } from '../api/failure.ts';
import { challengeOf, randomText } from './pkce.ts';

interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /** When the tokens are renewed, in milliseconds since the epoch. */
  readonly renewAt: number;
}

/**
 * `out`: nobody is logged in. `lost`: the login has ended, and the page keeps what it shows. `handed`: another tab
 * received the response that this tab was opened for.
 */
export const loginState = signal<'starting' | 'in' | 'out' | 'lost' | 'handed'>('starting');
export const loginProblem = signal<string | undefined>(undefined);

/** Storage key of the attempted login, which continues after the redirect. Stored per tab, and deleted when read. */
const ATTEMPT = 'actorctl.login';
/** Fraction of a token's lifetime after which it is renewed, so that no request uses an expired one. */
const RENEWED_AFTER = 0.9;

interface Attempt {
  readonly state: string;
  readonly verifier: string;
  /** Client id of the tenant whose page started the login. */
  readonly client: string;
  /** Path of the page that started the login: the dashboard, or the API documentation. */
  readonly page: string;
  readonly place: string;
}

/** Client id after a redirect, which always returns to the page of the first tenant. */
let begun: string | undefined;
const clientId = (): string => begun ?? document.body.dataset['client'] ?? '';
/** The only redirect URI, which is this page. */
const redirectUri = (): string => `${location.origin}/`;

let tokens: Tokens | undefined;
let renewal: Promise<string | undefined> | undefined;

const post = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(path, { method: 'POST', body: new URLSearchParams(fields), credentials: 'omit' });

/**
 * Throws if the service could not decide, for example because its disk is full. Such an error does not end the login.
 */
const demandDecision = async (response: Response): Promise<void> => {
  if (!isPassing(response.status)) return;
  throw new ApiFailure(response.status, messageIn(await response.json().catch(() => undefined), response.status));
};

/** Stores the tokens of a response. Undefined if the service refused. @throws ApiFailure if it could not decide */
const keep = async (response: Response): Promise<string | undefined> => {
  await demandDecision(response);
  if (!response.ok) return undefined;
  const { access_token, refresh_token, expires_in } = (await response.json()) as Record<string, unknown>;
  if (typeof access_token !== 'string') return undefined;
  tokens = {
    access: access_token,
    refresh: typeof refresh_token === 'string' ? refresh_token : undefined,
    renewAt: Date.now() + Number(expires_in) * 1000 * RENEWED_AFTER,
  };
  loginState.value = 'in';
  return access_token;
};

const authorizeUrl = async ({ state, verifier }: Attempt): Promise<string> =>
  `/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId(),
    redirect_uri: redirectUri(),
    scope: 'PRODUCTION',
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
  }).toString()}`;

const exchange = async (parameters: URLSearchParams, { state, verifier }: Attempt): Promise<string | undefined> => {
  const code = parameters.get('code');
  if (code === null || parameters.get('state') !== state) return undefined;
  return keep(
    await post('/token', {
      grant_type: 'authorization_code',
      client_id: clientId(),
      redirect_uri: redirectUri(),
      code,
      code_verifier: verifier,
    }),
  );
};

const newAttempt = (): Attempt => ({
  state: randomText(),
  verifier: randomText(),
  client: clientId(),
  page: location.pathname,
  place: `${location.search}${location.hash}`,
});

/** Gets a token without a visible redirect, if this browser has a session. */
const quietly = async (): Promise<string | undefined> => {
  const attempt = newAttempt();
  const response = await fetch(await authorizeUrl(attempt), { headers: { accept: 'text/html' } });
  await demandDecision(response);
  const { pathname, searchParams } = new URL(response.url);
  const refused = searchParams.get('error');
  // The service could not store the code. @see RFC 6749 4.1.2.1
  if (pathname === '/' && (refused === 'server_error' || refused === 'temporarily_unavailable')) {
    throw new ApiFailure(503, searchParams.get('error_description') ?? refused);
  }
  return pathname === '/' ? exchange(searchParams, attempt) : undefined;
};

export const goToLogin = async (): Promise<void> => {
  const attempt = newAttempt();
  sessionStorage.setItem(ATTEMPT, JSON.stringify(attempt));
  location.assign(await authorizeUrl(attempt));
};

const takeAttempt = (): Attempt | undefined => {
  const text = sessionStorage.getItem(ATTEMPT);
  sessionStorage.removeItem(ATTEMPT);
  return text === null ? undefined : (JSON.parse(text) as Attempt);
};

/**
 * The response of an authorization in the address: in the query, or in the fragment for the implicit flow. The fragment
 * of a view begins with `#/`, and its filters are not a response.
 */
const answerIn = ({ search, hash }: Location): URLSearchParams | undefined =>
  [search, ...(hash.startsWith('#/') ? [] : [hash])]
    .map((text) => new URLSearchParams(text.slice(1)))
    .find(
      (parameters) => parameters.has('state') && ['code', 'error', 'access_token'].some((name) => parameters.has(name)),
    );

/**
 * Continues after a redirect. The response is removed from the address bar and the history before it is used. A
 * response that is not for this tab is passed to the tab that tries a flow with it.
 */
const returned = async (answer: URLSearchParams): Promise<void> => {
  const { href } = location;
  const attempt = takeAttempt();
  begun = attempt?.client;
  const isOurs = attempt?.state === answer.get('state');
  // The session of the browser logs the other page in, so the code of this login is not needed.
  if (isOurs && attempt !== undefined && attempt.page === '/docs' && answer.has('code')) {
    return location.replace(`/docs${attempt.place}`);
  }
  history.replaceState(null, '', attempt === undefined ? '/' : `/${attempt.place}`);
  // Replacing the address raises no event, and the page must show the view that the address names.
  dispatchEvent(new Event('hashchange'));
  const refused = answer.get('error');
  if (isOurs && refused !== null) loginProblem.value = answer.get('error_description') ?? refused;
  else if (isOurs && attempt !== undefined && (await exchange(answer, attempt)) !== undefined) return;
  else {
    const { handOver } = await import('./handover.ts');
    if (await handOver(href, answer.get('state') ?? '')) {
      loginState.value = 'handed';
      return;
    }
    loginProblem.value = 'This login was begun in another tab or is too old. Log in again.';
  }
  loginState.value = 'out';
};

const renewed = async (): Promise<string | undefined> => {
  const refresh = tokens?.refresh;
  if (refresh !== undefined) {
    const fields = { grant_type: 'refresh_token', client_id: clientId(), refresh_token: refresh };
    const token = await keep(await post('/token', fields));
    if (token !== undefined) return token;
  }
  tokens = undefined;
  const token = await quietly();
  if (token === undefined && loginState.value !== 'out') loginState.value = 'lost';
  return token;
};

/** Renews the token. Requests that need it at the same time share one renewal. */
export const renew = (): Promise<string | undefined> => {
  renewal ??= renewed().finally(() => {
    renewal = undefined;
  });
  return renewal;
};

/** A valid token. Undefined if the user must log in. */
export const accessToken = async (): Promise<string | undefined> => {
  if (tokens !== undefined && Date.now() < tokens.renewAt) return tokens.access;
  return loginState.value === 'in' ? renew() : undefined;
};

/** Logs in at the start of the page: by the code in the address, by the session of the browser, or by the login page. */
export const start = async (): Promise<void> => {
  const answer = answerIn(location);
  if (answer !== undefined) return returned(answer);
  if (clientId() === '') {
    loginProblem.value = 'There is no such tenant, or no user yet. `actorctl up` creates the first user.';
    loginState.value = 'out';
    return;
  }
  if ((await quietly()) === undefined) await goToLogin();
};

/** Shows that nobody is logged in, after the service has ended the login of this page. */
export const showEnded = (): void => {
  tokens = undefined;
  loginProblem.value = 'You ended the login of this page.';
  loginState.value = 'out';
};

/** Revokes the whole grant. A page that is closed cannot wait for a response. */
const forget = (): void => {
  const token = tokens?.refresh ?? tokens?.access;
  tokens = undefined;
  if (token !== undefined) navigator.sendBeacon('/revoke', new URLSearchParams({ token, client_id: clientId() }));
};

/** Tells the other tabs of this browser that its session has ended. */
const logouts = new BroadcastChannel('actorctl.logout');
logouts.addEventListener('message', () => {
  if (loginState.value !== 'in' && loginState.value !== 'lost') return;
  forget();
  loginProblem.value = 'You logged out in another tab.';
  loginState.value = 'out';
});

/** Ends the session of the browser too, and the logins of its other tabs. */
export const logOut = (): void => {
  forget();
  logouts.postMessage('');
  const form = document.createElement('form');
  form.method = 'post';
  form.action = '/authorize/logout';
  document.body.append(form);
  form.submit();
};

addEventListener('pagehide', forget);
// The browser restored the page from its history after its token was revoked.
addEventListener('pageshow', (event) => {
  if (event.persisted) void renew();
});
