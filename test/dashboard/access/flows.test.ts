// The OAuth flows of the Access view in a real Chromium, with the displayed requests and responses.
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from '../../support/browser/axe.ts';
import { browserRequirement } from '../../support/browser/browser.ts';
import { type Dashboard, startDashboard } from '../../support/browser/dashboard.ts';
import { answered, keptBy, status } from '../../support/browser/tried-flow.ts';
import { startWebClient, type WebClient } from '../../support/browser/web-client.ts';
import { ADMIN } from '../../support/daemon/home.ts';
import { decide } from '../../support/daemon/login-fixture.ts';
import { describeIf } from '../../support/runner/requirements.ts';

interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
}

describeIf(browserRequirement(), 'a flow that is tried', () => {
  let dashboard: Dashboard;
  let web: WebClient;
  let own: Registered;
  beforeAll(async () => {
    [dashboard, web] = await Promise.all([startDashboard(), startWebClient()]);
    const { home, baseUrl } = dashboard;
    own = await home.json('clients', 'create', 'own-page', '--redirect-uri', `${baseUrl}/`);
    await home.cli(['clients', 'create', 'web-app', '--redirect-uri', web.callback, '--public']);
  });
  afterAll(async () => {
    await Promise.all([dashboard?.close(), web?.close()]);
  });

  /** Pages behind others are slow, so the tab is closed after its response was read. */
  const openApproval = async (page: Page, context: BrowserContext): Promise<Page> => {
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('button', { name: 'Open the approval page' }).click(),
    ]);
    return tab;
  };
  /** The value that a button of a response reveals. */
  const shown = async (page: Page, number: number, name: string): Promise<string> => {
    const box = answered(page, number);
    await box.getByRole('button', { name: `Show ${name}` }).click();
    const value = (await box.locator('.secret').filter({ hasText: 'Hide' }).locator('code').textContent()) ?? '';
    await box.getByRole('button', { name: `Hide ${name}` }).click();
    return value;
  };

  it('R192 runs the code flow with the dashboard as the client, and renews, uses, inspects and revokes the tokens', async () => {
    const { page, context, asked, complaints, close } = await dashboard.open('access/try?client=own-page');
    await page.getByLabel('Secret of the client').fill(own.client_secret);
    const tab = await openApproval(page, context);
    await decide(tab, 'Approve');
    await tab.getByText('The other tab of the dashboard received the response.').waitFor();
    expect(tab.url()).toBe(`${dashboard.baseUrl}/`);
    // Nothing is left to do in this tab.
    expect(await tab.getByRole('button').count()).toBe(0);
    expect(await violations(tab)).toEqual([]);
    expect(await keptBy(tab)).not.toMatch(/code=|state=/);
    await tab.close();

    await status(page, 1, '303 See Other');
    await status(page, 2, '200 OK');
    const tokens = [await shown(page, 2, 'access_token'), await shown(page, 2, 'refresh_token')];
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await status(page, 3, '200 OK');
    tokens.push(await shown(page, 3, 'access_token'));
    await page.getByRole('button', { name: 'Call the API', exact: true }).click();
    await status(page, 4, '200 OK');
    await answered(page, 4).getByText(ADMIN.username).waitFor();
    await page.getByRole('button', { name: 'Inspect', exact: true }).click();
    await status(page, 5, '200 OK');
    await answered(page, 5).getByText('true', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await status(page, 6, '200 OK');
    await page.getByText('The tokens are revoked.').waitFor();
    await page.getByRole('button', { name: 'Inspect', exact: true }).click();
    await answered(page, 7).getByText('false', { exact: true }).waitFor();

    expect(new Set(tokens).size).toBe(3);
    expect(await violations(page)).toEqual([]);
    const places = await keptBy(page);
    for (const secret of [own.client_secret, btoa(`${own.client_id}:${own.client_secret}`), ...tokens]) {
      expect(places).not.toContain(secret);
      expect(asked.filter(({ href }) => href.includes(secret))).toEqual([]);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it('R192 completes the code flow of another program with a pasted response, and refuses a response with another state', async () => {
    const { page, context, close } = await dashboard.open('access/try?client=web-app&flow=code');
    const tab = await openApproval(page, context);
    await decide(tab, 'Approve');
    await tab.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const answer = tab.url();
    await tab.close();
    const foreign = new URL(answer);
    foreign.searchParams.set('state', 'another');
    const field = page.getByLabel('Paste the address of that tab');
    await field.fill(foreign.href);
    await page.getByRole('button', { name: 'Read the response' }).click();
    await page.getByRole('alert').getByText('its state is not that of this request').waitFor();
    await page.getByLabel('Response 1').getByText('No response yet').waitFor();
    await field.fill(answer);
    await page.keyboard.press('Enter');
    await status(page, 2, '200 OK');
    expect(await page.getByRole('button', { name: 'Inspect', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await status(page, 3, '200 OK');
    expect(await page.getByLabel('Request 3').getByText('client_id').count()).toBe(1);

    // The user refuses.
    const other = await openApproval(page, context);
    await decide(other, 'Deny');
    await other.getByRole('heading', { name: 'Back at the client' }).waitFor();
    const denial = other.url();
    await other.close();
    await field.fill(denial);
    await page.keyboard.press('Enter');
    await answered(page, 4).getByText('access_denied').waitFor();
    await close();
  });

  it('R192 runs the implicit flow, and its token is neither in the address nor in the markup', async () => {
    const { page, context, close } = await dashboard.open('access/try?client=own-page&flow=implicit');
    const tab = await openApproval(page, context);
    await decide(tab, 'Approve');
    await tab.getByText('The other tab of the dashboard received the response.').waitFor();
    expect([tab.url(), await keptBy(tab)]).toEqual([
      `${dashboard.baseUrl}/`,
      expect.not.stringContaining('access_token'),
    ]);
    await status(page, 1, '303 See Other');
    const token = await shown(page, 1, 'access_token');
    await page.getByRole('button', { name: 'Call the API', exact: true }).click();
    await status(page, 2, '200 OK');
    expect(await keptBy(page)).not.toContain(token);
    expect(await page.getByRole('button', { name: 'Refresh', exact: true }).count()).toBe(0);
    await close();
  });

  it('R191 runs the password flow without showing the password', async () => {
    const { page, asked, close } = await dashboard.open('access/try?client=own-page&flow=password');
    await page.getByLabel('Secret of the client').fill('wrong');
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN.password);
    await page.getByRole('button', { name: 'Send' }).click();
    await status(page, 1, '401 Unauthorized');
    await answered(page, 1).getByText('invalid_client').waitFor();
    await page.getByLabel('Secret of the client').fill(own.client_secret);
    await page.keyboard.press('Enter');
    await status(page, 2, '200 OK');
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await status(page, 3, '200 OK');
    const request = page.getByLabel('Request 2');
    await request.getByText('1 header').or(request.getByText('3 headers')).click();
    expect(await request.textContent()).toContain('Basic ••••••••');
    await page
      .getByText(`actorctl login --flow password --client ${own.client_id} --username ${ADMIN.username}`)
      .first()
      .waitFor();
    const places = await keptBy(page);
    for (const secret of [ADMIN.password, own.client_secret]) {
      expect(places).not.toContain(secret);
      expect(asked.filter(({ href }) => href.includes(encodeURIComponent(secret)))).toEqual([]);
    }
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('reports an authorization response that belongs to no open tab', async () => {
    const { page, close } = await dashboard.open('access');
    await page.goto('about:blank');
    await page.goto(`${dashboard.baseUrl}/#access_token=stray-token&state=nobody`);
    await page.getByText('This login was begun in another tab').waitFor();
    expect(page.url()).toBe(`${dashboard.baseUrl}/`);
    expect(await keptBy(page)).not.toContain('stray-token');
    await close();
  });

  it('changes the redirect URIs of a client, and keeps them if one is refused', async () => {
    const { home } = dashboard;
    await home.cli(['clients', 'create', 'moved', '--redirect-uri', 'http://127.0.0.1:3000/callback']);
    const { page, close } = await dashboard.open('access/clients/moved');
    await page.getByRole('button', { name: 'Change the redirect URIs' }).click();
    const uris = page.getByLabel('Redirect URIs, one in a line');
    await uris.fill('http://127.0.0.1:3000/callback\nnot a URI');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    await uris.fill('http://127.0.0.1:3000/callback\nhttp://127.0.0.1:3001/other');
    await page
      .getByText('actorctl clients update moved --add-redirect-uri', { exact: false })
      .waitFor({ state: 'attached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('code.line', { hasText: ':3001/other' }).waitFor();
    const stored = await home.json<{ callback_url: string }>('clients', 'show', 'moved');
    expect(stored.callback_url).toBe('http://127.0.0.1:3000/callback,http://127.0.0.1:3001/other');
    await close();
  });
});
