// The two browser flows in a real Chromium against the built daemon: the values that the client gets, and where they
// appear.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserRequirement } from '../../support/browser/browser.ts';
import { startWebClient } from '../../support/browser/web-client.ts';
import { decide, type LoginFixture, openLoginFixture, signIn } from '../../support/daemon/login-fixture.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const fragmentOf = (address: string): URLSearchParams => new URLSearchParams(new URL(address).hash.slice(1));
const IMPLICIT = { response_type: 'token', scope: 'PRODUCTION' } as const;

describeIf(browserRequirement(), 'logins in Chromium', () => {
  let fixture: LoginFixture;
  beforeAll(async () => {
    fixture = await openLoginFixture();
  });
  afterAll(() => fixture?.close());

  const lastAnswer = () => fixture.web.answers.at(-1)?.url.searchParams ?? new URLSearchParams();

  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'R104 R16 the code flow %s: login, approval, and a code that gives a token of the user',
    async (_how, javaScriptEnabled) => {
      const state = 'a+b &=#%20"<é>/;';
      const { page, close, asked, complaints } = await fixture.visitor({ javaScriptEnabled });
      await page.goto(fixture.authorizeUrl({ state }));
      await signIn(page);
      await page.getByRole('heading', { name: 'Let report-reader act for you?' }).waitFor();
      await decide(page, 'Approve');
      await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
      expect(lastAnswer().get('state')).toBe(state);
      expect(lastAnswer().get('iss')).toBe(fixture.daemon.baseUrl());
      expect([...lastAnswer().keys()].sort()).toEqual(['code', 'iss', 'state']);
      const { status, json } = await fixture.exchange(lastAnswer().get('code') ?? '');
      expect(status).toBe(200);
      expect(await fixture.userOf((json as { access_token: string }).access_token)).toBe('alice');
      expect(complaints).toEqual([]);
      expect(new Set(asked.map((url) => url.origin))).toEqual(new Set([fixture.daemon.baseUrl(), fixture.web.origin]));
      await close();
    },
  );

  it("R29 R99 the client does not get the address of the platform's pages as referrer", async () => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl());
    await signIn(page);
    await decide(page, 'Approve');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(fixture.web.answers.at(-1)?.headers.referer).toBeUndefined();
    await close();
  });

  it('R24 R25 the implicit flow has its token in the fragment, which no server sees', async () => {
    const { page, close, asked } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ ...IMPLICIT, state: 'x&y=#1' }));
    await signIn(page);
    await decide(page, 'Approve');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const fragment = fragmentOf(page.url());
    expect(fragment.get('token_type')).toBe('bearer');
    expect(fragment.get('expires_in')).toBe('3600');
    expect(fragment.get('state')).toBe('x&y=#1');
    expect(fragment.has('refresh_token')).toBe(false);
    expect(await fixture.userOf(fragment.get('access_token') ?? '')).toBe('alice');
    expect(fixture.web.answers.at(-1)?.url.search).toBe('');
    expect(asked.filter((url) => /access_token/.test(url.search))).toEqual([]);
    await close();
  });

  it('R28 R100 the implicit flow asks for approval once, and every time with show_dialog=true', async () => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ ...IMPLICIT, show_dialog: 'true' }));
    await signIn(page);
    await decide(page, 'Approve');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const first = fragmentOf(page.url()).get('access_token');
    await page.goto(fixture.authorizeUrl({ ...IMPLICIT, show_dialog: 'false' }));
    const second = fragmentOf(page.url()).get('access_token');
    expect(second).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
    await page.goto(fixture.authorizeUrl({ ...IMPLICIT, show_dialog: 'true' }));
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.goto(fixture.authorizeUrl());
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await close();
    // In another browser the response to the login itself is the redirect to the client. @see docs/conformance/security.md R100
    const { page: elsewhere, close: closeElsewhere } = await fixture.visitor();
    await elsewhere.goto(fixture.authorizeUrl(IMPLICIT));
    await signIn(elsewhere);
    await elsewhere.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(fragmentOf(elsewhere.url()).get('access_token')).toMatch(/^[\w-]{43}$/);
    await closeElsewhere();
  });

  it('R15 a denial reaches the client with its state, and without a code or token', async () => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ state: 's-1' }));
    await signIn(page);
    await decide(page, 'Deny');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(lastAnswer().get('error')).toBe('access_denied');
    expect(lastAnswer().get('state')).toBe('s-1');
    expect(lastAnswer().has('code')).toBe(false);
    await page.goto(fixture.authorizeUrl({ ...IMPLICIT, state: 's-2', show_dialog: 'true' }));
    await decide(page, 'Deny');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect([lastAnswer().get('error'), lastAnswer().get('state')]).toEqual(['access_denied', 's-2']);
    expect(page.url()).not.toContain('access_token');
    await close();
  });

  it('R07 an unregistered address gets an error page, without a login or a redirect', async () => {
    const { page, close, asked } = await fixture.visitor();
    const answer = await page.goto(fixture.authorizeUrl({ redirect_uri: `${fixture.web.callback}/` }));
    expect(answer?.status()).toBe(400);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(new Set(asked.map((url) => url.origin))).toEqual(new Set([fixture.daemon.baseUrl()]));
    await close();
  });

  it('R100 a callback that redirects to another origin works after an approval and after a denial', async () => {
    for (const decision of ['Approve', 'Deny'] as const) {
      const { page, close, complaints } = await fixture.visitor();
      await page.goto(fixture.authorizeUrl({ redirect_uri: fixture.web.relay }));
      await signIn(page);
      await decide(page, decision);
      await page.waitForURL(fixture.web.home);
      expect(lastAnswer().has('code')).toBe(decision === 'Approve');
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it('R100 a client on the IPv6 loopback address gets its response', async () => {
    const web = await startWebClient('::1');
    const { id } = await fixture.register('six', web.callback);
    const { page, close, complaints } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ ...IMPLICIT, client_id: id, redirect_uri: web.callback }));
    await signIn(page);
    await decide(page, 'Approve');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(fragmentOf(page.url()).get('access_token')).toMatch(/^[\w-]{43}$/);
    expect(complaints).toEqual([]);
    await close();
    await web.close();
  });

  it('a login in a pop-up can send its result to the page that opened it', async () => {
    fixture.web.page('/callback', '<h1>Back at the client</h1><script>opener.postMessage(location.hash, "*")</script>');
    const address = fixture.authorizeUrl({ ...IMPLICIT, show_dialog: 'true' });
    const start = fixture.web.page(
      '/start',
      `<button>Log in</button><output></output><script>
        document.querySelector('button').onclick = () => open(${JSON.stringify(address)});
        onmessage = ({ data }) => { document.querySelector('output').textContent = data; };
      </script>`,
    );
    const { page, context, close } = await fixture.visitor();
    await page.goto(start);
    const [popup] = await Promise.all([context.waitForEvent('page'), page.getByRole('button').click()]);
    await signIn(popup);
    await decide(popup, 'Approve');
    await page.getByText('access_token').waitFor();
    await close();
  });
});
