// The implicit flow: the token in the fragment, repeated approvals without a question, and denials.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formsOf, locationOf, sentTo } from '../../support/browser/browserless.ts';
import {
  atConsent,
  authorizePath,
  CALLBACK,
  callbackClient,
  implicit,
  STATE,
  type TestClient,
} from '../../support/service/authorize-calls.ts';
import { ADMIN_PASSWORD, type Platform, startPlatform } from '../../support/service/platform.ts';

let platform: Platform;
let client: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const fresh = async () => {
  client = await callbackClient(platform);
  return atConsent(platform, client, { ...implicit, state: STATE });
};
const asks = (answer: Parameters<typeof formsOf>[0]) =>
  formsOf(answer).some(({ action }) => action === '/authorize/consent');

describe('an approval', () => {
  it('R24 R25 R26 C2 puts token, type, lifetime, state and issuer into the fragment, and nothing into the query', async () => {
    const { browser, page } = await fresh();
    expect(page.text).toContain('1 hour at most. After that it must ask again.');
    const answer = await browser.decide(page, 'approve');
    const location = locationOf(answer);
    expect(location.origin + location.pathname + location.search).toBe(CALLBACK);
    const { fragment } = sentTo(answer);
    expect(Object.fromEntries(fragment)).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'bearer',
      expires_in: '3600',
      state: STATE,
      iss: platform.baseUrl,
    });
    const bearer = { authorization: `Bearer ${fragment.get('access_token')}` };
    expect((await platform.ask('GET', '/profiles/v2/me', { headers: bearer })).result).toMatchObject({
      username: 'admin',
    });
    platform.advance(3_601_000);
    expect((await platform.ask('GET', '/profiles/v2/me', { headers: bearer })).status).toBe(401);
    const kinds = [...platform.store.by('tokens', 'client', client.id)].map(({ kind }) => kind);
    expect(kinds).toEqual(['access']);
  });

  it('R29 has the headers no-store and a referrer policy that hides the address', async () => {
    const { browser, page } = await fresh();
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
    const { headers } = await browser.decide(page, 'approve');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  it('C4 R15 is not given by a denial, which puts the error into the query and the fragment', async () => {
    const { browser, page } = await fresh();
    const { query, fragment } = sentTo(await browser.decide(page, 'deny'));
    expect([query.get('error'), query.get('state')]).toEqual(['access_denied', STATE]);
    expect(Object.fromEntries(fragment)).toEqual(Object.fromEntries(query));
    expect(platform.store.countBy('tokens', 'client', client.id)).toBe(0);
  });
});

describe('R28 C19 an earlier approval', () => {
  it('is enough for the same user, client, URI and scope', async () => {
    const { browser, page } = await fresh();
    await browser.decide(page, 'approve');
    for (const show_dialog of [undefined, 'false', '0', 'banana']) {
      const answer = await browser.get(authorizePath(client, { ...implicit, state: STATE, show_dialog }));
      expect(sentTo(answer).fragment.get('access_token')).toMatch(/^[\w-]{43}$/);
    }
  });

  it('is not enough with show_dialog=true', async () => {
    const { browser, page } = await fresh();
    await browser.decide(page, 'approve');
    for (const show_dialog of ['true', '1', 'TRUE']) {
      expect(asks(await browser.get(authorizePath(client, { ...implicit, show_dialog })))).toBe(true);
    }
  });

  it('is not enough for another client, another URI, another user, or a HEAD request', async () => {
    const uris = [CALLBACK, 'https://app.example/other'];
    client = await callbackClient(platform, { callbackUrl: uris.join(',') });
    const { browser, page } = await atConsent(platform, client, implicit);
    await browser.decide(page, 'approve');
    const other = await callbackClient(platform);
    expect(asks(await browser.get(authorizePath(other, implicit)))).toBe(true);
    expect(asks(await browser.get(authorizePath(client, { ...implicit, redirect_uri: uris[1] })))).toBe(true);
    expect(asks(await browser.get(authorizePath(client)))).toBe(true);
    const head = await platform.ask('HEAD', authorizePath(client, implicit), { headers: { cookie: browser.cookie } });
    expect([head.status, head.headers.location]).toEqual([200, undefined]);
    const passwordHash = await platform.vault.hashPassword('password of bob');
    const [admin] = [...platform.store.all('users')];
    await platform.store.transact((tx) => admin && tx.put('users', { ...admin, username: 'bob', passwordHash }));
    await browser.post('/authorize/logout', {});
    expect(asks(await browser.login(authorizePath(client, implicit), 'bob', 'password of bob'))).toBe(true);
  });

  it('is also enough right after a login', async () => {
    const { browser, page } = await fresh();
    await browser.decide(page, 'approve');
    await browser.post('/authorize/logout', {});
    const answer = await browser.login(authorizePath(client, implicit), 'admin', ADMIN_PASSWORD);
    expect(sentTo(answer).fragment.has('access_token')).toBe(true);
  });

  it('is not given by a denial', async () => {
    const { browser, page } = await fresh();
    await browser.decide(page, 'deny');
    expect(asks(await browser.get(authorizePath(client, implicit)))).toBe(true);
  });
});
