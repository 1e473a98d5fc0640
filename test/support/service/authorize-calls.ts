// Requests to the authorization endpoint, and the steps that many tests of it share.
import { createHash } from 'node:crypto';
import { type Browserless, browserless, sentTo } from '../browser/browserless.ts';
import type { Answer } from './call.ts';
import { ADMIN_PASSWORD, makeClient, type Platform } from './platform.ts';

export const CALLBACK = 'https://app.example/callback';
export const STATE = 'a state +&=#%/?"\'<>\\ü✓';

export type TestClient = Awaited<ReturnType<typeof makeClient>>;

/** Parameters of a request. `undefined` omits one, a list repeats it. */
export type Changes = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The path of a valid authorization request, with the given changes. */
export const authorizePath = (client: TestClient, changes: Changes = {}): string => {
  const parameters = { response_type: 'code', client_id: client.id, redirect_uri: CALLBACK, ...changes };
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    (value === undefined ? [] : typeof value === 'string' ? [value] : value).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`,
    ),
  );
  return `/authorize?${pairs.join('&')}`;
};

export const implicit: Changes = { response_type: 'token', scope: 'PRODUCTION' };

export const callbackClient = (platform: Platform, fields: Readonly<Record<string, unknown>> = {}) =>
  makeClient(platform, { callbackUrl: CALLBACK, ...fields });

/** A client without a secret. */
export const publicClient = async (platform: Platform): Promise<TestClient> => {
  const client = await callbackClient(platform);
  await platform.store.transact((tx) => {
    const record = tx.get('clients', client.id);
    if (record)
      tx.put('clients', { ...record, secretHash: '', grants: ['authorization_code', 'implicit', 'refresh_token'] });
  });
  return client;
};

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
export const VERIFIER = 'v'.repeat(43);
export const pkce: Changes = { code_challenge: challengeOf(VERIFIER), code_challenge_method: 'S256' };

/** A browser in which the admin is logged in and has opened the consent page. */
export const atConsent = async (
  platform: Platform,
  client: TestClient,
  changes: Changes = {},
): Promise<{ readonly browser: Browserless; readonly page: Answer }> => {
  const browser = browserless(platform.baseUrl);
  const page = await browser.login(authorizePath(client, changes), 'admin', ADMIN_PASSWORD);
  return { browser, page };
};

/** A new authorization code of the admin for the client. */
export const codeFor = async (platform: Platform, client: TestClient, changes: Changes = {}): Promise<string> => {
  const { browser, page } = await atConsent(platform, client, changes);
  return sentTo(await browser.decide(page, 'approve')).query.get('code') ?? '';
};

/** The form that redeems a code. */
export const codeForm = (code: string, changes: Readonly<Record<string, string>> = {}) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  ...changes,
});
