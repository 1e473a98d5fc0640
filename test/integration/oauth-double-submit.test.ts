// One consent form, sent more than once: at the same time, and afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browserless, browserless, formTo, sentTo } from '../support/browserless.ts';
import type { Answer } from '../support/call.ts';
import { ADMIN_PASSWORD, makeClient, type Platform, startPlatform } from '../support/platform.ts';

const CALLBACK = 'http://127.0.0.1:9/callback';

describe('a consent form that is sent more than once', () => {
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

  /** A POST as bytes, so that two of them arrive as one. */
  const posted = (page: Answer, decision: string): string => {
    const body = new URLSearchParams({ ...formTo(page, '/authorize/consent').fields, decision }).toString();
    return [
      'POST /authorize/consent HTTP/1.1',
      `Host: ${new URL(platform.baseUrl).host}`,
      `Origin: ${platform.baseUrl}`,
      `Cookie: ${browser.cookie}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  };
  const locations = (answers: string): string[] =>
    [...answers.matchAll(/^location: (.*)\r$/gim)].map((match) => match[1] ?? '');

  it('R102 while the first is being answered gets the answer of the first: one code, and nobody is lost', async () => {
    const page = await browser.get(path);
    const before = [...platform.store.all('codes')].length;
    const answers = await platform.raw(
      `${posted(page, 'approve')}${posted(page, 'deny').replace('\r\n', '\r\nConnection: close\r\n')}`,
    );
    const [first, second, ...none] = locations(answers);
    expect(new URL(first ?? '').searchParams.has('code')).toBe(true);
    expect(second).toBe(first);
    expect(none).toEqual([]);
    expect([...platform.store.all('codes')]).toHaveLength(before + 1);
    expect((await browser.decide(page, 'approve')).status).toBe(400);
  });

  it('R92 R102 after it was answered is refused, whatever it says', async () => {
    const page = await browser.get(path);
    expect(sentTo(await browser.decide(page, 'approve')).query.has('code')).toBe(true);
    for (const decision of ['approve', 'deny']) {
      const again = await browser.decide(page, decision);
      expect(again.status).toBe(400);
      expect(again.headers.location).toBeUndefined();
      expect(again.text).toContain('answered already');
    }
  });

  it('R92 an hour later is refused, and nothing is approved', async () => {
    const page = await browser.get(path);
    const before = [...platform.store.all('codes')].length;
    platform.advance(60 * 60_000);
    const late = await browser.decide(page, 'approve');
    expect(late.status).toBe(400);
    expect(late.text).toContain('waited too long');
    expect([...platform.store.all('codes')]).toHaveLength(before);
  });
});
