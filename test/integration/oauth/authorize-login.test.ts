// The login form: its messages, the input that it refuses, and the throttling of password guesses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserless, formTo, sentTo } from '../../support/browser/browserless.ts';
import { atConsent, authorizePath, callbackClient, type TestClient } from '../../support/service/authorize-calls.ts';
import { asks, CONSENT, LOGIN, loginForm, right } from '../../support/service/authorize-forms.ts';
import { ADMIN_PASSWORD, basic, type Platform, startPlatform } from '../../support/service/platform.ts';

let platform: Platform;
let client: TestClient;
beforeAll(async () => {
  platform = await startPlatform();
  client = await callbackClient(platform);
});
afterAll(() => platform.close());

const atLogin = (target: Platform = platform) => loginForm(target, client);

/** A wrong password over Basic. */
const byBasic = (target: Platform, username: string) =>
  target.ask('GET', '/clients/v2', { headers: { authorization: basic(username, 'wrong') } });

describe('the login form', () => {
  it('R103 R72 gives the same response for an unknown user and a wrong password, and never shows the password', async () => {
    const target = await startPlatform();
    try {
      const own = await callbackClient(target);
      const browser = browserless(target.baseUrl);
      const { fields } = formTo(await browser.get(authorizePath(own)), LOGIN);
      const texts = [];
      for (const username of ['admin', 'nobody']) {
        const answer = await browser.post(LOGIN, { ...fields, username, password: 'wrong-password' });
        expect(answer.status).toBe(401);
        expect(answer.text).not.toContain('wrong-password');
        texts.push(answer.text.replaceAll(username, 'NAME'));
      }
      expect(texts[0]).toBe(texts[1]);
    } finally {
      await target.close();
    }
  });

  it('R21 escapes the user name, and does not repeat a very long one', async () => {
    const { browser, fields } = await atLogin();
    const script = '"><script>alert(1)</script>';
    const answer = await browser.post(LOGIN, { ...fields, username: script, password: 'x' });
    expect(answer.text).not.toContain('<script');
    expect(formTo(answer, LOGIN).fields['username']).toBe(script);
    const long = await browser.post(LOGIN, { ...fields, username: 'x'.repeat(5_000), password: 'x' });
    expect(long.text).not.toContain('xxxxxxxx');
  });

  it.each([
    ['nothing', {}],
    ['no password', { username: 'admin' }],
    ['no name', { password: ADMIN_PASSWORD }],
    ['NUL', { username: 'admin\u0000', password: ADMIN_PASSWORD }],
    ['CR and LF', { username: 'admin\r\n', password: ADMIN_PASSWORD }],
    ['a password with a NUL at its end', { username: 'admin', password: `${ADMIN_PASSWORD}\u0000` }],
    ['a password of 60 kB', { username: 'admin', password: 'x'.repeat(60_000) }],
    ['a name with the separator of store keys', { username: 'DEV\u001fadmin', password: ADMIN_PASSWORD }],
    ['__proto__', { username: '__proto__', password: '__proto__' }],
  ])('R40 refuses %s as a wrong login', async (_, typed) => {
    platform.advance(3_600_000);
    const { browser, fields } = await atLogin();
    expect((await browser.post(LOGIN, { ...fields, ...typed })).status).toBe(401);
  });

  it.each([
    ['a repeated key', 'csrf=a&csrf=b', 400],
    ['a broken percent-escape', 'username=%zz', 400],
    ['a value that is not UTF-8', 'username=%ff', 400],
    ['1 MB', `username=${'x'.repeat(1024 * 1024)}`, 413],
    ['too many parameters', '&a=1'.repeat(1_001), 413],
    ['brackets', 'csrf[a]=b', 'forbidden'],
  ] as const)('R39 R40 refuses %s with an HTML page', async (_, body, refusal) => {
    const status = refusal === 'forbidden' ? platform.forbidden : refusal;
    for (const path of [LOGIN, CONSENT]) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await platform.ask('POST', path, { body, headers });
      expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    }
  });

  it('R32 refuses other content types', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await platform.ask('POST', LOGIN, { body: '{}', headers: { 'content-type': type } });
      expect(answer.status).toBe(400);
    }
  });

  it('R76 throttles after a few of many wrong passwords, and accepts the right one a minute later', async () => {
    const target = await startPlatform({ stillClock: true });
    try {
      const own = await callbackClient(target);
      const browser = browserless(target.baseUrl);
      const { fields } = formTo(await browser.get(authorizePath(own)), LOGIN);
      const tally = new Map<number, number>();
      for (let guess = 0; guess < 200; guess += 1) {
        const { status, headers } = await browser.post(LOGIN, { ...fields, username: 'admin', password: `${guess}` });
        tally.set(status, (tally.get(status) ?? 0) + 1);
        if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      expect([...tally.keys()].sort()).toEqual([401, 429]);
      expect(tally.get(401)).toBeLessThan(20);
      const throttled = await browser.post(LOGIN, { ...fields, ...right });
      expect([throttled.status, asks(throttled, LOGIN)]).toEqual([429, true]);
      const byToken = { grant_type: 'password', scope: 'PRODUCTION', ...right };
      expect((await target.token(byToken, own.header)).status).toBe(429);
      target.advance(61_000);
      expect((await browser.post(LOGIN, { ...fields, ...right })).status).toBe(303);
    } finally {
      await target.close();
    }
  });

  it.each([
    ['Basic guesses for the account', 'admin', (target: Platform, username: string) => byBasic(target, username)],
    ['Basic guesses for many accounts', undefined, (target: Platform, username: string) => byBasic(target, username)],
    [
      'guesses at the token endpoint',
      'admin',
      (target: Platform, username: string, { header }: TestClient) =>
        target.token({ grant_type: 'password', scope: 'PRODUCTION', username, password: 'wrong' }, header),
    ],
  ])('R240 accepts the right password at the first try during a flood of %s', async (_, account, guess) => {
    const target = await startPlatform({ stillClock: true });
    try {
      const own = await callbackClient(target);
      const flood = () =>
        Promise.all(Array.from({ length: 40 }, (_, at) => guess(target, account ?? `nobody${at}`, own)));
      const statuses = (await flood()).map(({ status }) => status);
      expect(statuses).toContain(429);
      const { browser, fields } = await loginForm(target, own);
      const more = flood();
      expect((await browser.post(LOGIN, { ...fields, ...right })).status).toBe(303);
      await more;
    } finally {
      await target.close();
    }
  });

  it('R240 counts its failures against Basic and the token endpoint too', async () => {
    const target = await startPlatform({ stillClock: true });
    try {
      const own = await callbackClient(target);
      const { browser, fields } = await loginForm(target, own);
      for (let guess = 0; guess < 5; guess += 1) {
        await browser.post(LOGIN, { ...fields, username: 'admin', password: `${guess}` });
      }
      expect((await byBasic(target, 'admin')).status).toBe(429);
    } finally {
      await target.close();
    }
  });

  it('R156 R159 logs logins and decisions without password, code or cookie', async () => {
    const { browser, page } = await atConsent(platform, client);
    const code = sentTo(await browser.decide(page, 'approve')).query.get('code') ?? 'none';
    const events = new Set(platform.log.map(({ fields }) => fields['event']));
    for (const event of ['login', 'login-failed', 'consent']) expect(events).toContain(event);
    const log = JSON.stringify(platform.log);
    for (const secret of [ADMIN_PASSWORD, code, browser.cookie.split('=')[1] ?? 'none']) {
      expect(log).not.toContain(secret);
    }
  });
});
