// Scenarios for every response of the authorization service, and of the public operations of the daemon.

import { type Browserless, browserless, formTo } from '../browser/browserless.ts';
import { type OperationsOf, type Scenario, type Scenarios, within } from '../contract/every-operation.ts';
import { type ActorService, passwordOf } from '../service/actor-service.ts';
import type { Answer } from '../service/call.ts';
import { done, fresh } from './resources.ts';

const CALLBACK = 'https://app.example/callback';

/** Number of failed logins without a delay. */
const FREE_GUESSES = 5;

const register = async (service: ActorService): Promise<{ readonly id: string; readonly secret: string }> => {
  const json = { clientName: fresh(), callbackUrl: CALLBACK };
  const { result } = done(await service.ask('ana', 'POST', '/clients/v2', { json }));
  return { id: String(result['consumerKey']), secret: String(result['consumerSecret']) };
};

const authorizePath = async (service: ActorService): Promise<string> => {
  const { id } = await register(service);
  const asked = { response_type: 'code', client_id: id, redirect_uri: CALLBACK };
  return `/authorize?${new URLSearchParams(asked).toString()}`;
};

/** A browser that has opened the login page. */
const atLogin = async (service: ActorService): Promise<{ readonly browser: Browserless; readonly page: Answer }> => {
  const browser = browserless(service.baseUrl);
  return { browser, page: await browser.get(await authorizePath(service)) };
};

/** Sends the login form with changed fields. */
const login =
  (fields: Readonly<Record<string, string>>): Scenario =>
  async (service) => {
    const { browser, page } = await atLogin(service);
    return browser.post('/authorize/login', { ...formTo(page, '/authorize/login').fields, ...fields });
  };

const right = { username: 'ana', password: passwordOf('ana') };
const wrong = { username: 'ana', password: 'a wrong password' };

/** Sends the consent form with changed fields. */
const decide =
  (fields: Readonly<Record<string, string>>): Scenario =>
  async (service) => {
    const browser = browserless(service.baseUrl);
    const page = await browser.login(await authorizePath(service), right.username, right.password);
    return browser.post('/authorize/consent', { ...formTo(page, '/authorize/consent').fields, ...fields });
  };

const logout =
  (headers: Readonly<Record<string, string>>): Scenario =>
  async (service) => {
    const { browser } = await atLogin(service);
    return browser.post('/authorize/logout', {}, headers);
  };

const elsewhere = { origin: 'https://elsewhere.example' };

/** Sends a form with the credentials of a client. */
const byClient =
  (path: string, form: Readonly<Record<string, string>>): Scenario =>
  async (service) => {
    const { id, secret } = await register(service);
    return service.ask(undefined, 'POST', path, { form: { ...form, client_id: id, client_secret: secret } });
  };

const byNoClient =
  (path: string): Scenario =>
  (service) =>
    service.ask(undefined, 'POST', path, { form: { token: 'x', client_id: 'nobody', client_secret: 'nothing' } });

/** Repeats a failed login until each further attempt is delayed. */
const guessing = (guess: Scenario): Scenario =>
  within({}, async (service) => {
    for (let at = 0; at < FREE_GUESSES; at += 1) await guess(service);
    return guess(service);
  });

const anybody = (path: string) => ({
  success: (service: ActorService) => service.ask(undefined, 'GET', path),
  failures: {},
});

export const authorizationScenarios: Scenarios<
  OperationsOf<'authorize' | 'token' | 'metadata' | 'health' | 'openapi' | 'docs'>
> = {
  'authorize.show': {
    success: async (service) => (await atLogin(service)).page,
    failures: { VALIDATION: (service) => service.ask(undefined, 'GET', '/authorize?client_id=nobody') },
  },
  'authorize.login': {
    success: login(right),
    failures: {
      VALIDATION: login({ ...right, transaction: 'another' }),
      AUTH_FAILED: login(wrong),
      FORBIDDEN: login({ ...right, csrf: 'another' }),
      THROTTLED: guessing(login(wrong)),
    },
  },
  'authorize.consent': {
    success: decide({ decision: 'approve' }),
    failures: {
      VALIDATION: decide({ decision: 'perhaps' }),
      FORBIDDEN: decide({ decision: 'approve', csrf: 'another' }),
    },
  },
  'authorize.link': {
    success: (service) => service.ask(undefined, 'GET', service.loginLink('ana')),
    failures: { VALIDATION: (service) => service.ask(undefined, 'GET', '/authorize/link?code=unknown') },
  },
  'authorize.logout': { success: logout({}), failures: { FORBIDDEN: logout(elsewhere) } },
  'token.create': {
    success: byClient('/token', { grant_type: 'password', scope: 'PRODUCTION', ...right }),
    failures: {
      AUTH_FAILED: byNoClient('/token'),
      THROTTLED: guessing(byClient('/token', { grant_type: 'password', scope: 'PRODUCTION', ...wrong })),
    },
  },
  'token.revoke': {
    success: byClient('/revoke', { token: 'unknown' }),
    failures: { AUTH_FAILED: byNoClient('/revoke') },
  },
  'token.introspect': {
    success: byClient('/introspect', { token: 'unknown' }),
    failures: { AUTH_FAILED: byNoClient('/introspect') },
  },
  'metadata.show': anybody('/.well-known/oauth-authorization-server'),
  'health.show': anybody('/healthz'),
  'openapi.show': anybody('/openapi.json'),
  'docs.show': anybody('/docs'),
};
