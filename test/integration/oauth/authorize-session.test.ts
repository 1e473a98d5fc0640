// The browser session: it begins with a login in one browser and ends by time, logout or password change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserless, formsOf, formTo, sentTo } from '../../support/browser/browserless.ts';
import {
  atConsent,
  authorizePath,
  callbackClient,
  implicit,
  type TestClient,
} from '../../support/service/authorize-calls.ts';
import { asks, CONSENT, LOGIN, loginForm, refused, right } from '../../support/service/authorize-forms.ts';
import { adminToken, type Platform, startPlatform } from '../../support/service/platform.ts';

let platform: Platform;
let client: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
});
afterAll(() => platform.close());

const atLogin = (target: Platform = platform) => loginForm(target, client);

describe('the browser session', () => {
  it('R94 is required at the login: a form is accepted only from the browser that loaded it', async () => {
    const { fields } = await atLogin();
    const answer = await platform.ask('POST', LOGIN, { form: { ...fields, ...right } });
    expect(refused(answer)).toBe(true);
  });

  it('R95 gets a new id at the login, and the old id is invalid', async () => {
    const { browser, fields } = await atLogin();
    const before = browser.cookie;
    await browser.post(LOGIN, { ...fields, ...right });
    expect(browser.cookie).toMatch(new RegExp(`^${platform.cookie}=[\\w-]{43}$`));
    expect(browser.cookie).not.toBe(before);
    const thief = browserless(platform.baseUrl);
    thief.cookie = before;
    expect(asks(await thief.get(authorizePath(client)), LOGIN)).toBe(true);
  });

  it('R95 does not accept an id that the server did not make', async () => {
    for (const chosen of ['chosen', '', 'a'.repeat(43), '__proto__', `x; ${platform.cookie}=y`]) {
      const browser = browserless(platform.baseUrl);
      browser.cookie = `${platform.cookie}=${chosen}`;
      const answer = await browser.get(authorizePath(client));
      expect(answer.headers['set-cookie']).toHaveLength(1);
      expect(browser.cookie).not.toContain('chosen');
    }
  });

  it('R95 ends after an idle hour', async () => {
    const { browser } = await atConsent(platform, client);
    platform.advance(59 * 60_000);
    expect(asks(await browser.get(authorizePath(client)), CONSENT)).toBe(true);
    platform.advance(61 * 60_000);
    expect(asks(await browser.get(authorizePath(client)), LOGIN)).toBe(true);
  });

  it('R95 ends after twelve hours, even if it is in use', async () => {
    const { browser } = await atConsent(platform, client);
    for (let half = 0; half < 23; half += 1) {
      platform.advance(30 * 60_000);
      expect(asks(await browser.get(authorizePath(client)), CONSENT)).toBe(true);
    }
    platform.advance(31 * 60_000);
    expect(asks(await browser.get(authorizePath(client)), LOGIN)).toBe(true);
  });

  it('R95 ends on the server at a logout, and so do its pending forms', async () => {
    const { browser, page } = await atConsent(platform, client);
    const { cookie } = browser;
    const answer = await browser.post('/authorize/logout', {});
    expect([answer.status, browser.cookie]).toEqual([200, '']);
    browser.cookie = cookie;
    expect(asks(await browser.get(authorizePath(client)), LOGIN)).toBe(true);
    expect(refused(await browser.decide(page, 'approve'))).toBe(true);
  });

  it('is replaced after a logout on the consent page: the next login continues the same request', async () => {
    const { browser, page } = await atConsent(platform, client, { state: 'kept' });
    const answer = await browser.follow(
      await browser.post('/authorize/logout', formTo(page, '/authorize/logout').fields),
    );
    const form = { ...formTo(answer, LOGIN).fields, ...right };
    const consent = await browser.follow(await browser.post(LOGIN, form));
    expect(sentTo(await browser.decide(consent, 'approve')).query.get('state')).toBe('kept');
  });

  it('is not required for a logout', async () => {
    expect((await browserless(platform.baseUrl).post('/authorize/logout', {})).status).toBe(200);
  });

  it('C10 ends with the password of its user, and so do its pending approvals', async () => {
    const target = await startPlatform();
    try {
      const own = await callbackClient(target);
      const consent = await atConsent(target, own, implicit);
      const idle = await atConsent(target, own);
      const bearer = await adminToken(target);
      const answer = await target.ask('PUT', '/users/v2/admin', {
        json: { password: 'another horse' },
        headers: bearer,
      });
      expect(answer.status).toBe(200);
      expect(target.store.count('sessions')).toBe(0);
      expect(refused(await consent.browser.decide(consent.page, 'approve'))).toBe(true);
      expect(asks(await idle.browser.get(authorizePath(own)), LOGIN)).toBe(true);
      const [again] = formsOf(await idle.browser.get(authorizePath(own)));
      const form = { ...again?.fields, username: 'admin', password: 'another horse' };
      expect((await idle.browser.post(LOGIN, form)).status).toBe(303);
    } finally {
      await target.close();
    }
  });

  it('R79 is not a credential of the API', async () => {
    const { browser } = await atConsent(platform, client);
    const answer = await platform.ask('GET', '/profiles/v2/me', { headers: { cookie: browser.cookie } });
    expect(answer.status).toBe(401);
  });
});
