// The authorization code flow from the first page to the tokens, and everything that may be tried with a code.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepCodes } from '../../daemon/oauth/sweep.ts';
import {
  atConsent,
  authorizePath,
  CALLBACK,
  callbackClient,
  codeFor,
  codeForm,
  pkce,
  STATE,
  type TestClient,
  VERIFIER,
} from '../support/authorize-calls.ts';
import { browserless, formTo, locationOf, sentTo } from '../support/browserless.ts';
import { ADMIN_PASSWORD, makeClient, type Platform, startPlatform } from '../support/platform.ts';
import { passwordForm, refusal, textOf } from '../support/token-calls.ts';

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
const INVALID = [400, 'invalid_grant'];

/** A client without a secret. */
const publicClient = async (): Promise<TestClient> => {
  const made = await callbackClient(platform);
  await platform.store.transact((tx) => {
    const record = tx.get('clients', made.id);
    if (record) tx.put('clients', { ...record, secretHash: '' });
  });
  return made;
};

describe('the flow', () => {
  it('R09 R13 R14 R16 login, approval, a code with the state as it came, tokens for the user', async () => {
    const browser = browserless(platform.baseUrl);
    const consent = await browser.login(authorizePath(client, { state: STATE }), 'admin', ADMIN_PASSWORD);
    expect(consent.status).toBe(200);
    expect(consent.text).toContain('app.example');
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

  it('R42 the client may say who it is in the body, as the spec writes it', async () => {
    const form = codeForm(await codeFor(platform, client), { client_id: client.id, client_secret: client.secret });
    expect((await platform.token(form)).status).toBe(200);
  });

  it('R16 asks anew each time, without asking for the password anew', async () => {
    const { browser, page } = await atConsent(platform, client);
    await browser.decide(page, 'approve');
    const again = await browser.get(authorizePath(client, { show_dialog: 'false' }));
    expect(formTo(again, '/authorize/consent').fields['csrf']).toBeDefined();
  });

  it('R15 a denial carries state and no code', async () => {
    const { browser, page } = await atConsent(platform, client, { state: STATE });
    const { query } = sentTo(await browser.decide(page, 'deny'));
    expect(Object.fromEntries(query)).toEqual({
      error: 'access_denied',
      error_description: 'The user denied the request.',
      state: STATE,
      iss: platform.baseUrl,
    });
  });

  it('R17 R18 what the forms say besides cannot change what was asked', async () => {
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

  it('R123 a user of another tenant is nobody to the client', async () => {
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

describe('a code', () => {
  it('R51 R52 serves once; a second use ends what the first gave', async () => {
    const code = await codeFor(platform, client);
    const first = await redeem(code);
    expect((await me(textOf(first, 'access_token'))).status).toBe(200);
    expect(refusal(await redeem(code))).toEqual(INVALID);
    expect((await me(textOf(first, 'access_token'))).status).toBe(401);
    const form = { grant_type: 'refresh_token', refresh_token: textOf(first, 'refresh_token') };
    expect(refusal(await platform.token(form, client.header))).toEqual(INVALID);
    expect(platform.log.some(({ fields }) => fields['event'] === 'code-replayed')).toBe(true);
  });

  it('R52 a second use long after the code has expired ends it too', async () => {
    const code = await codeFor(platform, client);
    const first = await redeem(code);
    platform.advance(3_600_000);
    await sweepCodes({ store: platform.store, clock: { now: () => Date.now() + 3_600_000 } });
    expect(refusal(await redeem(code))).toEqual(INVALID);
    expect((await me(textOf(first, 'access_token'))).status).toBe(401);
  });

  it('R53 of many attempts at once one succeeds, and that is revoked too', async () => {
    const code = await codeFor(platform, client);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    for (const answer of good) expect((await me(textOf(answer, 'access_token'))).status).toBe(401);
  });

  it('R53 R145 is durable as used before the tokens are answered', async () => {
    const code = await codeFor(platform, client);
    await redeem(code);
    expect(platform.store.get('codes', platform.vault.digest(code))?.usedAt).toBeGreaterThan(0);
  });

  it('R54 of another client is refused, and not spoilt', async () => {
    const code = await codeFor(platform, client);
    const other = await callbackClient(platform);
    expect(refusal(await platform.token(codeForm(code), other.header))).toEqual(INVALID);
    expect((await redeem(code)).status).toBe(200);
    expect(refusal(await platform.token(codeForm(code), other.header))).toEqual(INVALID);
    expect(refusal(await redeem(code))).toEqual(INVALID);
  });

  it.each([`${CALLBACK}/`, CALLBACK.toUpperCase(), `${CALLBACK}?`, 'https://app.example/callbacK', ' '])(
    'R54 R57 R59 with the redirect URI %j is refused, and used up',
    async (redirect_uri) => {
      const code = await codeFor(platform, client);
      expect(refusal(await redeem(code, { redirect_uri }))).toEqual(INVALID);
      expect(refusal(await redeem(code))).toEqual(INVALID);
    },
  );

  it('R54 without a redirect URI is invalid_request', async () => {
    const code = await codeFor(platform, client);
    expect(refusal(await redeem(code, { redirect_uri: '' }))).toEqual([400, 'invalid_request']);
    expect(refusal(await redeem(''))).toEqual([400, 'invalid_request']);
    expect((await redeem(code)).status).toBe(200);
  });

  it('R55 is good for 60 seconds, and not for 61', async () => {
    const soon = await codeFor(platform, client);
    platform.advance(58_000);
    expect((await redeem(soon)).status).toBe(200);
    const late = await codeFor(platform, client);
    platform.advance(61_000);
    expect(refusal(await redeem(late))).toEqual(INVALID);
  });

  it('R56 R139 is 256 bits, URL-safe, and stands nowhere', async () => {
    const code = await codeFor(platform, client);
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify([...platform.store.all('codes')])).not.toContain(code);
    expect(JSON.stringify(platform.log)).not.toContain(code);
  });

  it('R57 R58 nothing near it, and no other kind of value, is a code', async () => {
    const code = await codeFor(platform, client);
    const tokens = await platform.token(passwordForm, client.header);
    for (const near of [
      ` ${code}`,
      `${code} `,
      `${code}=`,
      code.slice(0, -1),
      code.toLowerCase() === code ? code.toUpperCase() : code.toLowerCase(),
      `${code}\u0000`,
      textOf(tokens, 'access_token'),
      textOf(tokens, 'refresh_token'),
      client.secret,
      '__proto__',
    ]) {
      expect(refusal(await redeem(near))).toEqual(INVALID);
    }
    expect((await me(code)).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: code };
    expect(refusal(await platform.token(refresh, client.header))).toEqual(INVALID);
    expect((await redeem(code)).status).toBe(200);
  });

  it('R59 a failed client authentication does not use it up', async () => {
    const code = await codeFor(platform, client);
    const form = codeForm(code, { client_id: client.id, client_secret: 'wrong' });
    expect(refusal(await platform.token(form))).toEqual([401, 'invalid_client']);
    expect(refusal(await platform.token(codeForm(code, { client_id: client.id })))).toEqual([401, 'invalid_client']);
    expect((await redeem(code)).status).toBe(200);
  });

  it('dies with the password of its user', async () => {
    const code = await codeFor(platform, client);
    const [admin] = [...platform.store.all('users')];
    await platform.store.transact((tx) => tx.delete('users', `DEV\u001f${admin?.username}`));
    expect(refusal(await redeem(code))).toEqual(INVALID);
    await platform.store.transact((tx) => admin && tx.put('users', admin));
  });

  it('R146 an unused one is swept an hour after it has expired, a used one after 30 days', async () => {
    const { store } = platform;
    await codeFor(platform, client);
    const used = await codeFor(platform, client);
    await redeem(used);
    const at = (days: number) => ({ store, clock: { now: () => Date.now() + days * 24 * 3_600_000 } });
    await sweepCodes(at(2));
    expect([...store.all('codes')].every(({ usedAt }) => usedAt !== undefined)).toBe(true);
    expect(store.get('codes', platform.vault.digest(used))).toBeDefined();
    await sweepCodes(at(40));
    expect(store.count('codes')).toBe(0);
  });

  it('is refused to a client that may not have one any more', async () => {
    const limited = await callbackClient(platform);
    const code = await codeFor(platform, limited);
    await platform.store.transact((tx) => {
      const record = tx.get('clients', limited.id);
      if (record) tx.put('clients', { ...record, grants: ['password'] });
    });
    expect(refusal(await platform.token(codeForm(code), limited.header))).toEqual([400, 'unauthorized_client']);
  });
});

describe('PKCE', () => {
  it('R60 the verifier of the challenge gives tokens', async () => {
    const code = await codeFor(platform, client, pkce);
    expect((await redeem(code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  it.each([
    ['another', 'w'.repeat(43)],
    ['none', ''],
    ['the challenge itself', String(pkce['code_challenge'])],
    ['a short', 'v'.repeat(42)],
    ['a long', 'v'.repeat(129)],
  ])('R60 R63 %s verifier is refused, and uses the code up', async (_, verifier) => {
    const code = await codeFor(platform, client, pkce);
    expect(refusal(await redeem(code, { code_verifier: verifier }))).toEqual(INVALID);
    expect(refusal(await redeem(code, { code_verifier: VERIFIER }))).toEqual(INVALID);
  });

  it('R61 a verifier without a challenge is refused', async () => {
    expect(refusal(await redeem(await codeFor(platform, client), { code_verifier: VERIFIER }))).toEqual(INVALID);
  });

  it('C18 a public client needs it, and no secret', async () => {
    const app = await publicClient();
    const code = await codeFor(platform, app, pkce);
    const answer = await platform.token(codeForm(code, { client_id: app.id, code_verifier: VERIFIER }));
    expect(answer.status).toBe(200);
    const stolen = await codeFor(platform, app, pkce);
    expect(refusal(await platform.token(codeForm(stolen, { client_id: app.id })))).toEqual(INVALID);
  });

  it('C18 a public client is not one with an empty secret, and gets tokens by no other grant', async () => {
    const app = await publicClient();
    const byNobody = { grant_type: 'client_credentials', client_id: app.id };
    expect(refusal(await platform.token(byNobody))).toEqual([400, 'unauthorized_client']);
    expect(refusal(await platform.token({ ...passwordForm, client_id: app.id }))).toEqual([400, 'unauthorized_client']);
    expect(refusal(await platform.token({ ...byNobody, client_secret: 'x' }))).toEqual([401, 'invalid_client']);
    const header = { authorization: `Basic ${Buffer.from(`${app.id}:`).toString('base64')}` };
    expect(refusal(await platform.token(byNobody, header))).toEqual([401, 'invalid_client']);
  });
});

describe('R68 the refresh token of a public client', () => {
  const firstTokens = async (app: TestClient) => {
    const code = await codeFor(platform, app, pkce);
    return platform.token(codeForm(code, { client_id: app.id, code_verifier: VERIFIER }));
  };
  const refresh = (app: TestClient, value: string) =>
    platform.token({ grant_type: 'refresh_token', refresh_token: value, client_id: app.id });

  it('serves once and is answered by the next', async () => {
    const app = await publicClient();
    const first = textOf(await firstTokens(app), 'refresh_token');
    const second = textOf(await refresh(app, first), 'refresh_token');
    expect(second).not.toBe(first);
    expect((await refresh(app, second)).status).toBe(200);
  });

  it('ends its whole grant with a second use', async () => {
    const app = await publicClient();
    const first = textOf(await firstTokens(app), 'refresh_token');
    const next = await refresh(app, first);
    expect(refusal(await refresh(app, first))).toEqual(INVALID);
    expect(refusal(await refresh(app, textOf(next, 'refresh_token')))).toEqual(INVALID);
    expect((await me(textOf(next, 'access_token'))).status).toBe(401);
  });

  it('has one winner among uses at once', async () => {
    const app = await publicClient();
    const first = textOf(await firstTokens(app), 'refresh_token');
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(app, first)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

it('the settings of a client count at the approval, not only when the page was shown', async () => {
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
