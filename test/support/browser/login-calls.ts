// Logins of a service for tests: clients, tokens, dashboard pages in simulated browsers, and the list of logins.
import { createHash } from 'node:crypto';
import { ensureDashboardClient } from '../../../daemon/clients/dashboard-client.ts';
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { type ActorService, type Name, passwordOf } from '../service/actor-service.ts';
import type { Answer } from '../service/call.ts';
import { type Browserless, browserless, formsOf, locationOf } from './browserless.ts';

export type Login = ResultOf<Operations['logins.list']>[number];

export const CALLBACK = 'https://app.example/callback';
export const VERIFIER = 'v'.repeat(43);
const pkce = {
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
};

export const loginsIn = ({ json }: Answer): readonly Login[] => (json as { result: readonly Login[] }).result;

export const authorize = (changes: Readonly<Record<string, string>>): string =>
  `/authorize?${new URLSearchParams({ response_type: 'code', state: 's', ...pkce, ...changes }).toString()}`;

/** The calls of a service. */
export const loginCalls = async (service: ActorService) => {
  const dashboard = (await ensureDashboardClient(service.dependencies, undefined)) ?? '';
  const clientOf = async (as: Name, fields: Readonly<Record<string, unknown>> = {}) => {
    const json = { clientName: service.dependencies.ids.id(), callbackUrl: CALLBACK, ...fields };
    const { result } = await service.ask(as, 'POST', '/clients/v2', { json });
    return { client_id: String(result['consumerKey']), client_secret: String(result['consumerSecret']) };
  };

  const tokens = async (form: Readonly<Record<string, string>>) => {
    const { status, json } = await service.ask(undefined, 'POST', '/token', { form });
    const { access_token = '', refresh_token = '' } = json as Readonly<Record<string, string>>;
    return { status, access: access_token, refresh: refresh_token };
  };

  const works = async (token: string): Promise<boolean> => (await ask(token, 'GET', '/profiles/v2/me')).status === 200;

  const ask = (token: string, method: string, path: string) =>
    service.ask(undefined, method, path, { headers: { authorization: `Bearer ${token}` } });

  const listedTo = async (token: string, path = '/logins'): Promise<readonly Login[]> =>
    loginsIn(await ask(token, 'GET', path));

  /** The login of a token. */
  const loginOf = async (token: string): Promise<Login> => {
    const found = (await listedTo(token)).find(({ current, kind }) => current && kind === 'grant');
    if (found === undefined) throw new Error('the login of the token is not listed');
    return found;
  };

  const end = (token: string, { id }: Pick<Login, 'id'>) => ask(token, 'DELETE', `/logins/${id}`);

  const password = async (as: 'ana' | 'bob') => {
    const client = await clientOf(as);
    return tokens({ grant_type: 'password', ...client, username: as, password: passwordOf(as), scope: 'PRODUCTION' });
  };

  const dashboardPath = () => authorize({ client_id: dashboard, redirect_uri: `${service.baseUrl}/` });

  /** A dashboard page in a browser that is logged in. */
  const openPage = async (browser: Browserless) => {
    const code = locationOf(await browser.get(dashboardPath())).searchParams.get('code') ?? '';
    return tokens({
      ...{ grant_type: 'authorization_code', client_id: dashboard, redirect_uri: `${service.baseUrl}/` },
      ...{ code, code_verifier: VERIFIER },
    });
  };

  const browserOf = async (as: Name = 'ana'): Promise<Browserless> => {
    const browser = browserless(service.baseUrl);
    await browser.get(service.loginLink(as));
    return browser;
  };

  const asksToLogIn = async (browser: Browserless): Promise<boolean> =>
    formsOf(await browser.get(dashboardPath())).some(({ action }) => action === '/authorize/login');

  return {
    dashboard,
    clientOf,
    tokens,
    works,
    ask,
    listedTo,
    loginOf,
    end,
    password,
    dashboardPath,
    openPage,
    browserOf,
    asksToLogIn,
  };
};
