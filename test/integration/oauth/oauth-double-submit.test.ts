// A login or consent form that is sent several times, simultaneously or later.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browserless, browserless, formTo, sentTo } from '../../support/browser/browserless.ts';
import type { Answer } from '../../support/service/call.ts';
import { ADMIN_PASSWORD, makeClient, type Platform, startPlatform } from '../../support/service/platform.ts';

const CALLBACK = 'http://127.0.0.1:9/callback';

let platform: Platform;
let browser: Browserless;
let path: string;
beforeAll(async () => {
  platform = await startPlatform();
  browser = browserless(platform.baseUrl);
  const { id } = await makeClient(platform, { callbackUrl: CALLBACK });
  path = `/authorize?${new URLSearchParams({ response_type: 'code', client_id: id, redirect_uri: CALLBACK })}`;
  await browser.login(path, 'admin', ADMIN_PASSWORD);
});
afterAll(() => platform.close());

/** A POST request as text, so that two of them can be sent on one connection at once. */
const posted = (action: string, cookie: string, fields: Readonly<Record<string, string>>): string => {
  const body = new URLSearchParams(fields).toString();
  return [
    `POST ${action} HTTP/1.1`,
    `Host: ${new URL(platform.baseUrl).host}`,
    `Origin: ${platform.baseUrl}`,
    `Cookie: ${cookie}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
};
/** Sends both requests at once and returns the text of both responses. */
const atOnce = (first: string, second: string): Promise<string> =>
  platform.raw(`${first}${second.replace('\r\n', '\r\nConnection: close\r\n')}`);
const headersOf = (answers: string, name: string): string[] =>
  [...answers.matchAll(new RegExp(`^${name}: (.*)\\r$`, 'gim'))].map((match) => match[1] ?? '');

describe('a login form that is sent more than once', () => {
  const CONSENT = 'action="/authorize/consent"';
  const form = (page: Answer, password: string) => ({
    ...formTo(page, '/authorize/login').fields,
    username: 'admin',
    password,
  });

  it('R95 begins one session if the second arrives during the first, and a logout ends it for both', async () => {
    const visitor = browserless(platform.baseUrl);
    const page = await visitor.get(path);
    const once = posted('/authorize/login', visitor.cookie, form(page, ADMIN_PASSWORD));
    const answers = await atOnce(once, once);
    const [first, second, ...none] = headersOf(answers, 'location');
    expect([first?.startsWith('/authorize?'), second, none]).toEqual([true, first, []]);
    const cookies = headersOf(answers, 'set-cookie').map((line) => line.split(';')[0] ?? '');
    expect(new Set(cookies).size).toBe(1);
    visitor.cookie = cookies[0] ?? '';
    expect((await visitor.get(path)).text).toContain(CONSENT);
    await visitor.post('/authorize/logout', {});
    for (const cookie of cookies) {
      visitor.cookie = cookie;
      expect((await visitor.get(path)).text).not.toContain(CONSENT);
    }
  });

  it('R76 with a wrong password counts as one attempt', async () => {
    const visitor = browserless(platform.baseUrl);
    const page = await visitor.get(path);
    const wrong = posted('/authorize/login', visitor.cookie, form(page, 'a wrong password'));
    const failed = () => platform.log.filter(({ fields }) => fields['event'] === 'login-failed').length;
    const before = failed();
    const answers = await atOnce(wrong, wrong);
    expect(answers.match(/^HTTP\/1\.1 \d{3}/gm)).toHaveLength(2);
    expect(failed()).toBe(before + 1);
  });

  const again = (visitor: Browserless, page: Answer, password = ADMIN_PASSWORD) =>
    visitor.post('/authorize/login', form(page, password));
  const facts = ({ status, headers }: Answer) => [status, headers.location, headers['set-cookie']];

  it('R92 redirects again after its response, checks no password and sets no cookie', async () => {
    const visitor = browserless(platform.baseUrl);
    const page = await visitor.get(path);
    const first = await again(visitor, page);
    const failed = () => platform.log.filter(({ fields }) => fields['event'] === 'login-failed').length;
    const before = failed();
    for (const password of [ADMIN_PASSWORD, 'a wrong password'])
      expect(facts(await again(visitor, page, password))).toEqual([303, first.headers.location, undefined]);
    expect(failed()).toBe(before);
    expect((await visitor.get(path)).text).toContain(CONSENT);
    await visitor.post('/authorize/logout', {});
    const after = await again(visitor, page);
    expect(after.headers['set-cookie']).toBeUndefined();
    expect((await visitor.follow(after)).text).not.toContain(CONSENT);
  });

  it('R92 is refused after its response to another browser, with other keys, for another user, and a minute later', async () => {
    const visitor = browserless(platform.baseUrl);
    const page = await visitor.get(path);
    await again(visitor, page);
    const other = browserless(platform.baseUrl);
    await other.get(path);
    expect(facts(await again(other, page))).toEqual([platform.forbidden, undefined, undefined]);
    const forged = { ...form(page, ADMIN_PASSWORD), csrf: 'x' };
    expect(facts(await visitor.post('/authorize/login', forged))).toEqual([platform.forbidden, undefined, undefined]);
    const asOther = { ...form(page, ADMIN_PASSWORD), username: 'ana' };
    expect(facts(await visitor.post('/authorize/login', asOther))).toEqual([400, undefined, undefined]);
    expect((await again(visitor, page)).status).toBe(303);
    platform.advance(60_000);
    expect(facts(await again(visitor, page))).toEqual([400, undefined, undefined]);
  });
});

describe('a consent form that is sent more than once', () => {
  const decision = (page: Answer, value: string) =>
    posted('/authorize/consent', browser.cookie, { ...formTo(page, '/authorize/consent').fields, decision: value });

  it('R102 gets the response of the first, with one code, if the second arrives during the first', async () => {
    const page = await browser.get(path);
    const before = [...platform.store.all('codes')].length;
    const answers = await atOnce(decision(page, 'approve'), decision(page, 'deny'));
    const [first, second, ...none] = headersOf(answers, 'location');
    expect(new URL(first ?? '').searchParams.has('code')).toBe(true);
    expect(second).toBe(first);
    expect(none).toEqual([]);
    expect([...platform.store.all('codes')]).toHaveLength(before + 1);
    expect((await browser.decide(page, 'approve')).status).toBe(400);
  });

  it('R92 R102 is refused after its response, whatever decision it holds', async () => {
    const page = await browser.get(path);
    expect(sentTo(await browser.decide(page, 'approve')).query.has('code')).toBe(true);
    for (const value of ['approve', 'deny']) {
      const again = await browser.decide(page, value);
      expect(again.status).toBe(400);
      expect(again.headers.location).toBeUndefined();
      expect(again.text).toContain('already submitted');
    }
  });

  it('R92 is refused an hour later, and approves nothing', async () => {
    const page = await browser.get(path);
    const before = [...platform.store.all('codes')].length;
    platform.advance(60 * 60_000);
    const late = await browser.decide(page, 'approve');
    expect(late.status).toBe(400);
    expect(late.text).toContain('has expired');
    expect([...platform.store.all('codes')]).toHaveLength(before);
  });
});
