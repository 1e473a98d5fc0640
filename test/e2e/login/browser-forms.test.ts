// The login and consent forms in a real Chromium against the built daemon: wrong input, double and late submission,
// other sites, keyboard.
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { focused } from '../../support/browser/audit.ts';
import { browserRequirement } from '../../support/browser/browser.ts';
import { until } from '../../support/daemon/daemon.ts';
import { ALICE, BOB, decide, type LoginFixture, openLoginFixture, signIn } from '../../support/daemon/login-fixture.ts';
import { describeIf } from '../../support/runner/requirements.ts';
import { ADMIN_PASSWORD, makeClient, startPlatform } from '../../support/service/platform.ts';

describeIf(browserRequirement(), 'the forms in Chromium', () => {
  let fixture: LoginFixture;
  beforeAll(async () => {
    fixture = await openLoginFixture();
  });
  afterAll(() => fixture?.close());

  const answers = () => fixture.web.answers.map(({ url }) => url.searchParams);
  const answersOf = (state: string) => answers().filter((answer) => answer.get('state') === state);

  it('R103 R72 an unknown user and a wrong password get the same page, and a correct retry continues from there', async () => {
    const { page, close } = await fixture.visitor();
    const shown: string[] = [];
    for (const username of ['alice', 'nobody']) {
      await page.goto(fixture.authorizeUrl());
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().method() === 'POST'),
        signIn(page, { username, password: 'wrong-guess-7' }),
      ]);
      expect(answer.status()).toBe(401);
      expect(await page.getByRole('alert').textContent()).toContain('do not belong together');
      expect(await page.getByLabel('Username').inputValue()).toBe(username);
      expect(await page.getByLabel('Password').inputValue()).toBe('');
      expect(await focused(page)).toBe('password');
      const text = await page.content();
      expect(text).not.toContain('wrong-guess-7');
      shown.push(text.replaceAll(username, 'NAME').replace(/(name="(?:csrf|transaction)" value=")[^"]*/g, '$1'));
    }
    expect(shown[0]).toBe(shown[1]);
    await signIn(page);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await close();
  });

  it('R104 the keyboard alone suffices from the login to the client', async () => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ state: 'keys' }));
    expect(await page.title()).toBe('Log in · actorctl');
    await page.locator('#username:focus').waitFor();
    await page.keyboard.type(ALICE.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ALICE.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Deny');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Approve');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(answersOf('keys').map((answer) => answer.has('code'))).toEqual([true]);
    await close();
  });

  it('R16 the back button after the consent shows a new consent form, not the old one', async () => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ state: 'back' }));
    await signIn(page);
    const old = await page.locator('input[name=transaction]').first().inputValue();
    await decide(page, 'Approve');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.locator('input[name=transaction]').first().inputValue()).not.toBe(old);
    await decide(page, 'Deny');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(answersOf('back').map((answer) => answer.get('error'))).toEqual([null, 'access_denied']);
    await close();
  });

  it('R102 a double click on approve sends the client one code, however slow the platform is', async () => {
    // In this process, so that the approval ends after both requests have been read.
    const platform = await startPlatform();
    let read = 0;
    platform.app.server.on('request', (request: IncomingMessage) => {
      if (request.url === '/authorize/consent') request.once('end', () => (read += 1));
    });
    const { id } = await makeClient(platform, { callbackUrl: fixture.web.callback });
    const query = { response_type: 'code', client_id: id, redirect_uri: fixture.web.callback, state: 'double' };
    const { page, close } = await fixture.visitor();
    await page.goto(`${platform.baseUrl}/authorize?${new URLSearchParams(query)}`);
    await signIn(page, { username: 'admin', password: ADMIN_PASSWORD });
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.click({ trial: true });
    const { x, y } = (await approve.boundingBox()) ?? { x: 0, y: 0 };
    const transact = platform.store.transact.bind(platform.store);
    vi.spyOn(platform.store, 'transact').mockImplementation(async (decide) => {
      await until(() => read === 2);
      return transact(decide);
    });
    for (const clicks of [1, 2]) {
      await page.mouse.click(x + 9, y + 9);
      await until(() => read === clicks);
    }
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    expect(answersOf('double').filter((answer) => answer.has('code'))).toHaveLength(1);
    expect([...platform.store.all('codes')]).toHaveLength(1);
    await close();
    await platform.close();
  });

  it('R92 R102 a second click on the login button after its response leads to the consent page too', async () => {
    // In this process, so that the page after the first click waits for the second one.
    const platform = await startPlatform();
    const { server } = platform.app;
    const listeners = server.listeners('request') as ((...exchange: unknown[]) => void)[];
    let logins = 0;
    let isAnswered = false;
    server.removeAllListeners('request').on('request', async (request: IncomingMessage, response: unknown) => {
      if (request.url === '/authorize/login') logins += 1;
      else if (logins > 0) {
        isAnswered = true;
        await until(() => logins === 2);
      }
      for (const serve of listeners) serve(request, response);
    });
    const { id } = await makeClient(platform, { callbackUrl: fixture.web.callback });
    const query = { response_type: 'code', client_id: id, redirect_uri: fixture.web.callback };
    const { page, close } = await fixture.visitor();
    await page.goto(`${platform.baseUrl}/authorize?${new URLSearchParams(query)}`);
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password').fill(ADMIN_PASSWORD);
    const { x, y } = (await page.getByRole('button', { name: 'Log in' }).boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.click(x + 9, y + 9);
    await until(() => isAnswered);
    await page.mouse.click(x + 9, y + 9);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(logins).toBe(2);
    await close();
    await platform.close();
  });

  it('R92 a consent form already submitted in another tab leads to a page that says so', async () => {
    const { page, context, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ state: 'twice' }));
    await signIn(page);
    const form = {
      csrf: await page.locator('input[name=csrf]').first().inputValue(),
      transaction: await page.locator('input[name=transaction]').first().inputValue(),
      decision: 'deny',
    };
    const first = await context.request.post(`${fixture.daemon.baseUrl()}/authorize/consent`, {
      form,
      maxRedirects: 0,
    });
    expect(first.status()).toBe(303);
    await decide(page, 'Approve');
    expect(await page.getByRole('alert').textContent()).toContain('already submitted');
    expect(answersOf('twice')).toEqual([]);
    await close();
  });

  it('R07 a form from before a restart of the daemon leads to a page that says how to continue', async () => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl());
    await page.getByLabel('Username').fill('alice');
    const port = new URL(fixture.daemon.baseUrl()).port;
    await fixture.daemon.stop();
    await fixture.daemon.start('--port', port);
    await signIn(page);
    expect(await page.getByRole('alert').textContent()).toContain('has expired');
    expect(await page.getByRole('alert').textContent()).toContain('start again');
    await close();
  });

  it('R17 R54 flows of two clients in two tabs of one browser do not interfere', async () => {
    const other = await fixture.register('other-reader', fixture.web.callback);
    const { page: one, context, close } = await fixture.visitor();
    const two = await context.newPage();
    await one.goto(fixture.authorizeUrl({ state: 'one' }));
    await two.goto(fixture.authorizeUrl({ state: 'two', client_id: other.id }));
    await signIn(one);
    await one.getByRole('heading', { name: 'Let report-reader act for you?' }).waitFor();
    await signIn(two);
    await two.getByRole('heading', { name: 'Let other-reader act for you?' }).waitFor();
    await decide(two, 'Approve');
    await two.getByRole('heading', { name: 'Back at the client' }).waitFor();
    await decide(one, 'Approve');
    await one.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const codes = ['one', 'two'].map((state) => answersOf(state).map((answer) => answer.get('code') ?? ''));
    expect(codes.map((found) => found.length)).toEqual([1, 1]);
    expect((await fixture.exchange(codes[0]?.[0] ?? '')).status).toBe(200);
    expect((await fixture.exchange(codes[1]?.[0] ?? '')).status).toBe(400);
    expect((await fixture.exchange(codes[1]?.[0] ?? '', other)).status).toBe(200);
    await close();
  });

  it('the user can switch to another account during the flow', async () => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ state: 'switch' }));
    await signIn(page);
    await page.getByText('You are logged in as alice').waitFor();
    await page.getByRole('button', { name: 'Use another account' }).click();
    await signIn(page, BOB);
    await page.getByText('You are logged in as bob').waitFor();
    await decide(page, 'Approve');
    await page.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const { json } = await fixture.exchange(answersOf('switch')[0]?.get('code') ?? '');
    expect(await fixture.userOf((json as { access_token: string }).access_token)).toBe('bob');
    await close();
  });

  it('R95 R96 the session cookie is hidden from scripts and other sites, and gets a new value at the login', async () => {
    const { page, context, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl());
    const [before, ...noMore] = await context.cookies();
    expect(noMore).toEqual([]);
    expect(before).toMatchObject({ name: 'actorctl_session', httpOnly: true, sameSite: 'Lax', path: '/', expires: -1 });
    expect(before?.domain).toBe('127.0.0.1');
    await signIn(page);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const [after] = await context.cookies();
    expect(after?.value).not.toBe(before?.value);
    await close();
  });

  it.each(['login', 'consent', 'logout'])('R93 a page on another port cannot send the %s form', async (form) => {
    const { page, close } = await fixture.visitor();
    await page.goto(fixture.authorizeUrl({ state: `foreign-${form}` }));
    await signIn(page);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const fields = await page.locator('form').first().innerHTML();
    const foreign = `<form method="post" action="${fixture.daemon.baseUrl()}/authorize/${form}">${fields}</form>`;
    await page.goto(fixture.web.page('/foreign', foreign));
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      decide(page, 'Approve'),
    ]);
    expect(answer.status()).toBe(403);
    expect(await page.getByRole('alert').textContent()).toContain('another site');
    expect(answersOf(`foreign-${form}`)).toEqual([]);
    await page.goto(fixture.authorizeUrl());
    await page.getByText('You are logged in as alice').waitFor();
    await close();
  });
});
