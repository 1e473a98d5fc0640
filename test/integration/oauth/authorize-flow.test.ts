// The authorization code flow from the login page to the tokens.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserless, formTo, locationOf, sentTo } from '../../support/browser/browserless.ts';
import {
  atConsent,
  authorizePath,
  CALLBACK,
  callbackClient,
  codeFor,
  codeForm,
  STATE,
  type TestClient,
} from '../../support/service/authorize-calls.ts';
import { ADMIN_PASSWORD, basic, makeClient, type Platform, startPlatform } from '../../support/service/platform.ts';
import { textOf } from '../../support/service/token-calls.ts';

let platform: Platform;
let client: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
});
afterAll(() => platform.close());

const redeem = (code: string, changes: Readonly<Record<string, string>> = {}) =>
  platform.token(codeForm(code, changes), client.header);
const me = (token: string) => platform.ask('GET', '/profiles/v2/me', { headers: { authorization: `Bearer ${token}` } });

describe('the authorization code flow', () => {
  it('R09 R12 R13 R14 R16 leads from login and approval to a code with the unchanged state, and to tokens for the user', async () => {
    const browser = browserless(platform.baseUrl);
    const consent = await browser.login(authorizePath(client, { state: STATE }), 'admin', ADMIN_PASSWORD);
    expect(consent.status).toBe(200);
    expect(consent.text).toContain('app.example');
    expect(consent.text).toContain('4 hours at a time. It can renew the access');
    const answer = await browser.decide(consent, 'approve');
    const location = locationOf(answer);
    expect(location.origin + location.pathname + location.hash).toBe(CALLBACK);
    expect([...location.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
    expect(location.searchParams.get('state')).toBe(STATE);
    expect(location.searchParams.get('iss')).toBe(platform.baseUrl);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });

    const tokens = await redeem(location.searchParams.get('code') ?? '');
    expect(tokens.status).toBe(200);
    expect(tokens.headers['cache-control']).toBe('no-store');
    expect(tokens.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'bearer',
      expires_in: 14_400,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'PRODUCTION',
    });
    expect((await me(textOf(tokens, 'access_token'))).result).toMatchObject({ username: 'admin' });
    const form = { grant_type: 'refresh_token', refresh_token: textOf(tokens, 'refresh_token') };
    expect((await platform.token(form, client.header)).status).toBe(200);
  });

  it('R42 accepts the credentials of the client in the body', async () => {
    const form = codeForm(await codeFor(platform, client), { client_id: client.id, client_secret: client.secret });
    expect((await platform.token(form)).status).toBe(200);
  });

  it('R16 asks for approval each time, but for the password only once', async () => {
    const { browser, page } = await atConsent(platform, client);
    await browser.decide(page, 'approve');
    const again = await browser.get(authorizePath(client, { show_dialog: 'false' }));
    expect(formTo(again, '/authorize/consent').fields['csrf']).toBeDefined();
  });

  it('R15 redirects a denial with the state and without a code', async () => {
    const { browser, page } = await atConsent(platform, client, { state: STATE });
    const { query } = sentTo(await browser.decide(page, 'deny'));
    expect(Object.fromEntries(query)).toEqual({
      error: 'access_denied',
      error_description: 'The user denied the request.',
      state: STATE,
      iss: platform.baseUrl,
    });
  });

  it('R17 R18 uses the request stored on the server, whatever parameters the forms add', async () => {
    const browser = browserless(platform.baseUrl);
    const login = await browser.get(authorizePath(client, { state: 'mine' }));
    const more = {
      client_id: 'other',
      redirect_uri: 'https://evil.example/',
      state: 'theirs',
      scope: 'admin',
      next: 'https://evil.example/',
      return_to: 'https://evil.example/',
    };
    const form = { ...formTo(login, '/authorize/login').fields, username: 'admin', password: ADMIN_PASSWORD, ...more };
    const answer = await browser.post('/authorize/login', form);
    expect(answer.headers.location).toMatch(/^\/authorize\?/);
    const consent = await browser.follow(answer);
    const decided = { ...formTo(consent, '/authorize/consent').fields, decision: 'approve', ...more };
    const location = locationOf(await browser.post('/authorize/consent', decided));
    expect(location.origin + location.pathname).toBe(CALLBACK);
    expect(location.searchParams.get('state')).toBe('mine');
  });

  it('R123 asks a user of another tenant to log in again', async () => {
    const passwordHash = await platform.vault.hashPassword('other password');
    const [admin] = [...platform.store.all('users')];
    await platform.store.transact((tx) => {
      tx.put('tenants', { id: 'OTHER', name: 'Other', lifetimes: {}, createdAt: 0 });
      if (admin) tx.put('users', { ...admin, tenant: 'OTHER', passwordHash });
      const record = tx.get('clients', client.id);
      if (record) tx.put('clients', { ...record, id: 'client-of-other', tenant: 'OTHER' });
    });
    const { browser } = await atConsent(platform, client);
    const page = await browser.get(authorizePath({ ...client, id: 'client-of-other' }));
    expect(formTo(page, '/authorize/login').fields['csrf']).toBeDefined();
  });
});

describe('R64 C10 access without renewal, as the consent page says', () => {
  const once = { grants: 'authorization_code' };
  const setGrants = async ({ id }: TestClient, grants: string) => {
    const name = platform.store.get('clients', id)?.name;
    const headers = { authorization: basic('admin', ADMIN_PASSWORD) };
    expect((await platform.ask('PUT', `/clients/v2/${name}`, { json: { grants }, headers })).status).toBe(200);
  };
  const refreshTokens = ({ id }: TestClient) =>
    platform.store.by('tokens', 'client', id).filter(({ kind }) => kind === 'refresh');

  it('is given to a client without the refresh grant, even if it gets the grant later', async () => {
    const own = await callbackClient(platform, once);
    const { browser, page } = await atConsent(platform, own);
    expect(page.text).toContain('4 hours at most. After that it must ask again.');
    const code = sentTo(await browser.decide(page, 'approve')).query.get('code') ?? '';
    const tokens = await platform.token(codeForm(code), own.header);
    expect(tokens.status).toBe(200);
    expect(tokens.json).not.toHaveProperty('refresh_token');
    await setGrants(own, 'authorization_code,refresh_token');
    expect(refreshTokens(own)).toEqual([]);
  });

  it.each(['the approval', 'the exchange of the code'])(
    'is given to a client that gets the refresh grant between the page and %s',
    async (step) => {
      const own = await callbackClient(platform, once);
      const { browser, page } = await atConsent(platform, own);
      if (step === 'the approval') await setGrants(own, 'authorization_code,refresh_token');
      const code = sentTo(await browser.decide(page, 'approve')).query.get('code') ?? '';
      await setGrants(own, 'authorization_code,refresh_token');
      const tokens = await platform.token(codeForm(code), own.header);
      expect(tokens.status).toBe(200);
      expect(tokens.json).not.toHaveProperty('refresh_token');
      expect(refreshTokens(own)).toEqual([]);
    },
  );

  it('is given to a client that loses the refresh grant before the exchange of the code', async () => {
    const own = await callbackClient(platform);
    const code = await codeFor(platform, own);
    await setGrants(own, 'authorization_code');
    expect((await platform.token(codeForm(code), own.header)).json).not.toHaveProperty('refresh_token');
    expect(refreshTokens(own)).toEqual([]);
  });
});

it('the settings of a client are checked again at the approval', async () => {
  const own = await makeClient(platform, { callbackUrl: CALLBACK });
  for (const change of [{ redirectUris: [] }, { grants: ['password'] as const }]) {
    const { browser, page } = await atConsent(platform, own);
    const before = platform.store.get('clients', own.id);
    await platform.store.transact((tx) => before && tx.put('clients', { ...before, ...change }));
    const answer = await browser.decide(page, 'approve');
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    await platform.store.transact((tx) => before && tx.put('clients', before));
  }
});
