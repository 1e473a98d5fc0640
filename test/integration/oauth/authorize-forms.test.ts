// The login and consent forms: their keys, their single use, and forms sent by other sites.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserless, formTo, locationOf, sentTo } from '../../support/browser/browserless.ts';
import { atConsent, authorizePath, callbackClient, type TestClient } from '../../support/service/authorize-calls.ts';
import { asks, CONSENT, LOGIN, loginForm, refused, right } from '../../support/service/authorize-forms.ts';
import { type Platform, startPlatform } from '../../support/service/platform.ts';

let platform: Platform;
let client: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
});
afterAll(() => platform.close());

const atLogin = (target: Platform = platform) => loginForm(target, client);

describe('R92 the keys of a form', () => {
  it('are required at the login: missing, altered and foreign keys are refused', async () => {
    const { browser, fields } = await atLogin();
    const other = await atLogin();
    for (const keys of [
      {},
      { transaction: fields['transaction'] },
      { csrf: fields['csrf'] },
      { ...fields, csrf: '' },
      { ...fields, csrf: `${fields['csrf']}x` },
      { ...fields, csrf: fields['csrf']?.toUpperCase() },
      { ...fields, transaction: `${fields['transaction']}x` },
      { ...fields, csrf: other.fields['csrf'] },
      { ...fields, transaction: other.fields['transaction'] },
      { ...other.fields },
      { csrf: '__proto__', transaction: '__proto__' },
    ]) {
      const form = Object.fromEntries(Object.entries(keys).map(([name, value]) => [name, value ?? '']));
      expect(refused(await browser.post(LOGIN, { ...form, ...right }))).toBe(true);
    }
    expect((await browser.post(LOGIN, { ...fields, ...right })).status).toBe(303);
  });

  it('are required at the consent, and the keys of the login form are not accepted there', async () => {
    const { browser, fields } = await atLogin();
    const consent = await browser.follow(await browser.post(LOGIN, { ...fields, ...right }));
    const keys = formTo(consent, CONSENT).fields;
    const other = await atConsent(platform, client);
    for (const form of [{}, fields, { ...keys, csrf: 'x' }, formTo(other.page, CONSENT).fields]) {
      expect(refused(await browser.post(CONSENT, { ...form, decision: 'approve' }))).toBe(true);
    }
    expect(refused(await browser.post(LOGIN, { ...keys, ...right }))).toBe(true);
    expect(sentTo(await browser.post(CONSENT, { ...keys, decision: 'approve' })).query.has('code')).toBe(true);
  });

  it('R102 work once: an answered consent form is refused and gives no second code', async () => {
    const { browser, page } = await atConsent(platform, client);
    const form = { ...formTo(page, CONSENT).fields, decision: 'approve' };
    const before = platform.store.count('codes');
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.post(CONSENT, form)));
    const codes = answers.filter(({ status }) => status === 303).map((answer) => sentTo(answer).query.get('code'));
    expect(new Set(codes).size).toBe(1);
    expect(codes.length + answers.filter(refused).length).toBe(5);
    expect(platform.store.count('codes')).toBe(before + 1);
    expect(refused(await browser.post(CONSENT, { ...form, decision: 'deny' }))).toBe(true);
  });

  it('of a login, sent twice, begin one session', async () => {
    const { browser, fields } = await atLogin();
    await browser.post(LOGIN, { ...fields, ...right });
    const again = await browser.post(LOGIN, { ...fields, ...right });
    expect([again.status, again.headers['set-cookie']]).toEqual([303, undefined]);
  });

  it('expire after an hour', async () => {
    const { browser, fields } = await atLogin();
    const { browser: second, page } = await atConsent(platform, client);
    platform.advance(61 * 60_000);
    expect(refused(await browser.post(LOGIN, { ...fields, ...right }))).toBe(true);
    expect(refused(await second.decide(page, 'approve'))).toBe(true);
  });

  it('without a valid session lead to a new login instead of a code', async () => {
    const { browser, page } = await atConsent(platform, client);
    browser.cookie = '';
    const answer = await browser.decide(page, 'approve');
    expect([answer.status, asks(answer, LOGIN)]).toEqual([400, true]);
    const form = { ...formTo(answer, LOGIN).fields, ...right };
    expect(asks(await browser.follow(await browser.post(LOGIN, form)), CONSENT)).toBe(true);
    const bare = await atLogin();
    bare.browser.cookie = '';
    const expired = await bare.browser.post(LOGIN, { ...bare.fields, ...right });
    expect([expired.status, asks(expired, LOGIN), bare.browser.cookie !== '']).toEqual([400, true, true]);
  });

  it('R243 of a login work for an hour, whatever other browsers open meanwhile', async () => {
    const { browser, fields } = await atLogin();
    const get = (connection: string) =>
      `GET ${authorizePath(client)} HTTP/1.1\r\nHost: ${new URL(platform.baseUrl).host}\r\nConnection: ${connection}\r\n\r\n`;
    for (let round = 0; round < 22; round += 1) {
      const answers = await platform.raw(`${get('keep-alive').repeat(49)}${get('close')}`);
      expect(answers.match(/action="\/authorize\/login"/g)).toHaveLength(50);
    }
    platform.advance(59 * 60_000);
    const consent = await browser.follow(await browser.post(LOGIN, { ...fields, ...right }));
    expect(sentTo(await browser.decide(consent, 'approve')).query.has('code')).toBe(true);
  });

  it('R243 of a login hold the longest state, which arrives unchanged', async () => {
    const state = '"\u0001'.repeat(2_500);
    const browser = browserless(platform.baseUrl);
    const { fields } = formTo(await browser.get(authorizePath(client, { state })), LOGIN);
    const consent = await browser.follow(await browser.post(LOGIN, { ...fields, ...right }));
    expect(sentTo(await browser.decide(consent, 'approve')).query.get('state')).toBe(state);
  });

  it('of several tabs all work after one login', async () => {
    const { browser, fields } = await atLogin();
    const second = formTo(await browser.get(authorizePath(client, { state: 'second' })), LOGIN).fields;
    await browser.post(LOGIN, { ...fields, ...right });
    const answer = await browser.post(LOGIN, { ...second, ...right });
    const consent = await browser.follow(answer);
    expect(sentTo(await browser.decide(consent, 'approve')).query.get('state')).toBe('second');
  });
});

describe('R93 a submitted form', () => {
  const site = (): readonly Readonly<Record<string, string>>[] => [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: `http://127.0.0.1:${platform.port + 1}` },
    { origin: `${new URL(platform.baseUrl).protocol}//[::1]:${platform.port}` },
    { origin: platform.baseUrl.replace(/^http(s?)/, (_, end) => (end === 's' ? 'http' : 'https')) },
    { origin: `${platform.baseUrl}.evil.example` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'Same-Origin' },
  ];

  it('from another site is refused, even with valid keys', async () => {
    const { browser, fields } = await atLogin();
    const consent = await atConsent(platform, client);
    const keys = formTo(consent.page, CONSENT).fields;
    for (const headers of site()) {
      const answers = [
        await browser.post(LOGIN, { ...fields, ...right }, headers),
        await consent.browser.post(CONSENT, { ...keys, decision: 'approve' }, headers),
        await consent.browser.post('/authorize/logout', keys, headers),
      ];
      expect(answers.map(({ status }) => status)).toEqual([platform.forbidden, platform.forbidden, platform.forbidden]);
    }
    expect((await consent.browser.decide(consent.page, 'approve')).status).toBe(303);
  });

  it('without an origin, or from another loopback name of this daemon, is accepted', async () => {
    const { protocol } = new URL(platform.baseUrl);
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const { browser, fields } = await atLogin();
      const named = { host: `${host}:${platform.port}`, origin: `${protocol}//${host}:${platform.port}` };
      expect((await browser.post(LOGIN, { ...fields, ...right }, named)).status).toBe(303);
    }
    const { browser, fields } = await atLogin();
    const form = { ...fields, ...right };
    const answer = await platform.ask('POST', LOGIN, { form, headers: { cookie: browser.cookie } });
    expect(answer.status).toBe(303);
  });
});

describe('the consent form', () => {
  it.each(['', 'APPROVE', 'yes', 'approve '])(
    'R16 refuses the decision %j, and can still be answered',
    async (decision) => {
      platform.advance(3_600_000);
      const { browser, page } = await atConsent(platform, client);
      expect(refused(await browser.decide(page, decision))).toBe(true);
      expect(locationOf(await browser.decide(page, 'deny')).searchParams.get('error')).toBe('access_denied');
    },
  );

  it('R16 cannot be answered by another user', async () => {
    const passwordHash = await platform.vault.hashPassword('password of eve');
    const [admin] = [...platform.store.all('users')];
    await platform.store.transact((tx) => admin && tx.put('users', { ...admin, username: 'eve', passwordHash }));
    const { browser, page } = await atConsent(platform, client);
    const { fields } = formTo(await browser.get(authorizePath(client)), CONSENT);
    expect(fields['csrf']).toBeDefined();
    const eve = browserless(platform.baseUrl);
    await eve.login(authorizePath(client), 'eve', 'password of eve');
    expect(refused(await eve.decide(page, 'approve'))).toBe(true);
  });
});
